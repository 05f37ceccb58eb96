//! Turns nobody typed: jobs that run by the clock, and agents that look around by themselves.
//!
//! A job's run is an ordinary turn of the relay, named before it begins, so that a crash neither loses nor doubles it.
//! Reading order: [`schedule`] (when), `job` (what), [`Automation`] (the handle), `run` (one run), `settle` (what
//! follows from its end), `timer` (who is due), `recover` (after a start); `heartbeat` (looking around); [`hooks`] (programs of the
//! owner that hear of events, and calls from outside).

mod automation;
mod changes;
mod deliver;
mod heartbeat;
pub mod hooks;
mod import;
mod job;
mod outside;
mod places;
mod port;
mod preview;
mod recover;
mod run;
pub mod schedule;
mod settle;
mod timer;
mod view;

pub use automation::{Automation, AutomationParts, CronError, Jobs};
pub use heartbeat::Heartbeats;
