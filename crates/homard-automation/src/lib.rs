//! Turns nobody typed.
pub mod schedule;
