//! `homard update`: a newer program takes the place of this one, and a gateway that runs hands over to it.
//!
//! In this order: the release is found and its signature checked; its program is staged beside this one and started once;
//! the gateway that runs lets it take over, from where it is staged; only then is this program replaced. Whatever fails,
//! or is killed, before the last step leaves everything as it was. Finding and checking is homard-update's.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::{Args, Subcommand};
use homard_config::config::update::UpdateChannel;
use homard_update::{
    FoundRelease, Keeper, ReleaseKey, Source, Staged, UpdateError, Version, Wanted, find, stage,
};
use rustix::process::Pid;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use super::erase::{Consent, agree};
use super::meter::Meter;
use crate::cli::{VERSION, words_of};
use crate::commands::Cx;
use crate::commands::gateway::{handover, running_gateway};
use crate::commands::table::pairs;
use crate::compose::handover::{HandoverOutcome, place_of};
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard update status                      what runs, and what there is
  homard update --dry-run                   see what would happen
  homard update                             after asking
  homard update --yes --channel beta
  homard update --tag 0.2.1                 this very version, also an older one
  homard update --from ~/Downloads/release  a folder with release.json and its archives

No release source is built in, because there is no public one yet. Name yours, and the key its releases are signed with:

  homard config set update.source https://downloads.example.com/homard/
  homard config set update.publicKey \"$(cat release-key.pub.pem)\"

The new program is checked (size, SHA-256, signature), staged beside this one and started once. A gateway that runs
hands over to it without refusing anybody, and goes on if the new one does not get ready; only then is this program
replaced. The one before stays beside it as `homard.previous`.

Exit codes: 0 done, or there is nothing newer; 1 not done, and nothing was changed; 2 the command was not understood.";

/// Seconds each step may take unless told otherwise.
const TIMEOUT: u64 = 1200;
/// The platform this program was built for.
const TARGET: Option<&str> = option_env!("HOMARD_TARGET");

/// Replace this program by a newer one, and let a running gateway hand over to it
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(subcommand)]
    command: Option<UpdateCommand>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand)]
enum UpdateCommand {
    /// See which program this is, who brings newer ones, and what the release source has
    Status(StatusArgs),
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
struct RunArgs {
    #[command(flatten)]
    wanted: WantedArgs,
    /// Say what would happen, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Replace the program and leave a gateway that runs as it is
    #[arg(long)]
    no_restart: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct StatusArgs {
    #[command(flatten)]
    wanted: WantedArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Which release, and from where.
#[derive(Args)]
struct WantedArgs {
    /// Which releases to look at; `update.channel` or stable otherwise
    #[arg(long, value_name = "CHANNEL", value_parser = words_of::<UpdateChannel>(&["stable", "extended-stable", "beta", "dev"]))]
    channel: Option<UpdateChannel>,
    /// This very version, such as 0.2.1, also when it is an older one
    #[arg(long, value_name = "VERSION", conflicts_with = "channel", value_parser = version_of)]
    tag: Option<Version>,
    /// Folder or https address that holds releases, instead of `update.source`
    #[arg(long, value_name = "PLACE")]
    from: Option<String>,
    /// Seconds each step may take
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

fn version_of(text: &str) -> Result<Version, String> {
    Version::parse(text.trim_start_matches('v')).map_err(|error| format!("{error}; write it like 0.2.1"))
}

/// Runs the command.
///
/// # Errors
/// When there is no release to be trusted, or it could not be put in place; everything is as it was then.
pub(crate) async fn run(cx: &Cx, args: UpdateArgs) -> anyhow::Result<()> {
    match args.command {
        Some(UpdateCommand::Status(args)) => status(cx, &args).await,
        None => update(cx, &args.run).await,
    }
}

async fn update(cx: &Cx, args: &RunArgs) -> anyhow::Result<()> {
    let program = this_program()?;
    if let Some(keeper) = Keeper::of(&program, Path::new("/")) {
        let words =
            format!("`{}` is kept by {}, which would put its own back", program.display(), keeper.name());
        return Err(Advice::error(words, keeper.advice()));
    }
    let found = look(cx, &args.wanted).await?;
    let ours = ours()?;
    let there = &found.release.version;
    if args.wanted.tag.is_none() && *there <= ours {
        return tell(cx, args, &Outcome { status: "current", ..Outcome::of(&found, &program) });
    }
    found.release.build_for(target()?)?;
    if args.dry_run {
        return tell(cx, args, &Outcome { status: "would-update", ..Outcome::of(&found, &program) });
    }
    let question = format!("Replace {} ({ours}) by {there} from {}?", program.display(), found.place);
    agree(cx, &question, if args.yes { Consent::Given } else { Consent::Asked })?;
    let staged = prepare(&found, &program, args).await?;
    // From here on a Ctrl-C would leave a gateway of one version and a program of another.
    let _deaf = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    let gateway = hand_over(cx, &staged, &program, args).await?;
    let previous = staged.install(&program)?;
    tell(cx, args, &Outcome { status: "updated", gateway, previous, ..Outcome::of(&found, &program) })
}

fn this_program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("this program does not know where it lies")
}

fn ours() -> anyhow::Result<Version> {
    Version::parse(env!("CARGO_PKG_VERSION")).context("this program does not know its version")
}

fn target() -> anyhow::Result<&'static str> {
    TARGET.context("this program does not know which platform it was built for")
}

/// Finds the release that is asked for.
async fn look(cx: &Cx, args: &WantedArgs) -> anyhow::Result<FoundRelease> {
    let config = cx.config()?;
    let place = args.from.as_ref().or(config.update.source.as_ref()).ok_or_else(|| {
        Advice::error(
            "it is not set where newer programs come from, and there is no public place yet",
            "homard config set update.source https://…, or name a folder or an address with --from",
        )
    })?;
    let source = Source::parse(place)?;
    let key = config.update.public_key.as_deref().map(ReleaseKey::parse).transpose()?;
    let channel = args.channel.unwrap_or(config.update.channel).word().to_owned();
    let wanted = Wanted { channel, version: args.tag.clone() };
    in_time(args, "looking for a release", find(&source, &wanted, key.as_ref())).await
}

async fn in_time<T>(
    args: &WantedArgs,
    what: &str,
    step: impl Future<Output = Result<T, UpdateError>>,
) -> anyhow::Result<T> {
    let done = tokio::time::timeout(Duration::from_secs(args.timeout), step).await;
    Ok(done.map_err(|_elapsed| UpdateError::Slow { what: what.to_owned() })??)
}

/// Downloads, checks and starts once.
async fn prepare(found: &FoundRelease, program: &Path, args: &RunArgs) -> anyhow::Result<Staged> {
    let mut meter = Meter::new("downloaded", args.json);
    let mut show = |done, all| meter.show(done, all);
    let staging = stage(found, target()?, program, &mut show);
    let staged = in_time(&args.wanted, "downloading", staging).await?;
    meter.end();
    staged.check().await?;
    Ok(staged)
}

/// What becomes of the gateway that runs. It takes over from where the program is staged; nothing is replaced if it does
/// not get ready.
async fn hand_over(
    cx: &Cx,
    staged: &Staged,
    program: &Path,
    args: &RunArgs,
) -> anyhow::Result<GatewayOutcome> {
    let Some(pid) = running_gateway(cx) else { return Ok(GatewayOutcome::None) };
    if args.no_restart {
        return Ok(GatewayOutcome::Left("--no-restart"));
    }
    if !runs(pid, program) {
        return Ok(GatewayOutcome::Left("it is another program than this one"));
    }
    // Runs under way end first.
    let patience = Duration::from_secs(args.wanted.timeout);
    let outcome = handover::ask_for(cx, pid, staged.path().to_owned(), patience).await?;
    match outcome {
        HandoverOutcome { successor: Some(heir), gap_ms, .. } => {
            Ok(GatewayOutcome::HandedOver { pid: heir.pid, gap_ms: gap_ms.unwrap_or_default() })
        }
        HandoverOutcome { error, .. } => {
            let why = error.unwrap_or_else(|| "no reason given".to_owned());
            Err(Advice::error(
                format!("the gateway does not get ready with the new program, so the old one goes on: {why}"),
                "nothing was replaced; `homard logs` has more. --no-restart replaces the program all the same",
            ))
        }
    }
}

/// Whether a process runs this program, also one that was replaced under it. Where the system does not tell, it does.
fn runs(pid: Pid, program: &Path) -> bool {
    let link = format!("/proc/{}/exe", pid.as_raw_nonzero());
    let Ok(running) = std::fs::read_link(link) else { return true };
    place_of(&running) == program
}

/// What became of the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
enum GatewayOutcome {
    None,
    /// It goes on as it was, and why.
    Left(&'static str),
    HandedOver {
        pid: u32,
        gap_ms: u64,
    },
}

/// What was done, or would be.
struct Outcome<'a> {
    status: &'static str,
    found: &'a FoundRelease,
    program: &'a Path,
    gateway: GatewayOutcome,
    previous: Option<PathBuf>,
}

impl<'a> Outcome<'a> {
    fn of(found: &'a FoundRelease, program: &'a Path) -> Self {
        Self { status: "", found, program, gateway: GatewayOutcome::None, previous: None }
    }

    fn json(&self) -> Value {
        let FoundRelease { release, place, is_signed, .. } = self.found;
        let gateway = match &self.gateway {
            GatewayOutcome::None => json!({ "state": "none" }),
            GatewayOutcome::Left(why) => json!({ "state": "left", "why": why }),
            GatewayOutcome::HandedOver { pid, gap_ms } => {
                json!({ "state": "handed-over", "pid": pid, "gapMs": gap_ms })
            }
        };
        json!({
            "status": self.status, "from": env!("CARGO_PKG_VERSION"), "to": release.version.to_string(),
            "commit": release.commit, "channel": release.channel, "place": place, "signed": is_signed,
            "program": self.program, "previous": self.previous, "gateway": gateway,
        })
    }
}

fn tell(cx: &Cx, args: &RunArgs, outcome: &Outcome<'_>) -> anyhow::Result<()> {
    if args.json {
        return Ok(cx.console.json(&outcome.json())?);
    }
    let FoundRelease { release, place, is_signed, .. } = outcome.found;
    let (ours, there) = (env!("CARGO_PKG_VERSION"), &release.version);
    match outcome.status {
        "current" => {
            let words =
                format!("{ours} is up to date: the newest of `{}` at {place} is {there}.", release.channel);
            return Ok(cx.console.line(&words)?);
        }
        "would-update" => {
            cx.console.line(&format!("{} would become {there} from {place}.", outcome.program.display()))?;
            return Ok(cx.console.line("Nothing was changed.")?);
        }
        _updated => {}
    }
    let words = format!("{} is {there} now.", outcome.program.display());
    cx.console.line(&cx.console.mark(Mark::Good, &words))?;
    match &outcome.gateway {
        GatewayOutcome::None => {}
        GatewayOutcome::Left(why) => {
            cx.console.line(&format!(
                "The gateway that runs goes on as it was ({why}); `homard gateway handover` takes the new program."
            ))?;
        }
        GatewayOutcome::HandedOver { pid, gap_ms } => {
            cx.console.line(&format!(
                "The gateway (process {pid}) runs it already; new connections waited {gap_ms} ms."
            ))?;
        }
    }
    if let Some(previous) = &outcome.previous {
        cx.console.note(&format!("The program before is {}.", previous.display()));
    }
    if !is_signed {
        cx.console.note("The release was not signed; it came from a folder of this machine.");
    }
    Ok(())
}

/// `homard update status`: what is here, and what the source has. Without a source, or without an answer, the rest is
/// told all the same.
async fn status(cx: &Cx, args: &StatusArgs) -> anyhow::Result<()> {
    let program = this_program()?;
    let keeper = Keeper::of(&program, Path::new("/"));
    let settings = cx.config().ok();
    let set = settings.as_ref().map(|config| &config.update);
    let source = args.wanted.from.clone().or_else(|| set.and_then(|set| set.source.clone()));
    let channel = args.wanted.channel.or_else(|| set.map(|set| set.channel)).unwrap_or_default();
    let has_key = set.is_some_and(|set| set.public_key.is_some());
    let looked = look(cx, &args.wanted).await;
    let newest = looked.as_ref().ok().map(|found| &found.release.version);
    let is_newer = newest.map(|newest| ours().is_ok_and(|ours| *newest > ours));
    let problem = looked.as_ref().err().map(|error| format!("{error:#}"));
    if args.json {
        return Ok(cx.console.json(&json!({
            "version": env!("CARGO_PKG_VERSION"), "build": VERSION, "target": TARGET, "program": program,
            "installedBy": keeper.map(Keeper::name), "channel": channel.word(), "source": source, "publicKey": has_key,
            "available": newest.map(ToString::to_string), "updateAvailable": is_newer, "error": problem,
        }))?);
    }
    let there = match (&looked, is_newer) {
        (Ok(found), Some(true)) => format!("{}, newer than this one", found.release.version),
        (Ok(found), _) => format!("{}, not newer than this one", found.release.version),
        (Err(_), _) => format!("not known: {}", problem.unwrap_or_default()),
    };
    let yes_no = |is: bool| if is { "set" } else { "not set" }.to_owned();
    for line in pairs(&[
        ("version", VERSION.to_owned()),
        ("program", program.display().to_string()),
        ("newer ones", keeper.map_or("by `homard update`", Keeper::advice).to_owned()),
        ("channel", channel.word().to_owned()),
        ("source", source.unwrap_or_else(|| "not set, and none is built in".to_owned())),
        ("key", yes_no(has_key)),
        ("there is", there),
    ]) {
        cx.console.line(&line)?;
    }
    Ok(())
}
