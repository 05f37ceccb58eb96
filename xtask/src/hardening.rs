//! Checks that take long: kills, fuzzing, other clients, and the night that runs them all.

pub(crate) mod compat;
pub(crate) mod crash;
pub(crate) mod fuzz;
pub(crate) mod nightly;
pub(crate) mod readers;
