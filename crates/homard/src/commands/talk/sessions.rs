//! `homard sessions`: the conversations the gateway keeps.

mod archive;
mod cleanup;
mod compact;
mod context;
mod search;
mod transcript;

use clap::{Args, Subcommand};
use homard_client::Client;
use homard_protocol::methods::sessions::{SessionsList, SessionsListParams};
use homard_protocol::session_row::SessionRow;
use homard_protocol::{AgentId, SessionRef};
use homard_runtime::brief;

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::table;
use crate::commands::words;
use crate::report::Mark;

/// How much of a conversation's name is shown.
const TITLE_CHARS: usize = 40;
const EXAMPLES: &str = "\
Examples:
  homard sessions --active 60          what happened in the last hour
  homard sessions --json | jq -r '.sessions[].key'
  homard sessions search deploy notes  what was said about it
  homard sessions tail main --follow   what is said, as it is said
  homard sessions export shopping --out shopping.md
  homard sessions compact main         the beginning becomes a summary
  homard sessions archive shopping     put a conversation away
  homard sessions delete shopping      take one away; it can be brought back
  homard sessions restore              what was deleted or reset and can be brought back
  homard sessions context main         where the tokens of the next request go";

/// List conversations, newest first
#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    command: Option<SessionsCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Args)]
struct ListArgs {
    /// Only those with something new in the last so many minutes
    #[arg(long, value_name = "MIN")]
    active: Option<f64>,
    /// Only those of this agent
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// Also those that are archived
    #[arg(long)]
    archived: bool,
    /// Only those with this in their key, name, title or last message
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// How many at most
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Subcommand)]
enum SessionsCommand {
    /// Show where the tokens of a conversation's next request go
    Context(context::ContextArgs),
    /// List conversations, newest first
    List(ListArgs),
    /// Show the end of a conversation, and go on as more is said
    Tail(transcript::TailArgs),
    /// Write a whole conversation into a file
    Export(transcript::ExportArgs),
    /// Make a conversation shorter: a summary takes the place of its beginning
    Compact(compact::CompactArgs),
    /// Find what was said
    Search(search::SearchArgs),
    /// Put a conversation away; it is kept
    Archive(archive::OneArgs),
    /// Bring back what was archived, deleted or reset
    Restore(archive::RestoreArgs),
    /// Delete a conversation; it can be restored
    Delete(archive::OneArgs),
    /// Put away what is too old or too much, by session.maintenance
    Cleanup(cleanup::CleanupArgs),
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway or it does not answer.
pub(crate) async fn run(cx: &Cx, args: SessionsArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(cx, args.list).await,
        Some(SessionsCommand::List(args)) => list(cx, args).await,
        Some(SessionsCommand::Context(args)) => context::run(cx, args).await,
        Some(SessionsCommand::Tail(args)) => transcript::tail(cx, args).await,
        Some(SessionsCommand::Export(args)) => transcript::export(cx, args).await,
        Some(SessionsCommand::Compact(args)) => compact::run(cx, args).await,
        Some(SessionsCommand::Search(args)) => search::run(cx, args).await,
        Some(SessionsCommand::Archive(args)) => archive::archive(cx, args).await,
        Some(SessionsCommand::Restore(args)) => archive::restore(cx, args).await,
        Some(SessionsCommand::Delete(args)) => archive::delete(cx, args).await,
        Some(SessionsCommand::Cleanup(args)) => cleanup::run(cx, args).await,
    }
}

/// Shows the end of one conversation.
///
/// # Errors
/// When there is no gateway or it does not answer.
pub(super) async fn show_end(cx: &Cx, key: SessionRef, limit: u32, reach: ConnectArgs) -> anyhow::Result<()> {
    transcript::tail(cx, transcript::TailArgs { key: Some(key), follow: false, limit, reach }).await
}

/// Finds what was said in one conversation.
///
/// # Errors
/// When there is no gateway or it does not answer.
pub(super) async fn find(
    cx: &Cx,
    key: SessionRef,
    words: String,
    limit: Option<u32>,
    reach: ConnectArgs,
) -> anyhow::Result<()> {
    let args = search::SearchArgs { query: vec![words], agent: None, session: vec![key], limit, reach };
    search::run(cx, args).await
}

/// The conversation that is meant; the main one when none is named.
fn meant(client: &Client, key: Option<SessionRef>) -> SessionRef {
    key.unwrap_or_else(|| client.hello().snapshot.session_defaults.main_session_key.clone().into())
}

async fn list(cx: &Cx, args: ListArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let params = SessionsListParams {
        limit: args.limit,
        active_minutes: args.active,
        agent_id: args.agent,
        include_derived_titles: Some(true),
        archived: args.archived.then(|| "all".into()),
        search: args.search,
        ..SessionsListParams::default()
    };
    let list = client.call::<SessionsList>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&list)?);
    }
    if list.sessions.is_empty() {
        cx.console.note("no conversations yet; start one with `homard agent -m hello`");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = list.sessions.iter().map(|session| row(session, list.ts)).collect();
    for (number, line) in table(&["SESSION", "LAST", "MODEL", "CONTEXT", "TITLE"], &rows).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    if list.has_more {
        cx.console.note(&format!("{} of {}; --limit shows more", list.count, list.total_count));
    }
    Ok(())
}

fn row(session: &SessionRow, now_ms: i64) -> Vec<String> {
    let title = session.label.as_ref().or(session.display_name.as_ref()).or(session.derived_title.as_ref());
    let running = if session.has_active_run { "running, " } else { "" };
    vec![
        session.key.to_string(),
        session
            .updated_at
            .map_or_else(|| "–".to_owned(), |then| format!("{running}{}", words::ago(then, now_ms))),
        session.model.clone().unwrap_or_else(|| "–".into()),
        context(session),
        title.map_or_else(String::new, |title| brief(title, TITLE_CHARS)),
    ]
}

fn context(session: &SessionRow) -> String {
    match (session.total_tokens, session.context_tokens) {
        (Some(used), Some(window)) if window > 0 => {
            format!(
                "{}/{} ({} %)",
                words::tokens(used),
                words::tokens(window),
                used.saturating_mul(100) / window
            )
        }
        (Some(used), _) => words::tokens(used),
        (None, _) => "–".to_owned(),
    }
}
