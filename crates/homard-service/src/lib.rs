//! The gateway, or a node, as something the machine keeps running, also without a terminal.
//!
//! A [`Charge`] says what is to run and as whom; a [`Supervisor`] is the program of this machine that looks after such
//! things. Each supervisor is one file ([`systemd`], [`launchd`], [`task_scheduler`]) that says, without doing
//! anything, what its definition looks like and which words it is asked with; [`supervisor`] is the only place that
//! writes files and asks. What the gateway itself tells systemd while it runs is in the program, not here.

mod charge;
mod launchd;
mod supervisor;
mod systemd;
mod task_scheduler;
mod words;

pub use charge::{Account, Charge, Role};
pub use supervisor::{Replace, Supervisor, SupervisorError};
pub use words::{Activity, State};
