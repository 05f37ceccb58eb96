//! `chat`: what a person watching a conversation sees.

use std::sync::Arc;

use serde::Serialize;

use crate::event::{Event, Guard};
use crate::message::{AssistantMessage, Usage};
use crate::scope::Scope;

/// One step of a run, for people.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatEvent {
    pub run_id: Arc<str>,
    pub session_key: Arc<str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<Arc<str>>,
    /// Grows within the run; shared with `agent` events, so not without gaps.
    pub seq: u64,
    #[serde(flatten)]
    pub state: ChatState,
}

/// What happened. Exactly one of `final`, `aborted`, `error` ends a run.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(tag = "state", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum ChatState {
    Status {
        phase: &'static str,
    },
    Delta {
        delta_text: String,
        message: ChatMessage,
    },
    Final {
        /// The whole answer; absent when there is nothing to show.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<FinalMessage>,
        /// Tokens of the run.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// Why the model stopped.
        #[serde(skip_serializing_if = "Option::is_none")]
        stop_reason: Option<String>,
    },
    Aborted {
        /// What was said until then.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<ChatMessage>,
        /// By whom: `rpc`, `stop`, `timeout`, `restart`.
        stop_reason: String,
    },
    Error {
        /// What a person reads.
        error_message: String,
        /// What a program decides on.
        error_kind: ErrorKind,
        /// What was said until then.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<ChatMessage>,
    },
}

/// The message of a `final`: a snapshot of the run's text, or a line the gateway itself wrote.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum FinalMessage {
    Text(ChatMessage),
    /// A whole transcript message.
    Injected(Box<InjectedMessage>),
}

/// A transcript message with its role, as `final` carries it.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct InjectedMessage {
    pub role: &'static str,
    #[serde(flatten)]
    pub message: AssistantMessage,
}

/// A snapshot of an answer in the making.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct ChatMessage {
    pub role: &'static str,
    pub content: [TextBlock; 1],
    pub timestamp: i64,
}

/// A text block of a snapshot.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct TextBlock {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub text: Arc<str>,
}

impl ChatMessage {
    /// A snapshot of `text`.
    pub fn new(text: impl Into<Arc<str>>, timestamp: i64) -> Self {
        Self { role: "assistant", content: [TextBlock { kind: "text", text: text.into() }], timestamp }
    }
}

/// What a program decides on when a run failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The model would not.
    Refusal,
    /// It took too long.
    Timeout,
    /// Too much was asked of the provider.
    RateLimit,
    /// The conversation is too long.
    ContextLength,
    Unknown,
}

impl Event for ChatEvent {
    const NAME: &'static str = "chat";
    const GUARD: Guard = Guard::Operator(Scope::Read);

    fn droppable(&self) -> bool {
        matches!(self.state, ChatState::Delta { .. })
    }

    fn session(&self) -> Option<&Arc<str>> {
        Some(&self.session_key)
    }
}
