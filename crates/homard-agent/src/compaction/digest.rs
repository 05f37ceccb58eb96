//! What is summarised, as text: for the model that summarises it, and as a plain list for when none can.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use homard_protocol::{AssistantBlock, Entry, EntryKind, Message, ToolCall};
use homard_tools::Label;
use serde_json::{Value, json};

use crate::clip::{clipped, first_words};

/// Most bytes of one tool result the summarising model reads.
const MAX_RESULT: usize = 2_000;
/// Most bytes of one call's arguments it reads.
const MAX_ARGUMENTS: usize = 500;
/// Most bytes of one request in the plain list.
const MAX_LISTED: usize = 240;
/// Most labels a summary inherits.
const MAX_LABELS: usize = 32;
/// Most files remembered of each kind.
const MAX_FILES: usize = 200;

/// The conversation as text, in pieces of at most `max` bytes, oldest first.
pub(super) fn pieces(entries: &[Entry], max: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for entry in entries {
        let mut text = told(entry);
        if text.is_empty() {
            continue;
        }
        text = clipped(&text, max.saturating_sub(1));
        if !piece.is_empty() && piece.len() + text.len() + 1 > max {
            pieces.push(std::mem::take(&mut piece));
        }
        piece.push_str(&text);
        piece.push('\n');
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// One entry as the summarising model reads it.
fn told(entry: &Entry) -> String {
    match &entry.kind {
        EntryKind::Message { message } => told_message(message),
        EntryKind::CustomMessage { content, .. } => format!("Note: {}", content.text()),
        EntryKind::BranchSummary { summary, .. } => format!("Note: {summary}"),
        _ => String::new(),
    }
}

fn told_message(message: &Message) -> String {
    match message {
        Message::User(user) => format!("Person: {}", user.content.text()),
        Message::Assistant(answer) => {
            let said = answer.content.iter().filter_map(|block| match block {
                AssistantBlock::Text { text, .. } => Some(format!("Assistant: {text}")),
                AssistantBlock::ToolCall(call) => {
                    let arguments = clipped(&call.arguments.to_string(), MAX_ARGUMENTS);
                    Some(format!("Assistant uses {}: {arguments}", call.name))
                }
                AssistantBlock::Thinking { .. } => None,
            });
            said.collect::<Vec<_>>().join("\n")
        }
        Message::ToolResult(result) => {
            let how = if result.is_error { "failed" } else { "answered" };
            format!("{} {how}: {}", result.tool_name, clipped(&message.text(), MAX_RESULT))
        }
        Message::Other(_) => String::new(),
    }
}

/// What was asked and which tools were used, without any model's help, in at most `max` bytes; the newest
/// requests stay.
pub(super) fn list(entries: &[Entry], max: usize) -> String {
    let messages = || {
        entries.iter().filter_map(|entry| match &entry.kind {
            EntryKind::Message { message } => Some(message),
            _ => None,
        })
    };
    let mut tools: BTreeMap<&str, usize> = BTreeMap::new();
    for call in calls(entries) {
        *tools.entry(call.name.as_str()).or_default() += 1;
    }
    let used: Vec<String> = tools.iter().map(|(name, times)| format!("{name} ({times}×)")).collect();
    let mut after = String::new();
    if !used.is_empty() {
        let _written = write!(after, "Tools used: {}.", clipped(&used.join(", "), max / 4));
    }
    let (read, changed) = files(entries);
    for (what, paths) in [("read", read), ("changed", changed)] {
        if !paths.is_empty() {
            let _written = write!(after, "\nFiles {what}: {}.", clipped(&paths.join(", "), max / 8));
        }
    }
    let mut room = max.saturating_sub(after.len() + 2 * MAX_LISTED);
    let mut requests = Vec::new();
    let mut left_out = 0_usize;
    for message in messages().rev() {
        let Message::User(user) = message else { continue };
        let line = format!("- {}", first_words(&user.content.text(), MAX_LISTED));
        match room.checked_sub(line.len() + 1) {
            Some(rest) => {
                room = rest;
                requests.push(line);
            }
            None => {
                room = 0;
                left_out += 1;
            }
        }
    }
    requests.reverse();
    let mut out = "This part could not be summarised. The person asked, oldest first:\n".to_owned();
    if left_out > 0 {
        let _written = writeln!(out, "- ({left_out} earlier requests left out)");
    }
    out.push_str(&requests.join("\n"));
    out.push('\n');
    out.push_str(&after);
    out
}

/// The files the assistant read and changed, and whose words are summarised, for the compaction's record.
/// `before` is the record of the summary this one takes in.
pub(super) fn details(entries: &[Entry], before: Option<&Value>) -> Option<Value> {
    let (read, changed) = files(entries);
    let files = (!read.is_empty() || !changed.is_empty())
        .then(|| json!({"readFiles": read, "modifiedFiles": changed}));
    let mut labels = Label::of(before);
    for label in entries.iter().flat_map(|entry| Label::of_entry(&entry.kind)) {
        if labels.len() < MAX_LABELS && !labels.contains(&label) {
            labels.push(label);
        }
    }
    Label::beside(files, &labels)
}

fn files(entries: &[Entry]) -> (Vec<&str>, Vec<&str>) {
    let (mut read, mut changed) = (Vec::new(), Vec::new());
    for call in calls(entries) {
        let list = match call.name.as_str() {
            "read" => &mut read,
            "write" | "edit" => &mut changed,
            _ => continue,
        };
        let path = ["path", "file_path"].iter().find_map(|key| call.arguments.get(key)?.as_str());
        if let Some(path) = path.filter(|path| list.len() < MAX_FILES && !list.contains(path)) {
            list.push(path);
        }
    }
    (read, changed)
}

fn calls(entries: &[Entry]) -> impl Iterator<Item = &ToolCall> {
    let answers = entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message { message: Message::Assistant(answer) } => Some(answer),
        _ => None,
    });
    answers.flat_map(homard_protocol::AssistantMessage::tool_calls)
}
