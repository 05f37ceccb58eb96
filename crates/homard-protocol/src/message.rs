//! What was said: user, assistant and tool-result messages in the shape transcripts and clients share.
//!
//! This is not any provider's wire format; `homard-llm` translates. Roles other software wrote into a
//! transcript and we do not know are kept as they are ([`Message::Other`]) and never reach a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::ToolCallId;
use crate::word::words;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Message {
    /// A person, or Homard speaking for one.
    User(UserMessage),
    Assistant(AssistantMessage),
    /// What a tool answered.
    ToolResult(ToolResultMessage),
    /// A role this version does not know, kept verbatim.
    #[serde(untagged)]
    Other(Value),
}

impl Message {
    /// The plain text of the message, blocks joined by blank lines; thinking and calls left out.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::User(m) => m.content.text(),
            Self::Assistant(m) => m.text(),
            Self::ToolResult(m) => join(m.content.iter().filter_map(UserBlock::as_text)),
            Self::Other(_) => String::new(),
        }
    }
}

fn join<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.filter(|p| !p.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    /// Text, or text and images.
    pub content: UserContent,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
    /// `<runId>:user`; lets clients drop the copy they already show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// A user message's content: a bare string or blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum UserContent {
    Text(String),
    /// Text and images in order.
    Blocks(Vec<UserBlock>),
}

impl UserContent {
    /// The text of all blocks.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => join(blocks.iter().filter_map(UserBlock::as_text)),
        }
    }

    /// Whether nothing is said or shown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Blocks(blocks) => blocks.is_empty(),
        }
    }
}

/// A piece of what a person or a tool said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum UserBlock {
    Text {
        text: String,
    },
    #[serde(rename_all = "camelCase")]
    Image {
        data: String,
        mime_type: String,
    },
    /// A document: a PDF, a table, a text file.
    #[serde(rename_all = "camelCase")]
    Document {
        data: String,
        mime_type: String,
        /// What the person calls it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

impl UserBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text, where this is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Image { .. } | Self::Document { .. } => None,
        }
    }
}

/// What the model said in one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Text, thinking and tool calls in the order they were produced.
    pub content: Vec<AssistantBlock>,
    /// The wire API used, for example `openai-completions`.
    #[serde(default)]
    pub api: String,
    /// The provider's id; `openclaw` for lines the gateway itself wrote, as existing clients expect.
    #[serde(default)]
    pub provider: String,
    /// The model's id; `gateway-injected` for lines the gateway itself wrote.
    #[serde(default)]
    pub model: String,
    /// What the call cost.
    #[serde(default)]
    pub usage: Usage,
    /// Why the model stopped.
    #[serde(default)]
    pub stop_reason: StopReason,
    /// What went wrong, when `stop_reason` is `error` or `aborted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
}

/// The provider name clients expect on lines the gateway itself wrote.
pub const INJECTED_PROVIDER: &str = "openclaw";
/// The model name clients expect on lines the gateway itself wrote.
pub const INJECTED_MODEL: &str = "gateway-injected";

impl AssistantMessage {
    /// The text blocks, joined by blank lines.
    #[must_use]
    pub fn text(&self) -> String {
        join(self.content.iter().filter_map(AssistantBlock::as_text))
    }

    /// The tool calls in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            AssistantBlock::ToolCall(call) => Some(call),
            AssistantBlock::Text { .. } | AssistantBlock::Thinking { .. } => None,
        })
    }

    /// Whether the gateway wrote it beside the turns of its conversation: what a job or another conversation sent there,
    /// or somebody put in. It may stand in the midst of a turn, and answers nobody.
    #[must_use]
    pub fn is_said_beside(&self) -> bool {
        self.provider == INJECTED_PROVIDER
            && self.model == INJECTED_MODEL
            && self.stop_reason == StopReason::Stop
            && self.tool_calls().next().is_none()
    }

    /// A line the gateway itself writes into a transcript (a note, a partial answer after an abort).
    #[must_use]
    pub fn injected(text: String, stop_reason: StopReason, timestamp: i64) -> Self {
        Self {
            content: vec![AssistantBlock::text(text)],
            api: "openai-responses".to_owned(),
            provider: INJECTED_PROVIDER.to_owned(),
            model: INJECTED_MODEL.to_owned(),
            usage: Usage::default(),
            stop_reason,
            error_message: None,
            timestamp,
        }
    }
}

/// A piece of what the model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum AssistantBlock {
    /// Text for the person.
    #[serde(rename_all = "camelCase")]
    Text {
        text: String,
        /// Opaque proof some providers want back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text_signature: Option<String>,
    },
    /// The model's own reasoning.
    #[serde(rename_all = "camelCase")]
    Thinking {
        thinking: String,
        /// Opaque proof some providers want back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking_signature: Option<String>,
    },
    /// A wish to use a tool.
    ToolCall(ToolCall),
}

impl AssistantBlock {
    /// A text block without a signature.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), text_signature: None }
    }

    /// The text, where this is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::Thinking { .. } | Self::ToolCall(_) => None,
        }
    }
}

/// A model's wish to use a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The model's name for this call; its result carries the same.
    pub id: ToolCallId,
    pub name: String,
    /// An object; `{}` when the model sent nothing readable.
    pub arguments: Value,
    /// Opaque proof some providers want back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The call this answers.
    pub tool_call_id: ToolCallId,
    pub tool_name: String,
    /// What the model reads.
    pub content: Vec<UserBlock>,
    /// What people and programs read: exit codes, diffs, timings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Whether the tool could not do it.
    #[serde(default)]
    pub is_error: bool,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
}

words! {
    /// Who speaks, of those whose messages we know.
    MessageRole {
        User = "user",
        Assistant = "assistant",
        ToolResult = "toolResult",
    }
}

words! {
    /// Why a model stopped.
    #[derive(Default)]
    StopReason {
        #[default]
        Stop = "stop",
        /// It ran into the output limit.
        Length = "length",
        ToolUse = "toolUse",
        Error = "error",
        Aborted = "aborted",
    }
}

/// Tokens and money of one model call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Prompt tokens not served from a cache.
    pub input: u64,
    pub output: u64,
    /// Prompt tokens served from the provider's cache.
    pub cache_read: u64,
    /// Prompt tokens written to the provider's cache.
    pub cache_write: u64,
    /// All of the above.
    pub total_tokens: u64,
    pub cost: Cost,
}

impl Usage {
    /// The size of the prompt, cached or not.
    #[must_use]
    pub fn prompt_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// Adds another call's usage to this one.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.total_tokens = self.total_tokens.saturating_add(other.total_tokens);
        self.cost.input += other.cost.input;
        self.cost.output += other.cost.output;
        self.cost.cache_read += other.cost.cache_read;
        self.cost.cache_write += other.cost.cache_write;
        self.cost.total += other.cost.total;
    }
}

/// US dollars of one model call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Cost {
    pub input: f64,
    pub output: f64,
    /// For cached prompt parts.
    pub cache_read: f64,
    /// For writing the cache.
    pub cache_write: f64,
    /// All of the above.
    pub total: f64,
}

#[cfg(test)]
mod tests;
