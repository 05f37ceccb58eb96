//! Where commands run: processes with a built environment and limits.
//!
//! This crate starts a command in a process group of its own, gives it an environment that was built rather
//! than inherited, reads what it writes within a bound, and makes sure that nothing of it outlives a timeout,
//! a cancellation or a dropped future. It does not know which tool asked; [`approvals`] says which commands may run, and asks
//! nobody itself.
//!
//! Reading order: [`Command`] and [`BuiltEnv`] say what to run, [`Limits`] how far it may go, [`run()`] runs
//! it and answers with an [`Outcome`]; [`Processes`] keeps commands that outlive the call that started them.

pub mod approvals;
mod capture;
mod command;
mod env;
mod launch;
mod processes;
mod pty;
mod run;
mod tail;
mod unix;

pub use command::{Command, Program};
pub use env::{BASE_NAMES, BuiltEnv, EnvError, check_injected};
pub use launch::{HiddenPaths, HideRecords, LaunchError, Launcher, become_command};
pub use processes::{
    AttachedProcess, End, Finished, InputError, KEEP_FINISHED, MAX_EXIT_TAIL_CHARS, MAX_RUNNING_PER_SCOPE,
    Process, ProcessError, Processes, Start, Summary, Watcher,
};
pub use run::{ExecError, Exit, Limits, MAX_TIMEOUT, Outcome, run, run_with_input};
pub use unix::has_ended;
