//! `homard skills install`: a skill from a folder of this machine, or from a git repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use homard_exec::{BuiltEnv, Command, Exit, Limits};
use homard_protocol::AgentId;
use homard_runtime::CollectOrdered as _;
use homard_skills::{TakeInError, load, take_in};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::commands::Cx;
use crate::report::{Advice, Mark};

/// How long git may take.
const GIT_PATIENCE: Duration = Duration::from_secs(300);
/// How much of what it says is kept.
const MAX_SAID: usize = 8_192;
/// How addresses of repositories begin.
const ADDRESSES: [&str; 5] = ["https://", "http://", "ssh://", "git://", "git@"];

const EXAMPLES: &str = "\
Examples:
  homard skills install ./weather                      for all agents
  homard skills install ./weather --agent work         into that agent's workspace
  homard skills install https://git.example.com/me/weather.git
  homard skills install ./weather --force              in place of the one that is there

Read a skill before you install it: agents do what it says. Nothing of it is run by installing it, and the programs it
needs are not installed (`homard skills info NAME` names them).";

/// Install a skill from a folder or a git repository
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct InstallArgs {
    /// The folder with its SKILL.md, or the address of a git repository with one
    #[arg(value_name = "PATH|GIT")]
    from: String,
    /// Only for this agent, in its workspace
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// For all agents (the default)
    #[arg(long, conflicts_with = "agent")]
    global: bool,
    /// Which branch or tag of a repository
    #[arg(long, value_name = "NAME")]
    version: Option<String>,
    /// Replace one of that name
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(cx: &Cx, args: InstallArgs) -> anyhow::Result<()> {
    let into = match &args.agent {
        Some(id) => super::named(&cx.config()?.agents.list, id)?.workspace.join("skills"),
        None => load::managed_dir(&cx.source.paths),
    };
    let is_git = ADDRESSES.iter().any(|head| args.from.starts_with(head));
    // Dropped, and with it everything in it, when the skill is taken in.
    let checkout = if is_git { Some(clone(cx, &args).await?) } else { None };
    let from = match &checkout {
        Some(folder) => folder.path().join("skill"),
        None => cx.source.paths.expand(&args.from),
    };
    let called = args.from.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    let called = if is_git { called.to_owned() } else { folder_name(&from) };
    let taken = take_in(&from, &into, &called, args.force).map_err(|error| explained(&error))?;
    if args.json {
        return Ok(cx.console.json(&json!({"ok": true, "name": taken.name, "path": taken.dir}))?);
    }
    let said = format!("{} is in {}", taken.name, taken.dir.display());
    cx.console.line(&cx.console.mark(Mark::Good, &said))?;
    cx.console.note(&format!("`homard skills info {}` says whether it works here", taken.name));
    Ok(())
}

fn folder_name(path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_missing| path.to_owned());
    real.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn explained(error: &TakeInError) -> anyhow::Error {
    let hint = match error {
        TakeInError::NoSkill(_) => {
            "name the folder that has the SKILL.md; there is no registry of skills to install from by name"
        }
        TakeInError::Taken(_) => "replace it with --force",
        TakeInError::Unreadable { .. } => {
            "it needs a head with `name` and `description` between two lines of ---"
        }
        TakeInError::TooLarge | TakeInError::Link(_) => {
            "copy what belongs to the skill into a folder of its own"
        }
        TakeInError::Io { .. } => "the folder must be yours, and the disk not full",
    };
    let cause = std::error::Error::source(error).filter(|_| matches!(error, TakeInError::Io { .. }));
    let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
    Advice::error(format!("{error}{cause}"), hint)
}

/// A fresh copy of a repository, without its history.
async fn clone(cx: &Cx, args: &InstallArgs) -> anyhow::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let to: PathBuf = folder.path().join("skill");
    let to = to.display().to_string();
    let mut words = vec!["clone", "--quiet", "--depth", "1"];
    if let Some(version) = &args.version {
        words.extend(["--branch", version.as_str()]);
    }
    words.extend(["--", args.from.as_str(), to.as_str()]);
    let base: BTreeMap<String, String> =
        cx.source.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect_map();
    // Nobody sits there to type a password into a command that waits for one.
    let env = BuiltEnv::from_base(&base).with_explicit("GIT_TERMINAL_PROMPT", "0")?;
    let command = Command::direct("git", &words, folder.path(), env);
    let limits = Limits { timeout: GIT_PATIENCE, max_output_bytes: MAX_SAID };
    let ran = homard_exec::run(command, limits, |_said| {}, &CancellationToken::new()).await;
    let ran = ran
        .map_err(|error| Advice::error(error.to_string(), "install git, or name a folder of this machine"))?;
    if ran.exit == Exit::Exited(0) {
        return Ok(folder);
    }
    Err(Advice::error(
        format!("git could not fetch it: {}", ran.output.trim()),
        "check the address, and that git may read it without a password",
    ))
}
