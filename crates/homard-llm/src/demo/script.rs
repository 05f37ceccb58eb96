//! What the demo does next, decided from the conversation alone: a pure function, asked anew at every call.

use std::sync::Arc;

use homard_protocol::{Message, ToolResultMessage};
use serde_json::{Value, json};

use super::intent::{Intent, body};
use super::talk;
use crate::call::request::Request;

/// Where facts are kept.
const MEMORY_FILE: &str = "MEMORY.md";
/// How a fresh memory file begins.
const MEMORY_HEADING: &str = "# Memory\n";
/// A memory file longer than this was probably not read whole, and rewriting it would lose the rest.
const MAX_MEMORY_BYTES: usize = 40_000;
/// As [`MAX_MEMORY_BYTES`], in lines.
const MAX_MEMORY_LINES: usize = 1_800;

/// The demo's next move: words, then perhaps a tool.
#[derive(Debug, PartialEq)]
pub(super) struct ScriptStep {
    pub(super) text: String,
    pub(super) call: Option<ScriptCall>,
}

/// A tool to call.
#[derive(Debug, PartialEq)]
pub(super) struct ScriptCall {
    pub(super) name: &'static str,
    pub(super) arguments: Value,
}

/// Decides the next move.
pub(super) fn next(request: &Request, today: &str) -> ScriptStep {
    let (asked, results) = open_turn(&request.messages);
    let can = |name: &str| request.tools.iter().any(|tool| tool.name == name);
    let intent = Intent::of(&asked);
    match (&intent, results.as_slice()) {
        (Intent::ListFiles, []) if can("exec") => {
            call("Let me look around.", "exec", json!({"command": "ls -la"}))
        }
        (Intent::ListFiles, [.., last]) => say(talk::listing(&text(last), last.is_error)),
        (Intent::Run(command), []) if can("exec") => {
            call(&format!("Running `{command}`."), "exec", json!({ "command": command }))
        }
        (Intent::Run(command), [.., last]) => say(talk::command(command, &text(last), last.is_error)),
        (Intent::Read(path), []) if can("read") => {
            call(&format!("Reading `{path}`."), "read", json!({ "path": path }))
        }
        (Intent::Read(path), [.., last]) => say(talk::file(path, &text(last), last.is_error)),
        (Intent::Recall, []) if can("read") => {
            call("Let me check my notes.", "read", json!({ "path": MEMORY_FILE }))
        }
        (Intent::Recall, [.., last]) => say(talk::memory(&text(last), last.is_error)),
        (Intent::Remember(_), []) if can("read") && can("write") => call(
            "I will write that down. First, what do I have already?",
            "read",
            json!({ "path": MEMORY_FILE }),
        ),
        (Intent::Remember(fact), [read]) if read.tool_name == "read" => remember(fact, read, today),
        (Intent::Remember(fact), [.., last]) => say(talk::remembered(fact, &text(last), last.is_error)),
        (Intent::ListFiles | Intent::Run(_) | Intent::Read(_) | Intent::Recall | Intent::Remember(_), []) => {
            say(talk::NO_TOOL.to_owned())
        }
        (Intent::Tour, _) => say(talk::TOUR.to_owned()),
        (Intent::Configure, _) => say(talk::CONFIGURE.to_owned()),
        (Intent::Greet, _) => say(talk::GREETING.to_owned()),
        (Intent::Thank, _) => say(talk::THANKS.to_owned()),
        (Intent::Heartbeat, _) => say("HEARTBEAT_OK".to_owned()),
        (Intent::Chat, _) => say(talk::chat(&asked)),
    }
}

/// The newest thing a person said, and what tools answered since.
fn open_turn(messages: &[Arc<Message>]) -> (String, Vec<&ToolResultMessage>) {
    let start = messages.iter().rposition(|message| matches!(&**message, Message::User(_)));
    let (asked, since) = match start {
        Some(at) => (
            messages.get(at).map(|m| body(&m.text()).to_owned()).unwrap_or_default(),
            messages.get(at + 1..).unwrap_or_default(),
        ),
        None => (String::new(), messages),
    };
    let results = since.iter().filter_map(|message| match &**message {
        Message::ToolResult(result) => Some(result),
        Message::User(_) | Message::Assistant(_) | Message::Other(_) => None,
    });
    (asked, results.collect())
}

/// Adds a dated bullet to what was read, or begins the file when there was none.
fn remember(fact: &str, read: &ToolResultMessage, today: &str) -> ScriptStep {
    let old = text(read);
    let exists = !read.is_error;
    if exists && (old.len() > MAX_MEMORY_BYTES || old.lines().count() > MAX_MEMORY_LINES) {
        return say(talk::MEMORY_TOO_LONG.to_owned());
    }
    if !exists && !is_missing(&old) {
        return say(talk::memory_unreadable(&old));
    }
    let old = if exists { old.as_str() } else { MEMORY_HEADING };
    let content = format!("{}\n- {today}: {fact}\n", old.trim_end());
    call("Writing it down.", "write", json!({ "path": MEMORY_FILE, "content": content }))
}

/// Whether a failed read means that there is no such file, rather than one that may not be read.
fn is_missing(error: &str) -> bool {
    let error = error.to_lowercase();
    ["no such file", "not found", "does not exist", "no file", "missing", "enoent"]
        .iter()
        .any(|part| error.contains(part))
}

fn text(result: &ToolResultMessage) -> String {
    result.content.iter().filter_map(|block| block.as_text()).collect::<Vec<_>>().join("\n")
}

fn say(text: String) -> ScriptStep {
    ScriptStep { text, call: None }
}

fn call(text: &str, name: &'static str, arguments: Value) -> ScriptStep {
    ScriptStep { text: text.to_owned(), call: Some(ScriptCall { name, arguments }) }
}

#[cfg(test)]
mod tests;
