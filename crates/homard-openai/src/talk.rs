//! A request's conversation in our words, and which part of it is news.

use std::collections::BTreeMap;

use homard_protocol::{
    AssistantBlock, AssistantMessage, Message, StopReason, ToolCall, ToolCallId, ToolResultMessage,
    UserBlock, UserContent, UserMessage,
};
use homard_tools::{Label, Source};
use serde_json::{Value, json};

use super::parts::Part;
use super::refusal::ApiError;

/// What a request says.
#[derive(Debug, Default)]
pub(super) struct Talk {
    /// For the system prompt of this turn.
    pub(super) system: Vec<String>,
    /// Who said what, oldest first.
    pub(super) said: Vec<TalkPiece>,
}

/// One message.
#[derive(Debug, PartialEq)]
pub(super) enum TalkPiece {
    User(Vec<Part>),
    Assistant {
        text: String,
        calls: Vec<ToolCall>,
    },
    /// By a tool of the caller's.
    Result {
        id: String,
        /// What the tool said.
        text: String,
    },
}

/// Who called what, by the call's id.
pub(super) type Names = BTreeMap<String, String>;

impl Talk {
    /// Adds words for the system prompt.
    pub(super) fn instruct(&mut self, text: String) {
        if !text.trim().is_empty() {
            self.system.push(text);
        }
    }

    /// Adds calls of the model; those that stand behind each other are one message.
    pub(super) fn called(&mut self, call: ToolCall) {
        match self.said.last_mut() {
            Some(TalkPiece::Assistant { calls, .. }) => calls.push(call),
            _ => self.said.push(TalkPiece::Assistant { text: String::new(), calls: vec![call] }),
        }
    }

    /// The tools of all calls in the request.
    pub(super) fn names(&self) -> Names {
        let calls = self.said.iter().filter_map(|said| match said {
            TalkPiece::Assistant { calls, .. } => Some(calls),
            TalkPiece::User(_) | TalkPiece::Result { .. } => None,
        });
        calls.flatten().map(|call| (call.id.to_string(), call.name.clone())).collect()
    }

    /// Leaves what is asked now: nothing after the last thing a person or a tool said and, when the
    /// conversation is remembered here, nothing up to the last answer.
    pub(super) fn keep_news(&mut self, is_remembered: bool) -> Result<(), ApiError> {
        let asks = |said: &TalkPiece| !matches!(said, TalkPiece::Assistant { .. });
        let last = self.said.iter().rposition(asks);
        let last =
            last.ok_or_else(|| ApiError::invalid("there is no message of a user or a tool to answer"))?;
        self.said.truncate(last + 1);
        if is_remembered && let Some(answered) = self.said.iter().rposition(|said| !asks(said)) {
            self.said.drain(..=answered);
        }
        Ok(())
    }

    /// Results of calls nobody knows.
    pub(super) fn orphan<'a>(&'a self, names: &Names) -> Option<&'a str> {
        self.said.iter().find_map(|said| match said {
            TalkPiece::Result { id, .. } if !names.contains_key(id) => Some(id.as_str()),
            TalkPiece::Result { .. } | TalkPiece::User(_) | TalkPiece::Assistant { .. } => None,
        })
    }
}

/// A message of the person as the transcript has it; without a time, as nobody knows when it was said.
pub(super) fn user_message(blocks: Vec<UserBlock>) -> Message {
    let content = match <[UserBlock; 1]>::try_from(blocks) {
        Ok([UserBlock::Text { text }]) => UserContent::Text(text),
        Ok([one]) => UserContent::Blocks(vec![one]),
        Err(blocks) => UserContent::Blocks(blocks),
    };
    Message::User(UserMessage { content, timestamp: 0, idempotency_key: None })
}

/// An answer of the model as the transcript has it.
pub(super) fn answer_message(text: String, calls: Vec<ToolCall>, now: i64) -> Message {
    let stop = if calls.is_empty() { StopReason::Stop } else { StopReason::ToolUse };
    let mut message = AssistantMessage::injected(String::new(), stop, now);
    let words = (!text.is_empty()).then(|| AssistantBlock::text(text));
    message.content = words.into_iter().chain(calls.into_iter().map(AssistantBlock::ToolCall)).collect();
    Message::Assistant(message)
}

/// A result as the transcript has it. Whatever the caller's tool read to say this, we do not know.
pub(super) fn result_message(id: &str, name: &str, text: String, now: i64) -> Result<Message, ApiError> {
    Ok(Message::ToolResult(ToolResultMessage {
        tool_call_id: call_id(id)?,
        tool_name: name.to_owned(),
        content: vec![UserBlock::text(text)],
        details: Label::beside(None, &[Label::new(Source::Tool, name)]),
        is_error: false,
        timestamp: now,
    }))
}

/// A call as a caller writes it: arguments are JSON inside a text.
pub(super) fn call(id: &str, name: &str, arguments: &str) -> Result<ToolCall, ApiError> {
    let read = if arguments.trim().is_empty() { Ok(json!({})) } else { serde_json::from_str(arguments) };
    let arguments: Value = read.ok().filter(Value::is_object).ok_or_else(|| {
        ApiError::invalid(format!("the arguments of the call `{name}` must be a JSON object inside a text"))
    })?;
    Ok(ToolCall { id: call_id(id)?, name: name.to_owned(), arguments, thought_signature: None })
}

fn call_id(id: &str) -> Result<ToolCallId, ApiError> {
    ToolCallId::parse(id).map_err(|error| ApiError::invalid(error.to_string()))
}

#[cfg(test)]
mod tests;
