//! `homard system`: telling the assistant that something happened.

use clap::{Args, Subcommand};
use homard_protocol::methods::cron::CronWakeMode;
use homard_protocol::methods::system::wake::{WakeParams, WakeUp};
use homard_protocol::{AgentId, SessionRef};

use crate::cli::words_of;
use crate::commands::Cx;
use crate::commands::connection::{self, Patience, Target};

const EXAMPLES: &str = "\
Examples:
  homard system event --text \"The backup has finished\"
  homard system event --text \"Disk almost full\" --mode now      it is looked at at once
  make || homard system event --mode now --text \"the build is broken\"";

const MODES: [&str; 2] = ["now", "next-heartbeat"];

/// Tell the assistant that something happened
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
}

#[derive(Args)]
struct EventArgs {
    /// What happened
    #[arg(long)]
    text: String,
    /// Whether a turn is started
    #[arg(long, default_value = "next-heartbeat", value_parser = words_of::<CronWakeMode>(&MODES))]
    mode: CronWakeMode,
    /// Which session; the main one otherwise
    #[arg(long, value_name = "KEY")]
    session_key: Option<SessionRef>,
    /// Whose
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, or it refuses.
pub(crate) async fn run(cx: &Cx, args: SystemArgs) -> anyhow::Result<()> {
    let SystemCommand::Event(args) = args.command;
    let client = connection::connect(cx, &args.target, args.patience.limit()).await?;
    let params = WakeParams {
        mode: args.mode,
        text: args.text,
        session_key: args.session_key,
        agent_id: args.agent,
        more: std::collections::BTreeMap::new(),
    };
    let told = client.call::<WakeUp>(&params).await?;
    client.close().await;
    if args.json {
        return Ok(cx.console.json(&told)?);
    }
    match told.run_id {
        Some(run) => cx.console.line(&format!("a turn about it has begun ({run})"))?,
        None => cx.console.line("kept; it is told with the next turn")?,
    }
    Ok(())
}
