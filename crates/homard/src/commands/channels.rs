//! `homard channels`: accounts on chat platforms. `add` writes the configuration, `show` puts accounts into words.

mod add;
mod show;

use std::time::Duration;

use clap::{Args, Subcommand};
use homard_channels::{ENTRIES, entry};
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::methods::channels::accounts::{
    AccountParams, ChannelsLogout, ChannelsStart, ChannelsStop,
};
use homard_protocol::methods::channels::dead_letters::{ChannelsDeadLetters, DeadLettersParams};
use homard_protocol::methods::channels::{ChannelsStatus, ChannelsStatusParams, ChannelsStatusResult};
use homard_protocol::methods::system::{LogsTail, LogsTailParams};
use serde_json::{Value, json};

use super::Cx;
use super::connection::{self, ConnectArgs};
use super::talk::directory::{self, Known, KnownKind};
use crate::logging::line::{Line, LineStyle};
use crate::report::{Advice, AlreadyTold, Mark};

/// How long platforms may take to say who we are.
const PROBE_MS: u64 = 15_000;
/// Lines of the log that are looked through.
const LOG_LINES: u32 = 5_000;

const EXAMPLES: &str = "\
Examples:
  homard channels add --channel telegram            asks for the token without showing it
  homard channels add --channel irc --set host=irc.libera.chat --set nick=homard --set channels=#home
  homard channels status --probe                    ask the platforms who we are there
  homard channels stop telegram && homard channels start telegram
  homard channels remove telegram                   turn it off; --delete forgets its settings
  homard channels logout telegram                   forget the credentials
  homard channels resolve family --channel telegram
  homard channels logs telegram";

/// Connect to chat platforms and see how the accounts there are
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ChannelsArgs {
    #[command(subcommand)]
    command: Option<ChannelsCommand>,
}

#[derive(Subcommand)]
enum ChannelsCommand {
    /// Which platforms there are, and which are set up
    List(ListArgs),
    /// How the accounts are
    Status(StatusArgs),
    /// Set an account up
    #[command(after_help = EXAMPLES)]
    Add(add::AddArgs),
    /// Take an account out of use
    Remove(add::RemoveArgs),
    /// Listen to an account again
    Start(OneArgs),
    /// Listen to an account no more, until it is started again
    Stop(OneArgs),
    /// Stop an account and forget its credentials
    Logout(OneArgs),
    /// Find the ids of people and groups by what they are called
    Resolve(ResolveArgs),
    /// What accounts can do there
    Capabilities(StatusArgs),
    /// What the log says about platforms
    Logs(LogsArgs),
    /// What could not be delivered
    DeadLetters(DeadArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Those that are not set up, too
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct StatusArgs {
    /// Ask the platforms
    #[arg(long)]
    probe: bool,
    /// Only this platform
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct OneArgs {
    /// The platform
    #[arg(value_name = "CHANNEL", required_unless_present = "named")]
    channel: Option<String>,
    /// The platform, as an option
    #[arg(long = "channel", value_name = "CHANNEL", conflicts_with = "channel", id = "named")]
    named: Option<String>,
    /// Which account; the usual one otherwise
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct ResolveArgs {
    /// What they are called, or a part of it
    #[arg(required = true, value_name = "NAMES", allow_negative_numbers = true)]
    names: Vec<String>,
    /// Only on this platform
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,
    /// What is meant; groups and channels are one here
    #[arg(long, default_value = "auto", value_parser = ["auto", "user", "group", "channel"])]
    kind: String,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct LogsArgs {
    /// Only this platform
    #[arg(value_name = "CHANNEL")]
    channel: Option<String>,
    /// The platform, as an option
    #[arg(long = "channel", value_name = "CHANNEL", conflicts_with = "channel", id = "named")]
    named: Option<String>,
    /// How many lines
    #[arg(long, value_name = "N", default_value_t = 200)]
    lines: usize,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct DeadArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, no such platform, or the configuration cannot be written.
pub(crate) async fn run(cx: &Cx, args: ChannelsArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(cx, &ListArgs { all: true, json: false }),
        Some(ChannelsCommand::List(args)) => list(cx, &args),
        Some(ChannelsCommand::Status(args)) => status(cx, &args).await,
        Some(ChannelsCommand::Add(args)) => add::add(cx, args).await,
        Some(ChannelsCommand::Remove(args)) => add::remove(cx, &args),
        Some(ChannelsCommand::Start(args)) => start(cx, &args).await,
        Some(ChannelsCommand::Stop(args)) => stop(cx, &args).await,
        Some(ChannelsCommand::Logout(args)) => logout(cx, &args).await,
        Some(ChannelsCommand::Resolve(args)) => resolve(cx, &args).await,
        Some(ChannelsCommand::Capabilities(args)) => capabilities(cx, &args).await,
        Some(ChannelsCommand::Logs(args)) => logs(cx, args).await,
        Some(ChannelsCommand::DeadLetters(args)) => dead_letters(cx, &args).await,
    }
}

/// The platform a person means.
pub(crate) fn platform(name: &str) -> anyhow::Result<&'static homard_channels::ChannelEntry> {
    let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.id).collect();
    entry(name).ok_or_else(|| {
        Advice::error(format!("there is no platform `{name}`"), format!("known: {}", known.join(", ")))
    })
}

fn list(cx: &Cx, args: &ListArgs) -> anyhow::Result<()> {
    let config = cx.config()?;
    let known = config.view::<ChannelAccounts>();
    let rows: Vec<Value> = ENTRIES
        .iter()
        .map(|entry| {
            let id = homard_protocol::ChannelId::parse(entry.id).ok();
            let written: Vec<_> = id.iter().flat_map(|id| known.of_platform(id)).collect();
            let is_set_up = |section: &Value| (entry.is_configured)(section, &config.env);
            let is_set_up = is_set_up(&Value::Null)
                || written.iter().any(|(_, account)| is_set_up(&Value::Object(account.section.clone())));
            let accounts: Vec<_> = written.iter().map(|(id, _)| id).collect();
            json!({
                "id": entry.id, "label": entry.label, "summary": entry.summary,
                "configured": is_set_up, "accounts": accounts,
            })
        })
        .filter(|row| args.all || row.get("configured") == Some(&Value::Bool(true)))
        .collect();
    if args.json {
        return Ok(cx.console.json(&json!({"channels": rows}))?);
    }
    if rows.is_empty() {
        return Ok(cx.console.line("no platform is set up; `homard channels list --all` shows what there is, `homard channels add` sets one up")?);
    }
    for line in show::platforms(&rows) {
        cx.console.line(&line)?;
    }
    Ok(())
}

async fn asked(cx: &Cx, args: &StatusArgs, probe: bool) -> anyhow::Result<ChannelsStatusResult> {
    let channel = args.channel.as_deref().map(platform).transpose()?.map(|entry| entry.id.to_owned());
    let limit = args.reach.patience.limit();
    // The gateway waits for the platforms, and we for the gateway.
    let wait = if probe { limit.max(Duration::from_millis(PROBE_MS)) } else { limit };
    let client = connection::connect(cx, &args.reach.target, wait).await?;
    let params =
        ChannelsStatusParams { probe: probe.then_some(true), timeout_ms: probe.then_some(PROBE_MS), channel };
    let status = client.call::<ChannelsStatus>(&params).await?;
    client.close().await;
    Ok(status)
}

async fn status(cx: &Cx, args: &StatusArgs) -> anyhow::Result<()> {
    let status = asked(cx, args, args.probe).await?;
    if args.reach.json {
        return Ok(cx.console.json(&status)?);
    }
    for line in show::accounts(&status) {
        cx.console.line(&line)?;
    }
    for issue in &status.status_issues {
        cx.console.warn(&show::issue(issue));
    }
    Ok(())
}

/// Looks names up among those who were heard and those the settings name; ends badly when one is nobody's.
async fn resolve(cx: &Cx, args: &ResolveArgs) -> anyhow::Result<()> {
    let channel = args.channel.as_deref().map(platform).transpose()?.map(|entry| entry.id);
    let client = args.reach.connect(cx).await?;
    let kinds: &[KnownKind] = match args.kind.as_str() {
        "user" => &[KnownKind::Person],
        "auto" => &[KnownKind::Person, KnownKind::Group],
        _ => &[KnownKind::Group],
    };
    let mut known = Vec::new();
    for kind in kinds {
        known.extend(directory::known(cx, &client, *kind, None).await?);
    }
    client.close().await;
    known.retain(|one| channel.is_none_or(|channel| one.channel == channel));
    let found: Vec<(&String, Vec<&Known>)> =
        args.names.iter().map(|name| (name, directory::named_like(&known, name))).collect();
    let is_whole = found.iter().all(|(_, found)| !found.is_empty());
    if args.reach.json {
        let rows: Vec<Value> = found
            .iter()
            .map(|(name, found)| json!({"input": name, "resolved": !found.is_empty(), "found": found}))
            .collect();
        cx.console.json(&json!({"results": rows}))?;
        return if is_whole { Ok(()) } else { Err(AlreadyTold.into()) };
    }
    for (name, found) in &found {
        for one in found {
            let called = one.name.as_deref().unwrap_or_default();
            cx.console.line(format!("{name}  {}  {called}", one.target()).trim_end())?;
        }
        if found.is_empty() {
            cx.console
                .line(&cx.console.mark(Mark::Bad, &format!("{name}  nobody we heard of is called that")))?;
        }
    }
    if is_whole {
        return Ok(());
    }
    cx.console.note("platforms do not look names up for bots: whoever writes to us first is known then (`homard directory`)");
    Err(AlreadyTold.into())
}

async fn capabilities(cx: &Cx, args: &StatusArgs) -> anyhow::Result<()> {
    let status = asked(cx, args, true).await?;
    if args.reach.json {
        return Ok(cx.console.json(&status.channel_accounts)?);
    }
    for line in show::capabilities(&status) {
        cx.console.line(&line)?;
    }
    Ok(())
}

fn account_params(args: &OneArgs) -> anyhow::Result<AccountParams> {
    let name = args.channel.as_deref().or(args.named.as_deref()).unwrap_or_default();
    Ok(AccountParams { channel: platform(name)?.id.to_owned(), account_id: args.account.clone() })
}

async fn start(cx: &Cx, args: &OneArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let done = client.call::<ChannelsStart>(&account_params(args)?).await?;
    client.close().await;
    tell(cx, args, &done, "started", "is listened to")
}

async fn stop(cx: &Cx, args: &OneArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let done = client.call::<ChannelsStop>(&account_params(args)?).await?;
    client.close().await;
    tell(cx, args, &done, "stopped", "is stopped")
}

async fn logout(cx: &Cx, args: &OneArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let done = client.call::<ChannelsLogout>(&account_params(args)?).await?;
    client.close().await;
    if !args.reach.json && done.get("envToken") == Some(&Value::Bool(true)) {
        cx.console.warn("the environment still holds credentials for it; they are used after the next start");
    }
    tell(cx, args, &done, "cleared", "is logged out")
}

/// Says whether it was done.
fn tell(cx: &Cx, args: &OneArgs, done: &Value, flag: &str, words: &str) -> anyhow::Result<()> {
    if args.reach.json {
        return Ok(cx.console.json(done)?);
    }
    let text = |key: &str| done.get(key).and_then(Value::as_str).unwrap_or_default();
    let who = format!("{} account {}", text("channel"), text("accountId"));
    let reason = done.get("outcome").and_then(|outcome| outcome.get("reason")?.as_str());
    if done.get(flag) == Some(&Value::Bool(true)) {
        return Ok(cx.console.line(&cx.console.mark(Mark::Good, &format!("{who} {words}")))?);
    }
    let reason = reason.unwrap_or("there is nothing to do: it is not running, or has no credentials");
    Ok(cx.console.line(&cx.console.mark(Mark::Bad, &format!("{who}: {reason}")))?)
}

async fn logs(cx: &Cx, args: LogsArgs) -> anyhow::Result<()> {
    let channel = args.channel.or(args.named);
    let wanted: Vec<&str> = match channel.as_deref() {
        Some(name) => vec![platform(name)?.id],
        None => ENTRIES.iter().map(|entry| entry.id).collect(),
    };
    let client = args.reach.connect(cx).await?;
    let params = LogsTailParams { limit: Some(LOG_LINES), ..LogsTailParams::default() };
    let page = client.call::<LogsTail>(&params).await?;
    client.close().await;
    let about = page.lines.iter().filter(|line| wanted.iter().any(|id| show::is_about(line, id)));
    let about: Vec<&String> = about.collect();
    let shown = about.get(about.len().saturating_sub(args.lines)..).unwrap_or_default();
    let look = LineStyle::pretty(cx.console.colors_results());
    for line in shown {
        if args.reach.json {
            cx.console.line(line)?;
        } else {
            cx.console.line(&look.show(&Line::read(line)))?;
        }
    }
    Ok(())
}

async fn dead_letters(cx: &Cx, args: &DeadArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let found = client.call::<ChannelsDeadLetters>(&DeadLettersParams::default()).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&found)?);
    }
    for line in show::dead_letters(&found, cx.source.clock.now_ms()) {
        cx.console.line(&line)?;
    }
    Ok(())
}
