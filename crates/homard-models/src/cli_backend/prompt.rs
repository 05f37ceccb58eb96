//! What the program is asked: the newest message, and as text what its own session has not seen.

use std::sync::Arc;

use homard_protocol::{Message, StopReason, UserBlock, UserContent, UserMessage};
use homard_runtime::Clip;
use serde_json::json;

/// Most of the earlier conversation that is put into a prompt, in bytes; the newest stays.
const MAX_HISTORY_BYTES: usize = 60_000;
/// Most of one earlier message, in characters.
const MAX_MESSAGE_CHARS: usize = 4_000;
/// Most pictures of one message.
const MAX_IMAGES: usize = 16;
/// Asked when a message has no words.
const NO_TEXT: &str = "(no text)";

/// A picture of the newest message, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) data: String,
    /// How its file's name ends.
    pub(super) extension: &'static str,
}

/// What is asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) text: String,
    pub(super) images: Vec<Image>,
}

/// Puts the conversation into one question for `backend`. A session that `remembers` is told only what
/// happened after its own last answer.
pub(super) fn question(messages: &[Arc<Message>], backend: &str, remembers: bool) -> Question {
    let newest = messages.iter().rposition(|message| matches!(**message, Message::User(_)));
    let newest = newest.unwrap_or(messages.len());
    let (before, rest) = messages.split_at(newest);
    let seen = before.iter().rposition(|message| remembers && is_answer_of(message, backend));
    let unseen = before.get(seen.map_or(0, |at| at + 1)..).unwrap_or_default();
    let (asked, after) = rest.split_first().map_or((None, rest), |(first, after)| (Some(&**first), after));
    let (words, images) = match asked {
        Some(Message::User(message)) => (words(message), images(message)),
        _ => (String::new(), Vec::new()),
    };
    let words = if words.trim().is_empty() { NO_TEXT.to_owned() } else { words };
    let mut text = match told(unseen) {
        Some(earlier) => {
            format!(
                "The conversation so far, one message per line as JSON:\n\n{earlier}\n\nThe newest message, to be answered now:\n\n{words}"
            )
        }
        None => words,
    };
    if let Some(done) = told(after) {
        text = format!("{text}\n\nWhat was done about it so far, as JSON; go on from there:\n\n{done}");
    }
    Question { text, images }
}

fn is_answer_of(message: &Message, backend: &str) -> bool {
    let Message::Assistant(message) = message else { return false };
    message.provider == backend && !matches!(message.stop_reason, StopReason::Error | StopReason::Aborted)
}

fn words(message: &UserMessage) -> String {
    let mut text = message.content.text();
    if let UserContent::Blocks(blocks) = &message.content {
        for block in blocks {
            if let UserBlock::Document { name, mime_type, .. } = block {
                let name = name.as_deref().unwrap_or(mime_type);
                text = format!("{text}\n\n[the document `{name}` cannot be shown to this model]");
            }
        }
    }
    text
}

fn images(message: &UserMessage) -> Vec<Image> {
    let UserContent::Blocks(blocks) = &message.content else { return Vec::new() };
    let found = blocks.iter().filter_map(|block| match block {
        UserBlock::Image { data, mime_type } => {
            Some(Image { data: data.clone(), extension: extension(mime_type) })
        }
        UserBlock::Text { .. } | UserBlock::Document { .. } => None,
    });
    found.take(MAX_IMAGES).collect()
}

fn extension(mime_type: &str) -> &'static str {
    match mime_type {
        "image/jpeg" | "image/jpg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        _ => "png",
    }
}

/// Messages as lines, the newest that fit. JSON, so that no message can pretend to be two.
fn told(messages: &[Arc<Message>]) -> Option<String> {
    let mut lines = Vec::new();
    let mut room = MAX_HISTORY_BYTES;
    for message in messages.iter().rev() {
        let Some(line) = line(message) else { continue };
        if line.len() > room {
            lines.push(json!({ "note": "earlier messages are left out" }).to_string());
            break;
        }
        room -= line.len();
        lines.push(line);
    }
    lines.reverse();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn line(message: &Message) -> Option<String> {
    let text = message.text().ellipsis_after(MAX_MESSAGE_CHARS);
    let line = match message {
        Message::User(_) => json!({ "user": text }),
        Message::Assistant(message) => {
            let calls = message.tool_calls();
            let calls: Vec<String> = calls
                .map(|call| format!("{} {}", call.name, call.arguments).ellipsis_after(MAX_MESSAGE_CHARS))
                .collect();
            match (text.is_empty(), calls.is_empty()) {
                (true, true) => return None,
                (_, true) => json!({ "assistant": text }),
                (_, false) => json!({ "assistant": text, "called": calls }),
            }
        }
        Message::ToolResult(result) => json!({ "tool": result.tool_name, "answered": text }),
        Message::Other(_) => return None,
    };
    Some(line.to_string())
}

#[cfg(test)]
mod tests;
