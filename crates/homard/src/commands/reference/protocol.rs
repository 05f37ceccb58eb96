//! `homard protocol`: the manual's table of methods made anew, for `cargo xtask protocol`. Not for people.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::commands::Cx;

/// Print the manual of the protocol with its table of methods made anew
#[derive(Args)]
pub(crate) struct ProtocolArgs {
    /// The manual as it is
    manual: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When the manual cannot be read.
pub(crate) fn run(cx: &Cx, args: &ProtocolArgs) -> anyhow::Result<()> {
    let path = args.manual.display();
    let manual = std::fs::read_to_string(&args.manual).with_context(|| format!("could not read `{path}`"))?;
    Ok(cx.console.part(&homard_gateway::renewed_manual(&manual))?)
}
