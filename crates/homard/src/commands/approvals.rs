//! `homard approvals`: what waits for a person's yes or no, and the rules that say when one is asked. `question`
//! reads and words it, `prompt` asks for the answer in a terminal, `pending` has the commands for questions,
//! `rules` those for rules.

mod pending;
pub(crate) mod prompt;
mod rules;

use clap::{Args, Subcommand};

use super::Cx;

const EXAMPLES: &str = "\
Examples:
  homard approvals watch                 be asked here as questions come up
  homard approvals pending
  homard approvals allow 3f9a1c02        the first eight characters of an id are enough
  homard approvals deny 3f9a1c02
  homard approvals get
  homard approvals allowlist add /usr/bin/rg
  homard approvals allowlist add '/opt/tools/*' --agent work
  homard approvals allowlist remove /usr/bin/rg
  homard approvals set --file rules.json
  homard approvals get --node shed       the rules a node keeps itself

Programs that run code, such as bash and python, are never allowed as a whole.";

/// Allow or deny what the assistant wants to do
///
/// The rules are in exec-approvals.json; tools.exec in the configuration has its say, too, and the stricter one
/// counts.
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
    #[command(flatten)]
    Rules(rules::RulesCommand),
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, it does not take the answer, or the rules cannot be read or changed.
pub(crate) async fn run(cx: &Cx, args: ApprovalsArgs) -> anyhow::Result<()> {
    match args.command {
        ApprovalsCommand::Pending(command) => pending::run(cx, command).await,
        ApprovalsCommand::Rules(command) => rules::run(cx, command).await,
    }
}
