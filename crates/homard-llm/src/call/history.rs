//! A conversation as a model API accepts it: every tool call followed by its result, every result after its
//! call.
//!
//! Transcripts are not always so tidy: a run is killed between call and result, a person writes while a tool
//! runs, a compaction cuts a pair apart. APIs answer such a history with a 400 that no retry mends, so it is
//! repaired here, the same way every time, without touching the transcript.

use std::collections::HashMap;
use std::sync::Arc;

use homard_protocol::{AssistantMessage, Message, ToolCall, ToolCallId, ToolResultMessage, UserMessage};

/// What the model reads in place of a result that never came.
pub(crate) const MISSING_RESULT: &str =
    "No result: the tool was interrupted before it answered. It may or may not have taken effect.";

/// One step of a repaired conversation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<'a> {
    User(&'a UserMessage),
    /// The model's words and calls; never empty.
    Assistant(&'a AssistantMessage),
    /// A result, right after the message that called for it.
    Result(&'a ToolResultMessage),
    /// A call nobody answered; its result is [`MISSING_RESULT`].
    Missing(&'a ToolCall),
}

/// Orders and repairs `messages`. Linear in their number.
pub(crate) fn repaired(messages: &[Arc<Message>]) -> Vec<Step<'_>> {
    let mut steps = Vec::with_capacity(messages.len());
    let mut rest = messages;
    while let Some((message, after)) = rest.split_first() {
        rest = after;
        match &**message {
            Message::User(user) => steps.push(Step::User(user)),
            Message::Assistant(assistant) if is_empty(assistant) => {}
            Message::Assistant(assistant) => {
                steps.push(Step::Assistant(assistant));
                answer_calls(assistant, after, &mut steps);
            }
            // Results are placed with their call; one that is met here on its own has none.
            Message::ToolResult(_) | Message::Other(_) => {}
        }
    }
    steps
}

fn answer_calls<'a>(assistant: &'a AssistantMessage, after: &'a [Arc<Message>], steps: &mut Vec<Step<'a>>) {
    if assistant.tool_calls().next().is_none() {
        return;
    }
    let mut results: HashMap<&ToolCallId, &ToolResultMessage> = HashMap::new();
    for message in after {
        match &**message {
            Message::Assistant(next) if !is_empty(next) && !next.is_said_beside() => break,
            Message::ToolResult(result) => {
                results.entry(&result.tool_call_id).or_insert(result);
            }
            Message::Assistant(_) | Message::User(_) | Message::Other(_) => {}
        }
    }
    steps.extend(assistant.tool_calls().map(|call| match results.get(&call.id) {
        Some(result) => Step::Result(result),
        None => Step::Missing(call),
    }));
}

/// Whether a message says and asks nothing, as a call that failed before its first word leaves behind.
fn is_empty(assistant: &AssistantMessage) -> bool {
    assistant.tool_calls().next().is_none()
        && assistant.content.iter().filter_map(|block| block.as_text()).all(|text| text.trim().is_empty())
}

#[cfg(test)]
mod tests;
