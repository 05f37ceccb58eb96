//! `homard sessions cleanup`: keeping the list short.

use clap::Args;
use homard_protocol::methods::sessions::archive::{SessionsCleanup, SessionsCleanupParams};
use homard_protocol::{AgentId, SessionRef};

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::words;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct CleanupArgs {
    /// Only say what would go
    #[arg(long, conflicts_with = "enforce")]
    dry_run: bool,
    /// Do it, whatever session.maintenance.mode says
    #[arg(long)]
    enforce: bool,
    /// Only conversations of this agent
    #[arg(long, value_name = "ID", conflicts_with = "all_agents")]
    agent: Option<AgentId>,
    /// Conversations of every agent
    #[arg(long)]
    all_agents: bool,
    /// A conversation to leave alone, by its key
    #[arg(long, value_name = "KEY")]
    active_key: Option<SessionRef>,
    /// Also those whose transcript is gone
    #[arg(long)]
    fix_missing: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
pub(crate) async fn run(cx: &Cx, args: CleanupArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let enforce = match (args.enforce, args.dry_run) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        (false, false) => None,
    };
    let params = SessionsCleanupParams {
        agent: args.agent,
        all_agents: args.all_agents.then_some(true),
        enforce,
        active_key: args.active_key,
        fix_missing: args.fix_missing.then_some(true),
        fix_dm_scope: None,
    };
    let done = client.call::<SessionsCleanup>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&done)?);
    }
    for key in &done.removed {
        cx.console.line(key)?;
    }
    let gone = words::count(u64::try_from(done.removed.len()).unwrap_or(u64::MAX), "conversation");
    let reasons =
        format!("{} too old, {} too many, {} without transcript", done.pruned, done.capped, done.missing);
    match (done.would_mutate, done.dry_run) {
        (false, _) => cx.console.note(&format!("nothing to do: all {} are kept", done.before_count)),
        (true, true) => cx.console.note(&format!("{gone} would go ({reasons}); --enforce does it")),
        (true, false) => {
            cx.console.note(&format!("{gone} put away ({reasons}); `homard sessions restore` lists them"));
        }
    }
    Ok(())
}
