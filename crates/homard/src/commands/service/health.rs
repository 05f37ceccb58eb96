//! `homard health`: is the gateway well?

use clap::Args;
use homard_protocol::methods::system::{Health, HealthParams};
use serde_json::Value;

use crate::commands::connection::ConnectArgs;
use crate::commands::{Cx, words};
use crate::report::{AlreadyTold, Mark};

/// Ask the gateway how it is
///
/// Prints one line and ends with exit code 0 when the gateway runs and is well, 1 otherwise.
#[derive(Args)]
pub(crate) struct HealthArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway or it is not well.
pub(crate) async fn run(cx: &Cx, args: &HealthArgs) -> anyhow::Result<()> {
    let health = ask(cx, args).await?;
    let well = health.get("ok") == Some(&Value::Bool(true));
    if args.reach.json {
        cx.console.json(&health)?;
    } else {
        cx.console.line(&in_words(cx, &health, well))?;
    }
    if well { Ok(()) } else { Err(AlreadyTold.into()) }
}

async fn ask(cx: &Cx, args: &HealthArgs) -> anyhow::Result<Value> {
    let client = args.reach.connect(cx).await?;
    let health = client.call::<Health>(&HealthParams::default()).await?;
    client.close().await;
    Ok(health)
}

fn in_words(cx: &Cx, health: &Value, well: bool) -> String {
    let sessions = health.pointer("/sessions/count").and_then(Value::as_u64).unwrap_or(0);
    let agents = health.get("agents").and_then(Value::as_array).map_or(0, Vec::len);
    let agents = words::count(u64::try_from(agents).unwrap_or(0), "agent");
    let state = if well { cx.console.mark(Mark::Good, "ok") } else { cx.console.mark(Mark::Bad, "not well") };
    format!("{state}  {agents}, {}", words::count(sessions, "session"))
}
