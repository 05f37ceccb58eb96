//! `homard sessions search`: finding what was said.

use clap::Args;
use homard_protocol::methods::sessions::search::{
    MAX_SEARCH_LIMIT, SessionsSearch, SessionsSearchHit, SessionsSearchParams,
};
use homard_protocol::{AgentId, SessionRef};

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::words;
use crate::report::Mark;

#[derive(Args)]
pub(crate) struct SearchArgs {
    /// What was probably said, in plain words; quote several for exactly this order
    #[arg(required = true, value_name = "WORDS")]
    pub(super) query: Vec<String>,
    /// Only conversations of this agent
    #[arg(long, value_name = "ID")]
    pub(super) agent: Option<AgentId>,
    /// Only this conversation, by its key; may be given several times
    #[arg(long, value_name = "KEY")]
    pub(super) session: Vec<SessionRef>,
    /// How many at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SEARCH_LIMIT)))]
    pub(super) limit: Option<u32>,
    #[command(flatten)]
    pub(super) reach: ConnectArgs,
}

/// Runs the command.
pub(crate) async fn run(cx: &Cx, args: SearchArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let params = SessionsSearchParams {
        query: question(&args.query),
        agent_id: args.agent,
        session_keys: (!args.session.is_empty()).then_some(args.session),
        scope: None,
        limit: args.limit,
    };
    let found = client.call::<SessionsSearch>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&found)?);
    }
    let now = cx.source.clock.now_ms();
    for hit in &found.results {
        tell(cx, hit, now)?;
    }
    if found.results.is_empty() {
        cx.console.note("nothing was found");
    }
    if found.truncated == Some(true) {
        cx.console.note("there is more; --limit shows up to 25");
    }
    if found.indexing == Some(true) {
        cx.console.note("older conversations are still being read; ask again in a moment");
    }
    Ok(())
}

/// The question as the gateway reads it: an argument of several words is a phrase.
fn question(words: &[String]) -> String {
    let quoted = |word: &String| match word.contains(char::is_whitespace) && words.len() > 1 {
        true => format!("\"{}\"", word.replace('"', " ")),
        false => word.clone(),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn tell(cx: &Cx, hit: &SessionsSearchHit, now: i64) -> anyhow::Result<()> {
    let head = format!("{}  {}  {}", hit.session_key, hit.role, words::ago(hit.timestamp, now));
    cx.console.line(&cx.console.mark(Mark::Strong, &head))?;
    cx.console.line(&format!("  {}", hit.snippet))?;
    Ok(())
}
