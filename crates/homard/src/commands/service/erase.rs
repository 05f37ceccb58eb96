//! `homard reset` and `homard uninstall`: taking away what is kept.

use std::path::PathBuf;

use clap::Args;
use homard_backup::{Erase, EraseScope};
use homard_runtime::visible;
use serde_json::json;

use super::backup::{hold, refuse_while_running};
use super::daemon;
use crate::commands::{Cx, terminal};
use crate::report::{Advice, Mark};

const RESET_EXAMPLES: &str = "\
Examples:
  homard backup create                              first, to have a way back
  homard reset --scope config --dry-run             see what would go
  homard reset --scope config+creds+sessions
  homard reset --scope full --yes --non-interactive

Scopes:
  config                  the settings and the copies of them
  config+creds+sessions   also keys, logins, paired devices, conversations, jobs and the memory index
  full                    the whole state folder and every workspace

Exit codes: 0 done, 1 not done, 2 the command was not understood.";

const UNINSTALL_EXAMPLES: &str = "\
Examples:
  homard uninstall --service                        the service alone; everything else stays
  homard uninstall --all --dry-run                  see what would go
  homard uninstall --service --state                keep the workspaces
  homard uninstall --all --yes

The program itself is removed the way it was installed; the command says where it lies.

Exit codes: 0 done, 1 not done, 2 the command was not understood.";

/// What can be taken away, as it is typed, with words about it.
const SCOPES: [(&str, &str); 3] = [
    ("config", "the settings"),
    ("config+creds+sessions", "also keys, logins and conversations"),
    ("full", "everything, workspaces too"),
];

/// Begin anew: take settings, keys, conversations or everything away
#[derive(Args)]
#[command(after_help = RESET_EXAMPLES)]
pub(crate) struct ResetArgs {
    /// How much to take away
    #[arg(long, value_parser = ["config", "config+creds+sessions", "full"])]
    scope: Option<String>,
    #[command(flatten)]
    consent: ConsentArgs,
}

/// Remove the service, what Homard keeps, or both
#[derive(Args)]
#[command(after_help = UNINSTALL_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
pub(crate) struct UninstallArgs {
    /// The service that starts the gateway
    #[arg(long)]
    service: bool,
    /// Settings, keys, conversations: the state folder without workspaces
    #[arg(long)]
    state: bool,
    /// The agents' workspaces
    #[arg(long)]
    workspace: bool,
    /// All of it
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    consent: ConsentArgs,
}

/// How it is agreed to.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
struct ConsentArgs {
    /// Say what would go, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Never ask; needs --yes to do anything
    #[arg(long)]
    non_interactive: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `homard reset`.
///
/// # Errors
/// When it was not agreed to, a gateway runs, or something cannot be removed.
pub(crate) fn reset(cx: &Cx, args: ResetArgs) -> anyhow::Result<()> {
    let word = match args.scope {
        Some(word) => word,
        None if terminal::is_manned() && !args.consent.non_interactive => {
            terminal::choose(cx.console, "What shall go?", &SCOPES)?.to_owned()
        }
        None => {
            return Err(Advice::usage(
                "it is not said what to take away",
                "homard reset --scope config --dry-run",
            ));
        }
    };
    let scope = match word.as_str() {
        "config" => EraseScope::Config,
        "config+creds+sessions" => EraseScope::ConfigCredsSessions,
        _full => EraseScope::Full,
    };
    let plan = Erase::of(&cx.source, &cx.snapshot(), scope);
    if erase(cx, &[plan], &args.consent)? && !args.consent.json {
        cx.console.note("`homard gateway` begins anew.");
    }
    Ok(())
}

/// Runs `homard uninstall`.
///
/// # Errors
/// As [`reset`].
pub(crate) async fn uninstall(cx: &Cx, args: UninstallArgs) -> anyhow::Result<()> {
    if !(args.service || args.state || args.workspace || args.all) {
        return Err(Advice::usage("it is not said what to remove", "homard uninstall --all --dry-run"));
    }
    let snapshot = cx.snapshot();
    let mut plans = Vec::new();
    if args.all || (args.state && args.workspace) {
        plans.push(Erase::of(&cx.source, &snapshot, EraseScope::Full));
    } else if args.state {
        plans.push(Erase::of(&cx.source, &snapshot, EraseScope::State));
    } else if args.workspace {
        plans.push(Erase::workspaces(&cx.source, &snapshot));
    }
    if args.service || args.all {
        let is_installed = daemon::is_installed(cx)?;
        if !args.consent.json {
            match (is_installed, args.consent.dry_run) {
                (false, _) => cx.console.line("No service is installed.")?,
                (true, true) => cx.console.line("The service would be stopped and removed.")?,
                (true, false) => {}
            }
        }
        if is_installed && !args.consent.dry_run {
            agree(cx, "Stop and remove the service?", args.consent.given())?;
            daemon::uninstall(cx).await?;
            if !args.consent.json {
                cx.console.line("The service is removed.")?;
            }
        }
    }
    if !plans.is_empty() {
        erase(cx, &plans, &args.consent)?;
    }
    if let (Ok(program), false) = (std::env::current_exe(), args.consent.json) {
        cx.console.note(&format!("The program itself is {}.", program.display()));
    }
    Ok(())
}

/// Takes away what is planned, when it is agreed to. Tells whether it did.
fn erase(cx: &Cx, plans: &[Erase], consent: &ConsentArgs) -> anyhow::Result<bool> {
    let paths: Vec<PathBuf> = plans.iter().flat_map(|plan| plan.paths.clone()).collect();
    if paths.is_empty() {
        if consent.json {
            cx.console.json(&json!({"dryRun": consent.dry_run, "paths": paths}))?;
        } else {
            cx.console.line("There is nothing to take away.")?;
        }
        return Ok(false);
    }
    if !consent.json {
        let verb = if consent.dry_run { "would go" } else { "goes" };
        for path in &paths {
            cx.console.line(&visible(&format!("{verb}  {}", path.display())))?;
        }
    }
    if consent.dry_run {
        if consent.json {
            cx.console.json(&json!({"dryRun": true, "paths": paths}))?;
        } else {
            cx.console.line("Nothing was changed.")?;
        }
        return Ok(false);
    }
    refuse_while_running(cx)?;
    agree(cx, "Take this away for good? `homard backup create` makes a copy first.", consent.given())?;
    let lock = hold(cx)?;
    let stamp = cx.source.clock.now_ms().to_string();
    let done = plans.iter().try_for_each(|plan| plan.run(&cx.source, &stamp));
    if let Some(lock) = lock {
        lock.release();
    }
    done?;
    if consent.json {
        cx.console.json(&json!({"dryRun": false, "paths": paths}))?;
    } else {
        cx.console.line(&cx.console.mark(Mark::Good, "Done."))?;
    }
    Ok(true)
}

impl ConsentArgs {
    fn given(&self) -> Consent {
        match (self.yes, self.non_interactive) {
            (true, _) => Consent::Given,
            (false, true) => Consent::NotToBeAsked,
            (false, false) => Consent::Asked,
        }
    }
}

/// What the options say about whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    Given,
    /// Whoever sits there is asked.
    Asked,
    NotToBeAsked,
}

/// Asks, unless it was agreed to already.
pub(super) fn agree(cx: &Cx, question: &str, consent: Consent) -> anyhow::Result<()> {
    if consent == Consent::Given {
        return Ok(());
    }
    if consent == Consent::NotToBeAsked || !terminal::is_manned() {
        return Err(Advice::usage(
            "nobody can be asked whether to do this; nothing was changed",
            "add --yes, or see what would happen with --dry-run",
        ));
    }
    if terminal::confirm(cx.console, question)? {
        Ok(())
    } else {
        Err(Advice::error("nothing was changed", "it was not agreed to"))
    }
}
