//! `homard sessions compact`: making a conversation shorter by hand.

use std::time::Duration;

use clap::Args;
use homard_protocol::SessionRef;
use homard_protocol::methods::sessions::compact::{SessionsCompact, SessionsCompactParams};

use crate::commands::Cx;
use crate::commands::connection::{self, ConnectArgs};
use crate::commands::words;
use crate::report::Mark;

/// How long a model may take to sum a conversation up.
const MODEL_WAIT: Duration = Duration::from_secs(300);

#[derive(Args)]
pub(super) struct CompactArgs {
    /// Which conversation, by its key; the main one if absent
    key: Option<SessionRef>,
    /// Keep so many of the newest entries, and ask no model about the rest
    #[arg(long, value_name = "N", conflicts_with = "instructions")]
    max_lines: Option<u64>,
    /// What the summary should keep or leave out
    #[arg(long, value_name = "TEXT")]
    instructions: Option<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
pub(super) async fn run(cx: &Cx, args: CompactArgs) -> anyhow::Result<()> {
    let wait = args.reach.patience.limit().max(MODEL_WAIT);
    let client = connection::connect(cx, &args.reach.target, wait).await?;
    let params = SessionsCompactParams {
        key: super::meant(&client, args.key),
        agent_id: None,
        max_lines: args.max_lines,
        instructions: args.instructions,
    };
    let done = client.call::<SessionsCompact>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&done)?);
    }
    if !done.compacted {
        let why = done.reason.as_deref().unwrap_or("there is nothing to sum up");
        cx.console.note(&format!("{} is as it was: {why}", done.key));
        return Ok(());
    }
    let sizes = done.result.map(|result| {
        format!(
            ": {} tokens became {}",
            words::tokens(result.tokens_before),
            words::tokens(result.tokens_after)
        )
    });
    let said = format!("{} is shorter now{}", done.key, sizes.unwrap_or_default());
    Ok(cx.console.line(&cx.console.mark(Mark::Good, &said))?)
}
