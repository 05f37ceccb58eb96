//! The providers of the world, one row each.
