//! `homard migrate`: takes over what another program kept.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use homard_migrate::{Fate, Home, Item, Kind, Migration, Options, OurHome, Report};
use homard_protocol::methods::config::wizard::WizardStepKind;
use homard_runtime::{replace_private, visible};
use serde_json::json;

use super::prompt::Prompt;
use crate::commands::{Cx, terminal, words};
use crate::compose::lock::{self, Holder};
use crate::compose::wizard::answers::{blank, say};
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard migrate openclaw                 show the plan, ask, take over
  homard migrate plan openclaw            only show what would be taken, changed and left
  homard migrate apply openclaw --yes --include-secrets
  homard migrate openclaw --from /mnt/old/.openclaw --dry-run --json
  homard migrate list                     which homes are on this machine?

The other home is only read. What is here already stays unless --overwrite is given; then it is put aside.";

/// Take over what OpenClaw kept: settings, conversations, jobs, workspace
///
/// Reads a home of OpenClaw, of files or of databases, and names every file and setting with what becomes of it. Nothing is
/// written to that home, and nothing here before you agree. It can be repeated: what arrived is not taken twice.
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct MigrateArgs {
    #[command(subcommand)]
    command: Option<MigrateCommand>,
    #[command(flatten)]
    what: Option<WhatArgs>,
}

#[derive(Subcommand)]
enum MigrateCommand {
    /// List the homes that are on this machine
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what would become of everything
    Plan(WhatArgs),
    /// Take it over
    Apply(WhatArgs),
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "options are what they are")]
struct WhatArgs {
    /// Whose home
    #[arg(value_name = "PROGRAM")]
    program: Program,
    /// Where it is, if not in its usual place
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Only show what would become of everything
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing
    #[arg(long)]
    yes: bool,
    /// Take keys and tokens, too
    #[arg(long)]
    include_secrets: bool,
    /// Replace what is here already; it is put aside
    #[arg(long)]
    overwrite: bool,
    /// Name every single thing
    #[arg(long, visible_alias = "verbose")]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Program {
    Openclaw,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MigrateChoice {
    Plan,
    Apply,
    /// Show it, ask, and do it.
    Ask,
}

/// Runs the command.
///
/// # Errors
/// When there is no such home, a gateway runs here, or something cannot be written.
pub(crate) fn run(cx: &Cx, args: &MigrateArgs) -> anyhow::Result<()> {
    match (&args.command, &args.what) {
        (Some(MigrateCommand::List { json }), _) => list(cx, *json),
        (Some(MigrateCommand::Plan(what)), _) => migrate(cx, what, MigrateChoice::Plan),
        (Some(MigrateCommand::Apply(what)), _) => migrate(cx, what, MigrateChoice::Apply),
        (None, Some(what)) => migrate(cx, what, MigrateChoice::Ask),
        (None, None) => Err(Advice::usage("whose home?", "homard migrate openclaw")),
    }
}

fn list(cx: &Cx, as_json: bool) -> anyhow::Result<()> {
    let paths = &cx.source.paths;
    let found = Home::find(&paths.home, &paths.state_dir);
    if as_json {
        let homes: Vec<_> = found
            .iter()
            .map(|home| json!({"program": "openclaw", "dir": home.dir, "era": home.era}))
            .collect();
        return Ok(cx.console.json(&json!({"homes": homes}))?);
    }
    match found {
        Some(home) => Ok(cx.console.line(&format!("openclaw  {}", home.dir.display()))?),
        None => Ok(cx.console.line("no home of another program was found; --from says where one is")?),
    }
}

fn open(cx: &Cx, from: Option<&Path>) -> anyhow::Result<Home> {
    let paths = &cx.source.paths;
    match from {
        Some(dir) => Ok(Home::open(&paths.expand(&dir.to_string_lossy()), &paths.state_dir)?),
        None => Home::find(&paths.home, &paths.state_dir).ok_or_else(|| {
            Advice::error(
                format!("there is no OpenClaw home below {}", paths.home.display()),
                "say where it is: homard migrate openclaw --from DIR",
            )
        }),
    }
}

fn migrate(cx: &Cx, args: &WhatArgs, wish: MigrateChoice) -> anyhow::Result<()> {
    let Program::Openclaw = args.program;
    let home = open(cx, args.from.as_deref())?;
    let only_shown = wish == MigrateChoice::Plan || args.dry_run;
    let asks = wish == MigrateChoice::Ask && !args.yes && !only_shown && terminal::is_manned();
    let secrets = args.include_secrets
        || (asks
            && terminal::confirm(
                cx.console,
                "Take its keys and tokens, too? Without them you need new ones.",
            )?);
    let options = Options { secrets, overwrite: args.overwrite };
    let plan = Migration::look(&home, OurHome::of(&cx.source), options);
    if only_shown && args.json {
        return Ok(cx.console.json(&json!({"applied": false, "report": plan.report()}))?);
    }
    if !args.json {
        tell(cx, plan.report(), args.all)?;
    }
    if only_shown || plan.is_empty() {
        let words = if plan.is_empty() { "there is nothing to take over" } else { "nothing was written" };
        cx.console.note(words);
        return Ok(());
    }
    if wish == MigrateChoice::Ask && !args.yes {
        if !asks {
            return Err(Advice::usage(
                "nobody can be asked whether to do it",
                "homard migrate apply openclaw --yes",
            ));
        }
        if !terminal::confirm(cx.console, "Take it over?")? {
            cx.console.note("nothing was changed");
            return Ok(());
        }
    }
    let report = apply(cx, plan)?;
    if args.json {
        return Ok(cx.console.json(&json!({"applied": true, "report": report}))?);
    }
    Ok(())
}

/// Takes a home over without asking, for `homard onboard --import-from`.
pub(super) fn take_over(cx: &Cx, from: Option<&Path>, secrets: bool) -> anyhow::Result<()> {
    let home = open(cx, from)?;
    let plan = Migration::look(&home, OurHome::of(&cx.source), Options { secrets, overwrite: false });
    if plan.is_empty() {
        return Ok(());
    }
    apply(cx, plan).map(drop)
}

/// Shows a person the plan and takes over what they agree to; tells whether they did.
pub(super) fn with_a_person(cx: &Cx, prompt: &Prompt) -> anyhow::Result<bool> {
    let home = open(cx, None)?;
    let mut step = blank("secrets");
    step.kind = WizardStepKind::Confirm;
    say(&mut step, "OpenClaw", "Take its keys and tokens, too? Without them you are asked for new ones.");
    step.initial_value = Some(json!(true));
    let secrets = prompt.ask(&step, None)? == json!(true);
    let plan = Migration::look(&home, OurHome::of(&cx.source), Options { secrets, overwrite: false });
    prompt.say("Plan", &summary(plan.report()).join("\n"));
    let mut step = blank("migrate");
    step.kind = WizardStepKind::Confirm;
    say(&mut step, "OpenClaw", "`homard migrate plan openclaw --all` names everything. Take it over now?");
    step.initial_value = Some(json!(true));
    if plan.is_empty() || prompt.ask(&step, None)? != json!(true) {
        return Ok(false);
    }
    apply(cx, plan)?;
    Ok(true)
}

fn apply(cx: &Cx, plan: Migration) -> anyhow::Result<Report> {
    let paths = &cx.source.paths;
    if matches!(lock::holder(&paths.lock_file()), Holder::Process(_)) {
        return Err(Advice::error("a gateway runs on these files", "stop it first: homard gateway stop"));
    }
    let now = cx.source.clock.now_rfc3339().replace(':', "-");
    let aside = paths.state_dir.with_extension(format!("replaced-{now}"));
    let report = plan.apply(&aside)?;
    let kept = paths.logs_dir().join(format!("migration-{now}.json"));
    replace_private(&kept, serde_json::to_string_pretty(&report)?.as_bytes())?;
    let done = format!("taken over; {} says what became of everything", kept.display());
    cx.console.note(&cx.console.mark(Mark::Good, &done));
    if aside.exists() {
        cx.console.note(&format!("what was replaced is in {}", aside.display()));
    }
    Ok(report)
}

/// A line for each fate.
fn summary(report: &Report) -> Vec<String> {
    let of = |fate: Fate| {
        let count =
            |kind: Kind| report.items.iter().filter(|item| item.fate == fate && item.kind == kind).count();
        let (keys, files) = (count(Kind::Key), count(Kind::File) + count(Kind::Table));
        let files_told =
            if files == 1 { "1 file or table".to_owned() } else { format!("{files} files and tables") };
        let keys_told = words::count(u64::try_from(keys).unwrap_or(u64::MAX), "setting");
        (keys + files > 0).then(|| format!("{}: {files_told}, {keys_told}", fate.as_str()))
    };
    [Fate::Taken, Fate::Changed, Fate::Left, Fate::Failed].into_iter().filter_map(of).collect()
}

fn tell(cx: &Cx, report: &Report, all: bool) -> anyhow::Result<()> {
    cx.console.line(&format!("from {}\nto   {}\n", report.from.display(), report.to.display()))?;
    // Settings that are simply taken are many, and say nothing new.
    let is_shown = |item: &&Item| all || item.kind != Kind::Key || item.fate != Fate::Taken;
    for item in report.items.iter().filter(is_shown) {
        let mark = match item.fate {
            Fate::Taken | Fate::Changed => Mark::Good,
            Fate::Left => Mark::Warning,
            Fate::Failed => Mark::Bad,
        };
        let why = if item.why.is_empty() { String::new() } else { format!("  ({})", item.why) };
        let word = cx.console.mark(mark, &format!("{:<8}", item.fate.as_str()));
        // Names of files and settings are another program's words.
        cx.console.line(&format!("{word} {}", visible(&format!("{}{why}", item.what))))?;
    }
    cx.console.line("")?;
    for line in summary(report) {
        cx.console.line(&line)?;
    }
    Ok(())
}
