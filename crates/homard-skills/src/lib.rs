//! What agents have been taught: folders with a `SKILL.md`, which of them fit this machine and this agent, and
//! what the model is told about them.
//!
//! Reading order: `front_matter` reads the head of one file, `load` finds the files in their places, `gate`
//! decides which of them an agent has, `prompt`, `env` and `command` say what that means for a
//! turn, and [`Skills`] keeps the answer while nothing changes. `install` brings the programs a skill needs, `take_in` a skill itself. A
//! skill's text is read by the model when it wants it, never by this crate.

mod bundled;
pub mod command;
mod env;
pub mod front_matter;
pub mod gate;
pub mod install;
pub mod load;
mod prompt;
mod report;
mod room;
mod snapshot;
mod stamps;
mod take_in;
mod yaml;

pub use room::Skills;
pub use snapshot::Snapshot;
pub use take_in::{TakeInError, TakenIn, take_in};
