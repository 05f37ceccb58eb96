//! `homard memory`: what agents wrote down, found again.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use homard_config::set_path;
use homard_memory::Memories;
use homard_protocol::AgentId;
use homard_protocol::methods::memory::index::{
    MemoryIndex, MemoryIndexParams, MemorySkipped, MemoryStatus, MemoryStatusResult,
};
use homard_protocol::methods::memory::{
    MemoryGet, MemoryGetParams, MemoryHit, MemoryListParams, MemorySearch, MemorySearchParams, MemoryWriter,
};
use serde_json::json;

use super::Cx;
use super::connection::{self, ConnectArgs};
use super::table::pairs;
use super::words;
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard memory search what did we decide about the database
  homard memory search 'who came to dinner last May' --json
  homard memory get memory/2026-05-08.md --from 10 --lines 20
  homard memory status
  homard memory model use ~/models/small   vectors without a network

Notes are MEMORY.md and the Markdown files below memory/ in the agent's workspace. The index is made of them and may be
deleted at any moment.";
/// How often somebody who waits is told how far it is.
const TELL_EVERY: Duration = Duration::from_millis(500);
/// How long making an index may take.
const INDEX_WITHIN: Duration = Duration::from_secs(3_600);
/// Files that are not searched, named at most.
const MAX_SKIPPED: usize = 10;

/// Find what agents wrote down
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    command: MemoryCommand,
}

#[derive(Subcommand)]
enum MemoryCommand {
    /// Show how the memory stands
    Status(Whose),
    /// Bring the index up to date
    Index(IndexArgs),
    /// Find passages by a question in plain words
    Search(SearchArgs),
    /// Print lines of a note
    Get(GetArgs),
    /// Search by meaning with a model of your own
    Model(ModelArgs),
}

/// Whose memory, and who is asked.
#[derive(Args)]
struct Whose {
    /// Memory of this agent; the default one's otherwise
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct IndexArgs {
    /// Make it anew from the files
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Args)]
struct SearchArgs {
    /// What to look for
    #[arg(value_name = "WORDS")]
    query: Vec<String>,
    /// How many at most
    #[arg(long, value_name = "N")]
    max_results: Option<u32>,
    /// Least score, from 0 to 1
    #[arg(long, value_name = "SCORE")]
    min_score: Option<f64>,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Args)]
struct GetArgs {
    /// Which note, as a search names it
    path: String,
    /// First line, from 1
    #[arg(long, value_name = "LINE", default_value_t = 1)]
    from: usize,
    /// How many lines
    #[arg(long, value_name = "N")]
    lines: Option<usize>,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Args)]
struct ModelArgs {
    #[command(subcommand)]
    command: ModelCommand,
}

#[derive(Subcommand)]
enum ModelCommand {
    /// Use a folder with model.safetensors and tokenizer.json
    Use {
        /// The folder, or its model.safetensors
        path: PathBuf,
    },
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, or it does not answer.
pub(crate) async fn run(cx: &Cx, args: MemoryArgs) -> anyhow::Result<()> {
    match args.command {
        MemoryCommand::Status(whose) => status(cx, &whose).await,
        MemoryCommand::Index(args) => index(cx, &args).await,
        MemoryCommand::Search(args) => search(cx, &args).await,
        MemoryCommand::Get(args) => get(cx, &args).await,
        MemoryCommand::Model(args) => {
            let ModelCommand::Use { path } = args.command;
            use_model(cx, &path)
        }
    }
}

async fn status(cx: &Cx, whose: &Whose) -> anyhow::Result<()> {
    let client = whose.reach.connect(cx).await?;
    let found = client.call::<MemoryStatus>(&MemoryListParams { agent_id: whose.agent.clone() }).await?;
    client.close().await;
    if whose.reach.json {
        return Ok(cx.console.json(&found)?);
    }
    for line in pairs(&told(&found)) {
        cx.console.line(&line)?;
    }
    skipped(cx, &found.skipped);
    Ok(())
}

fn told(found: &MemoryStatusResult) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("agent", found.agent_id.to_string()),
        ("notes", found.files.to_string()),
        ("passages", found.passages.to_string()),
        ("index", format!("{} ({} bytes)", found.index, found.index_bytes)),
    ];
    if found.sessions > 0 {
        rows.insert(2, ("conversations", found.sessions.to_string()));
    }
    match &found.model {
        Some(model) => rows.push(("vectors", format!("{} of {} by {model}", found.vectors, found.passages))),
        None => rows.push(("vectors", "none; the words are searched".to_owned())),
    }
    if let Some(trouble) = &found.trouble {
        rows.push(("trouble", format!("{trouble}; the words alone are searched")));
    }
    if let Some(progress) = &found.progress {
        rows.push(("indexing", format!("{} of {} files", progress.done, progress.total)));
    }
    if found.was_broken == Some(true) {
        rows.push(("note", "the index was broken and was made anew".to_owned()));
    }
    rows
}

fn skipped(cx: &Cx, files: &[MemorySkipped]) {
    for file in files.iter().take(MAX_SKIPPED) {
        cx.console.warn(&format!("{} is not searched: it {}", file.path, file.reason));
    }
    if files.len() > MAX_SKIPPED {
        cx.console.warn(&format!("and {} more", files.len() - MAX_SKIPPED));
    }
}

async fn index(cx: &Cx, args: &IndexArgs) -> anyhow::Result<()> {
    let whose = &args.whose;
    let client = connection::connect(cx, &whose.reach.target, INDEX_WITHIN).await?;
    let params = MemoryIndexParams { agent_id: whose.agent.clone(), force: args.force.then_some(true) };
    let asked = MemoryListParams { agent_id: whose.agent.clone() };
    let mut work = std::pin::pin!(client.call::<MemoryIndex>(&params));
    let done = loop {
        tokio::select! {
            done = &mut work => break done?,
            () = tokio::time::sleep(TELL_EVERY) => {
                let standing = client.call::<MemoryStatus>(&asked).await?;
                if let Some(progress) = standing.progress.filter(|progress| progress.total > 0) {
                    cx.console.note(&format!("{} of {} files", progress.done, progress.total));
                }
            }
        }
    };
    if whose.reach.json {
        return Ok(cx.console.json(&done)?);
    }
    if done.busy == Some(true) {
        return Ok(cx.console.line("somebody else is at it already; `homard memory status` says how far")?);
    }
    let line = format!(
        "{} read, {} unchanged, {} gone",
        words::count(done.indexed, "note"),
        done.unchanged,
        done.forgotten
    );
    cx.console.line(&line)?;
    skipped(cx, &done.skipped);
    Ok(())
}

async fn search(cx: &Cx, args: &SearchArgs) -> anyhow::Result<()> {
    if args.query.is_empty() {
        return Err(Advice::usage(
            "it is not said what to look for",
            "in plain words: homard memory search what did we decide about the database",
        ));
    }
    let client = args.whose.reach.connect(cx).await?;
    let params = MemorySearchParams {
        query: args.query.join(" "),
        agent_id: args.whose.agent.clone(),
        limit: args.max_results,
        min_score: args.min_score,
    };
    let found = client.call::<MemorySearch>(&params).await?;
    client.close().await;
    if args.whose.reach.json {
        return Ok(cx.console.json(&found)?);
    }
    let now = cx.source.clock.now_ms();
    for hit in &found.results {
        tell(cx, hit, now)?;
    }
    if found.results.is_empty() {
        cx.console.note("nothing was found");
    }
    if let Some(note) = &found.note {
        cx.console.warn(note);
    }
    Ok(())
}

fn tell(cx: &Cx, hit: &MemoryHit, now: i64) -> anyhow::Result<()> {
    let whose = &hit.whose;
    let mut head = format!("{}#L{}-L{}  {:.2}", hit.path, hit.start_line, hit.end_line, hit.score);
    if let Some(date) = &hit.date {
        head.push_str(&format!("  {date}"));
    } else if let Some(at) = hit.updated_at_ms {
        head.push_str(&format!("  {}", words::ago(at, now)));
    }
    let said = if whose.session_key.is_some() { "said" } else { "written" };
    head.push_str(&format!(
        "  {said} by {}",
        if whose.by == MemoryWriter::Owner { "you" } else { whose.by.as_str() }
    ));
    if let Some(key) = &whose.session_key {
        head.push_str(&format!(" in {key}"));
    }
    cx.console.line(&cx.console.mark(Mark::Strong, &head))?;
    if !hit.matched.is_empty() {
        cx.console.line(&format!("  because of {}", hit.matched.join(", ")))?;
    }
    if let Some(others) = &whose.from_others {
        cx.console.line(&cx.console.mark(Mark::Warning, &format!("  words of others: {others}")))?;
    }
    for line in hit.snippet.lines().filter(|line| !line.trim().is_empty()) {
        cx.console.line(&format!("  {line}"))?;
    }
    Ok(())
}

async fn get(cx: &Cx, args: &GetArgs) -> anyhow::Result<()> {
    let client = args.whose.reach.connect(cx).await?;
    let params = MemoryGetParams { path: args.path.clone(), agent_id: args.whose.agent.clone() };
    let found = client.call::<MemoryGet>(&params).await?;
    client.close().await;
    let total = found.text.lines().count();
    if args.from > total.max(1) {
        return Err(Advice::error(
            format!("`{}` has {total} lines, and line {} is asked for", found.path, args.from),
            "homard memory get without --from shows all of them",
        ));
    }
    let lines = found.text.lines().skip(args.from.saturating_sub(1)).take(args.lines.unwrap_or(usize::MAX));
    let text = lines.collect::<Vec<_>>().join("\n");
    if args.whose.reach.json {
        return Ok(cx.console.json(&json!({"path": found.path, "from": args.from, "text": text}))?);
    }
    Ok(cx.console.line(&text)?)
}

/// Tries the model before it is written down.
fn use_model(cx: &Cx, path: &std::path::Path) -> anyhow::Result<()> {
    let path = std::path::absolute(path).context("the path of the model")?;
    if let Err(error) = Memories::default().local_vectors(&path, &["a first try".to_owned()]) {
        return Err(Advice::error(
            error.to_string(),
            "a folder is needed with model.safetensors and tokenizer.json: a table of words, or a small BERT with its config.json",
        ));
    }
    // What is written at the newer place wins.
    let is_newer =
        cx.snapshot().effective.pointer("/memory/search").is_some_and(serde_json::Value::is_object);
    let section = if is_newer { "memory.search" } else { "agents.defaults.memorySearch" };
    set_path(&cx.source, &format!("{section}.local.modelPath"), json!(path))?;
    set_path(&cx.source, &format!("{section}.provider"), json!("local"))?;
    cx.console.line(&cx.console.mark(Mark::Good, "this model makes vectors from the next search on"))?;
    Ok(())
}
