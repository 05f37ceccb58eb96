//! `homard doctor`: what is wrong with this installation, and mending it.

use clap::Args;
use homard_doctor::{DOCTOR, Depth, Selection, Severity};

use super::examination::{self, Consent, ExaminationKind, ExaminationOptions};
use crate::commands::Cx;

const EXAMPLES: &str = "\
Examples:
  homard doctor                         look, and change nothing
  homard doctor --fix                   mend what can be mended; each is asked about
  homard doctor --fix --yes             the same without questions
  homard doctor --deep                  read every page of the database and every conversation
  homard doctor --only config --only port
  homard doctor --json --severity-min warn

Works without a gateway and with a broken configuration. What --fix changes is kept in the folder
doctor/ of the state folder first.

Exit codes: 0 nothing worse than a warning, 1 something is wrong, 2 the command was not understood.";

/// Find out what is wrong, and mend it
///
/// Looks at settings, permissions, ports, locks, databases, conversations, keys, models, chat platforms, the
/// service, disk and clock. Without --fix nothing is written.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
pub(crate) struct DoctorArgs {
    /// Mend what can be mended
    #[arg(long, visible_alias = "repair")]
    fix: bool,
    /// Say yes to every question of --fix
    #[arg(long, requires = "fix")]
    yes: bool,
    /// Ask nothing; --fix then does only what loses nothing
    #[arg(long)]
    non_interactive: bool,
    /// Read every page of the databases and every line of the conversations
    #[arg(long)]
    deep: bool,
    /// Only this check; may be given several times
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    /// Not this check; may be given several times
    #[arg(long, value_name = "ID")]
    skip: Vec<String>,
    /// Tell only what is at least as bad
    #[arg(long, value_name = "SEVERITY", value_parser = ["info", "warn", "error"])]
    severity_min: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When something is wrong that is worse than a warning.
pub(crate) async fn run(cx: &Cx, args: DoctorArgs) -> anyhow::Result<()> {
    let severity_min = args.severity_min.as_deref().map(|word| match word {
        "info" => Severity::Info,
        "warn" => Severity::Warn,
        _error => Severity::Error,
    });
    let manner = ExaminationOptions {
        table: DOCTOR,
        selection: Selection { only: args.only, skip: args.skip, severity_min },
        depth: if args.deep { Depth::Deep } else { Depth::Quick },
        json: args.json,
        fix: args.fix,
        consent: match args.yes {
            true => Consent::Everything,
            false if args.non_interactive => Consent::OnlyHarmless,
            false => Consent::Ask,
        },
        face: ExaminationKind::Doctor,
    };
    examination::run(cx, &manner).await
}
