//! How programs talk to a gateway: one typed WebSocket client for the command line, the terminal UI and tests.
//!
//! It owns the handshake, the device key, the pairing of answers to requests and the words a person reads when
//! any of it goes wrong. It reads no configuration and no environment: the caller says where the gateway is and
//! what proves its right to talk to it.

mod client;
mod connect;
mod connection;
mod error;
mod events;
mod identity;
pub mod questions;
mod tls;

pub use client::{Client, DEFAULT_TIMEOUT, TwoPhase};
pub use connect::{ConnectOptions, Offer};
pub use connection::Closed;
pub use error::ClientError;
pub use events::{ClientEvent, EVENT_BUFFER, Events};
pub use identity::{DeviceIdentity, IdentityError};
pub use tls::{ByteStream, Fingerprint, encrypt};
