//! How a gateway is reached.
