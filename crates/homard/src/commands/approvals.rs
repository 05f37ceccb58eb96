//! `homard approvals`: what waits for a person's yes or no. `question` reads and words it, `prompt` asks for the
//! answer in a terminal, `pending` has the commands.

mod pending;
pub(crate) mod prompt;
pub(crate) mod question;

use clap::{Args, Subcommand};

use super::Cx;

const EXAMPLES: &str = "\
Examples:
  homard approvals watch                 be asked here as questions come up
  homard approvals pending
  homard approvals allow 3f9a1c02        the first eight characters of an id are enough
  homard approvals deny 3f9a1c02";

/// Allow or deny what the assistant wants to do
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    command: ApprovalsCommand,
}

#[derive(Subcommand)]
enum ApprovalsCommand {
    #[command(flatten)]
    Pending(pending::PendingCommand),
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway or it does not take the answer.
pub(crate) async fn run(cx: &Cx, args: ApprovalsArgs) -> anyhow::Result<()> {
    match args.command {
        ApprovalsCommand::Pending(command) => pending::run(cx, command).await,
    }
}
