//! `send`, `poll` and `message.action`: writing to people on chat platforms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_ref::SessionRef;

/// `send`.
#[derive(Debug)]
pub struct Send;

impl Method for Send {
    const NAME: &'static str = "send";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = SendParams;
    type Result = Value;
}

/// Parameters of [`Send`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendParams {
    pub to: String,
    /// Makes repeating harmless; also the run's name.
    pub idempotency_key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// A picture, sound or file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_urls: Option<Vec<String>>,
    /// A file in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// As a voice message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_voice: Option<bool>,
    /// As a moving picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gif_playback: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// In answer to which message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// As a file, even if it is a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_document: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent: Option<bool>,
    /// How the words are written: `HTML`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parse_mode: Option<ParseMode>,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<SessionRef>,
}

/// How the words of a message are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ParseMode {
    #[serde(rename = "HTML")]
    Html,
}

/// `poll`.
#[derive(Debug)]
pub struct Poll;

impl Method for Poll {
    const NAME: &'static str = "poll";
    const ACCESS: Access = Access::Operator(Scope::Write);
    const ADVERTISED: bool = false;
    type Params = PollParams;
    type Result = Value;
}

/// Fewest answers of a poll.
pub const MIN_POLL_OPTIONS: usize = 2;
/// Most answers of a poll.
pub const MAX_POLL_OPTIONS: usize = 12;
/// Longest time a poll is open, in seconds.
pub const MAX_POLL_SECONDS: u64 = 604_800;

/// Parameters of [`Poll`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PollParams {
    pub to: String,
    pub question: String,
    /// What can be answered.
    pub options: Vec<String>,
    pub idempotency_key: String,
    /// How many answers one person may choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_selections: Option<u64>,
    /// How long it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<u64>,
    /// The same in hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_hours: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_anonymous: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
}

/// `message.action`: react, edit, pin and what else a platform offers.
#[derive(Debug)]
pub struct MessageAction;

impl Method for MessageAction {
    const NAME: &'static str = "message.action";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = MessageActionParams;
    type Result = Value;
}

/// Parameters of [`MessageAction`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageActionParams {
    pub channel: String,
    pub action: String,
    /// The action's own parameters.
    pub params: Map<String, Value>,
    pub idempotency_key: String,
    /// In answer to which message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// The account of who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_account_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_sender_id: Option<String>,
    /// Whether that is the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_is_owner: Option<bool>,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<SessionRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inbound_turn_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// What is known about tools at that point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_context: Option<Map<String, Value>>,
}
