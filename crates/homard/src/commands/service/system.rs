//! `homard system`: telling the assistant that something happened, how it looks around by itself, and who is connected.

use clap::{Args, Subcommand};
use homard_protocol::events::HeartbeatEvent;
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::wake::{SetHeartbeats, SetHeartbeatsParams, WakeParams, WakeUp};
use homard_protocol::methods::system::{LastHeartbeat, SystemPresence};
use homard_protocol::presence::PresenceEntry;
use homard_protocol::{AgentId, SessionRef, WakeMode};

use crate::cli::words_of;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::table;
use crate::commands::{Cx, words};

const EXAMPLES: &str = "\
Examples:
  homard system event --text \"The backup has finished\"
  homard system event --text \"Disk almost full\" --mode now      it is looked at at once
  make || homard system event --mode now --text \"the build is broken\"
  homard system heartbeat last                                   what came of the last look around
  homard system presence                                         which programs and devices are connected";

const MODES: [&str; 2] = ["now", "next-heartbeat"];

/// Tell the assistant that something happened, and see who is connected
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SystemArgs {
    #[command(subcommand)]
    command: SystemCommand,
}

#[derive(Subcommand)]
enum SystemCommand {
    /// Keep an event for the next turn, or start one
    #[command(after_help = EXAMPLES)]
    Event(EventArgs),
    /// How the assistant looks around by itself
    Heartbeat(HeartbeatArgs),
    /// Which programs and devices are connected, or were a moment ago
    Presence(PresenceArgs),
}

#[derive(Args)]
struct PresenceArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct HeartbeatArgs {
    #[command(subcommand)]
    command: HeartbeatCommand,
}

#[derive(Subcommand)]
enum HeartbeatCommand {
    /// What came of the last look around
    Last(BeatArgs),
    /// Let the assistant look around by itself, as the configuration says
    Enable(BeatArgs),
    /// Keep it from doing so until the gateway ends
    Disable(BeatArgs),
}

#[derive(Args)]
struct BeatArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct EventArgs {
    /// What happened
    #[arg(long)]
    text: String,
    /// Whether a turn is started
    #[arg(long, default_value = "next-heartbeat", value_parser = words_of::<WakeMode>(&MODES))]
    mode: WakeMode,
    /// Which session; the main one otherwise
    #[arg(long, value_name = "KEY")]
    session_key: Option<SessionRef>,
    /// Whose
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, or it refuses.
pub(crate) async fn run(cx: &Cx, args: SystemArgs) -> anyhow::Result<()> {
    match args.command {
        SystemCommand::Event(args) => event(cx, args).await,
        SystemCommand::Heartbeat(args) => heartbeat(cx, args.command).await,
        SystemCommand::Presence(args) => presence(cx, &args.reach).await,
    }
}

async fn presence(cx: &Cx, reach: &ConnectArgs) -> anyhow::Result<()> {
    let client = reach.connect(cx).await?;
    let here = client.call::<SystemPresence>(&NoParams {}).await?;
    client.close().await;
    if reach.json {
        return Ok(cx.console.json(&here)?);
    }
    let now = cx.source.clock.now_ms();
    let row = |one: &PresenceEntry| {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let program = one.client_id.clone().or_else(|| one.mode.clone()).unwrap_or_default();
        vec![
            text(&one.host),
            program,
            text(&one.version),
            text(&one.ip),
            text(&one.reason),
            words::ago(one.ts, now),
        ]
    };
    let rows: Vec<Vec<String>> = here.iter().map(row).collect();
    Ok(cx.console.table(&table(&["MACHINE", "PROGRAM", "VERSION", "ADDRESS", "BECAUSE", "WHEN"], &rows))?)
}

async fn heartbeat(cx: &Cx, command: HeartbeatCommand) -> anyhow::Result<()> {
    let (args, enabled) = match command {
        HeartbeatCommand::Last(args) => (args, None),
        HeartbeatCommand::Enable(args) => (args, Some(true)),
        HeartbeatCommand::Disable(args) => (args, Some(false)),
    };
    let client = args.reach.connect(cx).await?;
    if let Some(enabled) = enabled {
        let told = client.call::<SetHeartbeats>(&SetHeartbeatsParams { enabled }).await?;
        client.close().await;
        let words = if enabled { "heartbeats are on" } else { "heartbeats are off until the gateway ends" };
        if args.reach.json {
            return Ok(cx.console.json(&told)?);
        }
        return Ok(cx.console.line(words)?);
    }
    let last = client.call::<LastHeartbeat>(&NoParams {}).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&last)?);
    }
    Ok(cx.console.line(&last.map_or_else(|| "none yet".to_owned(), |last| told(&last)))?)
}

/// One line about a heartbeat: when, how it went, why, and what was said.
fn told(last: &HeartbeatEvent) -> String {
    let when = jiff::Timestamp::from_millisecond(last.ts).ok();
    let when =
        when.map(|at| at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string());
    let part = |before: &str, part: Option<&str>, after: &str| {
        part.map(|part| format!("{before}{part}{after}")).unwrap_or_default()
    };
    format!(
        "{} {}{}{}{}",
        when.unwrap_or_default(),
        last.status,
        part(" (", last.reason.as_deref(), ")"),
        part(" to ", last.channel.as_deref(), ""),
        part(": ", last.preview.as_deref().or(last.message.as_deref()), "")
    )
}

async fn event(cx: &Cx, args: EventArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let params = WakeParams {
        mode: args.mode,
        text: args.text,
        session_key: args.session_key,
        agent_id: args.agent,
        more: std::collections::BTreeMap::new(),
    };
    let told = client.call::<WakeUp>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&told)?);
    }
    match told.run_id {
        Some(run) => cx.console.line(&format!("a turn about it has begun ({run})"))?,
        None => cx.console.line("kept; it is told with the next turn")?,
    }
    Ok(())
}
