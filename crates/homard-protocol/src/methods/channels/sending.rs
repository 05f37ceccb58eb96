//! `send`, `poll` and `message.action`: writing to people on chat platforms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

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
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendParams {
    pub to: String,
    /// Makes repeating harmless; also the run's name.
    pub idempotency_key: String,
    pub message: Option<String>,
    /// A picture, sound or file.
    pub media_url: Option<String>,
    pub media_urls: Option<Vec<String>>,
    /// A file in base64.
    pub buffer: Option<String>,
    pub filename: Option<String>,
    pub content_type: Option<String>,
    /// As a voice message.
    pub as_voice: Option<bool>,
    /// As a moving picture.
    pub gif_playback: Option<bool>,
    pub channel: Option<String>,
    pub account_id: Option<String>,
    pub agent_id: Option<AgentId>,
    /// In answer to which message.
    pub reply_to_id: Option<String>,
    pub thread_id: Option<String>,
    /// As a file, even if it is a picture.
    pub force_document: Option<bool>,
    pub silent: Option<bool>,
    /// How the words are written: `HTML`.
    pub parse_mode: Option<ParseMode>,
    /// The conversation it belongs to.
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
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PollParams {
    pub to: String,
    pub question: String,
    /// What can be answered.
    pub options: Vec<String>,
    pub idempotency_key: String,
    /// How many answers one person may choose.
    pub max_selections: Option<u64>,
    /// How long it is open.
    pub duration_seconds: Option<u64>,
    /// The same in hours.
    pub duration_hours: Option<u64>,
    pub silent: Option<bool>,
    pub is_anonymous: Option<bool>,
    pub thread_id: Option<String>,
    pub channel: Option<String>,
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
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageActionParams {
    pub channel: String,
    pub action: String,
    /// The action's own parameters.
    pub params: Map<String, Value>,
    pub idempotency_key: String,
    /// In answer to which message.
    pub reply: Option<Map<String, Value>>,
    pub account_id: Option<String>,
    /// The account of who asks.
    pub requester_account_id: Option<String>,
    pub requester_sender_id: Option<String>,
    /// Whether that is the owner.
    pub sender_is_owner: Option<bool>,
    /// The conversation it belongs to.
    pub session_key: Option<SessionRef>,
    pub session_id: Option<String>,
    pub inbound_turn_kind: Option<String>,
    pub agent_id: Option<AgentId>,
    /// What is known about tools at that point.
    pub tool_context: Option<Map<String, Value>>,
}
