//! `homard security audit`: who can reach the assistant and what they could make it do.

use clap::{Args, Subcommand};
use homard_doctor::{AUDIT, Depth, Selection};

use super::examination::{self, Consent, ExaminationKind, ExaminationOptions};
use crate::commands::Cx;

const EXAMPLES: &str = "\
Examples:
  homard security audit                 look, and change nothing
  homard security audit --fix           close files and open groups; each is asked about
  homard security audit --fix --yes     the same without questions
  homard security audit --deep --json

Exit codes: 0 nothing critical, 1 something critical, 2 the command was not understood.";

/// Check how safe this installation is
#[derive(Args)]
pub(crate) struct SecurityArgs {
    #[command(subcommand)]
    command: SecurityCommand,
}

#[derive(Subcommand)]
enum SecurityCommand {
    Audit(AuditArgs),
}

/// Find what lets more people in, or lets them do more, than you may think
///
/// Looks at permissions of files, the gateway, hooks, secrets, chat platforms, tools and models. Without --fix
/// nothing is written.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
struct AuditArgs {
    /// Also ask the running gateway
    #[arg(long)]
    deep: bool,
    /// Close files to others, groups to strangers, the log to secrets
    #[arg(long)]
    fix: bool,
    /// Say yes to every question of --fix
    #[arg(long, requires = "fix")]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When something is critical.
pub(crate) async fn run(cx: &Cx, args: SecurityArgs) -> anyhow::Result<()> {
    let SecurityCommand::Audit(args) = args.command;
    let manner = ExaminationOptions {
        table: AUDIT,
        selection: Selection::default(),
        depth: if args.deep { Depth::Deep } else { Depth::Quick },
        json: args.json,
        fix: args.fix,
        consent: if args.yes { Consent::Everything } else { Consent::Ask },
        face: ExaminationKind::Audit,
    };
    examination::run(cx, &manner).await
}
