//! The `homard` program: reads the command line, runs one command, reports how it went.
//!
//! [`cli`] is the grammar, [`commands`] has one file per command, [`compose`] builds the gateway out of the other
//! crates, [`report`] says what went wrong, [`logging`] is the log of a running gateway, [`traces`] what it
//! tells a collector.

mod cli;
mod commands;
mod compose;
mod logging;
mod report;
mod traces;

use std::io::{self, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(error) = homard_exec::become_command(std::env::args_os()) {
        writeln!(io::stderr(), "homard: {error}").ok();
        return ExitCode::from(error.exit_code());
    }
    commands::run(cli::Cli::from_words(&std::env::args_os().collect::<Vec<_>>()))
}
