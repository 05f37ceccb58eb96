//! `homard sessions tail` and `export`: what was said, as it comes or all of it.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use homard_client::{Client, ClientEvent};
use homard_protocol::event::Event as _;
use homard_protocol::events::SessionMessageEvent;
use homard_protocol::limits::MAX_HISTORY_LIMIT;
use homard_protocol::methods::chat::{ChatHistory, ChatHistoryParams};
use homard_protocol::methods::sessions::details::{
    SessionsMessagesSubscribe, SessionsMessagesSubscribeParams,
};
use homard_protocol::{SessionId, SessionRef};
use homard_runtime::{brief, replace_private};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::report::{Advice, Mark};

/// Messages shown before what comes.
const DEFAULT_LIMIT: u32 = 20;
/// How much of a tool's answer is shown, in characters.
const TOOL_CHARS: usize = 200;

#[derive(Args)]
pub(super) struct TailArgs {
    /// Which conversation, by its key; the main one if absent
    pub(super) key: Option<SessionRef>,
    /// Go on and show what is said from now on
    #[arg(long, short)]
    pub(super) follow: bool,
    /// How many of the newest messages to begin with
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LIMIT, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_HISTORY_LIMIT)))]
    pub(super) limit: u32,
    #[command(flatten)]
    pub(super) reach: ConnectArgs,
}

#[derive(Args)]
pub(super) struct ExportArgs {
    /// Which conversation, by its key; the main one if absent
    key: Option<SessionRef>,
    /// An older transcript of it, by its id
    #[arg(long, value_name = "ID")]
    session_id: Option<SessionId>,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// The file; standard output otherwise
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long, requires = "out")]
    force: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// To be read
    Markdown,
    /// One message a line, as the gateway tells it
    Jsonl,
}

/// Shows the end of a conversation, and what is added to it.
pub(super) async fn tail(cx: &Cx, args: TailArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let key = super::meant(&client, args.key);
    let mut events = client.events();
    // Before the page is asked for, so that nothing falls between the two.
    let followed = match args.follow {
        true => {
            let params =
                SessionsMessagesSubscribeParams { key: key.clone(), agent_id: None, include_approvals: None };
            Some(client.call::<SessionsMessagesSubscribe>(&params).await?.key)
        }
        false => None,
    };
    let params = ChatHistoryParams {
        session_key: key.clone(),
        limit: Some(args.limit),
        ..ChatHistoryParams::default()
    };
    let page = client.call::<ChatHistory>(&params).await?;
    let mut shown = HashSet::new();
    for message in &page.messages {
        shown.extend(id_of(message));
        show(cx, message, args.reach.json)?;
    }
    let Some(followed) = followed else {
        client.close().await;
        if page.messages.is_empty() {
            cx.console.note(&format!("nothing was said in {} yet", page.session_key));
        }
        return Ok(());
    };
    while let Some(heard) = events.next().await {
        let ClientEvent::Event(frame) = heard else { continue };
        let is_ours = frame.event == SessionMessageEvent::NAME
            && frame.payload.get("sessionKey") == Some(&json!(followed));
        let message = frame.payload.get("message").filter(|_| is_ours);
        if let Some(message) = message.filter(|message| id_of(message).is_none_or(|id| shown.insert(id))) {
            show(cx, message, args.reach.json)?;
        }
    }
    Err(Advice::error("the gateway is gone", "start the command again when it runs"))
}

fn id_of(message: &Value) -> Option<String> {
    message.pointer("/__openclaw/id").and_then(Value::as_str).map(str::to_owned)
}

fn show(cx: &Cx, message: &Value, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return Ok(cx.console.line(&message.to_string())?);
    }
    let Some((who, text)) = in_words(message) else { return Ok(()) };
    let when = moment(message, "%H:%M").unwrap_or_default();
    let head = cx.console.mark(Mark::Strong, format!("{when} {who}").trim());
    Ok(cx.console.line(&format!("{head}  {text}"))?)
}

/// Writes all of a conversation.
pub(super) async fn export(cx: &Cx, args: ExportArgs) -> anyhow::Result<()> {
    if let Some(path) = args.out.as_ref().filter(|path| path.exists() && !args.force) {
        return Err(Advice::error(
            format!("{} is there already", path.display()),
            "choose another name, or write over it with --force",
        ));
    }
    let client = args.reach.connect(cx).await?;
    let key = super::meant(&client, args.key);
    let (key, messages) = all(&client, key, args.session_id).await?;
    client.close().await;
    if messages.is_empty() {
        return Err(Advice::error(
            format!("nothing was said in {key}"),
            "`homard sessions` lists the conversations there are",
        ));
    }
    let text = match args.format {
        Format::Jsonl => messages.iter().map(|message| format!("{message}\n")).collect(),
        Format::Markdown => markdown(&key, &messages),
    };
    let Some(path) = args.out else { return Ok(cx.console.part(&text)?) };
    replace_private(&path, text.as_bytes())
        .with_context(|| format!("could not write `{}`", path.display()))?;
    if args.reach.json {
        let count = messages.len();
        return Ok(cx.console.json(&json!({"ok": true, "key": key, "path": path, "messages": count}))?);
    }
    Ok(cx.console.line(&cx.console.mark(Mark::Good, &path.display().to_string()))?)
}

/// Every message of a transcript, oldest first.
async fn all(
    client: &Client,
    key: SessionRef,
    session_id: Option<SessionId>,
) -> anyhow::Result<(String, Vec<Value>)> {
    let mut params = ChatHistoryParams {
        session_key: key,
        session_id,
        limit: Some(MAX_HISTORY_LIMIT),
        ..ChatHistoryParams::default()
    };
    let mut pages = Vec::new();
    loop {
        let page = client.call::<ChatHistory>(&params).await?;
        let key = page.session_key.to_string();
        pages.push(page.messages);
        match page.next_offset.filter(|_| page.has_more) {
            // A page that does not lead on would be asked for for ever.
            Some(next) if params.offset.is_none_or(|offset| next > offset) => params.offset = Some(next),
            _ => return Ok((key, pages.into_iter().rev().flatten().collect())),
        }
    }
}

fn markdown(key: &str, messages: &[Value]) -> String {
    let section = |message: &Value| {
        let (who, said) = in_words(message)?;
        let when = moment(message, "%Y-%m-%d %H:%M").map_or_else(String::new, |when| format!(", {when}"));
        Some(format!("\n## {who}{when}\n\n{said}\n"))
    };
    let sections = messages.iter().filter_map(section);
    std::iter::once(format!("# {key}\n")).chain(sections).collect()
}

/// Who said it and what, as people read it; `None` for what has no words.
fn in_words(message: &Value) -> Option<(String, String)> {
    let role = message.get("role").and_then(Value::as_str)?;
    let mut parts: Vec<String> = Vec::new();
    match message.get("content") {
        Some(Value::String(text)) => parts.push(text.clone()),
        Some(Value::Array(blocks)) => parts.extend(blocks.iter().filter_map(block)),
        _ => {}
    }
    let text = parts.join("\n").trim().to_owned();
    if text.is_empty() {
        return None;
    }
    if role == "toolResult" {
        let tool = message.get("toolName").and_then(Value::as_str).unwrap_or("a tool");
        return Some((format!("{tool} answered"), brief(&text, TOOL_CHARS)));
    }
    Some((role.to_owned(), text))
}

fn block(block: &Value) -> Option<String> {
    let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match block.get("type").and_then(Value::as_str)? {
        "text" => Some(text("text")),
        "toolCall" => Some(format!("[uses {}]", text("name"))),
        "image" => Some("[a picture]".to_owned()),
        "document" => Some(format!("[a document {}]", text("name")).replace(" ]", "]")),
        _ => None,
    }
}

/// When it was said, here.
fn moment(message: &Value, how: &str) -> Option<String> {
    let at = message.get("timestamp").and_then(Value::as_i64)?;
    let at = jiff::Timestamp::from_millisecond(at).ok()?;
    Some(at.to_zoned(TimeZone::system()).strftime(how).to_string())
}
