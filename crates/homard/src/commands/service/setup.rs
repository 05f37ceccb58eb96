//! The first steps with this machine: setting it up, and taking over what was there before.

mod accounts;
pub(crate) mod args;
mod carry_out;
pub(crate) mod configure;
mod end;
mod flags;
pub(crate) mod migrate;
pub(crate) mod onboard;
mod prompt;
mod start_over;
mod walk;
