//! `chat.message.get`: all of one message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_ref::SessionRef;
use crate::word::words;

/// Most characters of a message that are answered with.
pub const MAX_MESSAGE_GET_CHARS: u64 = 2_000_000;
/// Characters answered with unless the caller says otherwise.
pub const DEFAULT_MESSAGE_GET_CHARS: u64 = 500_000;

/// `chat.message.get`: the full text of one message.
#[derive(Debug)]
pub struct ChatMessageGet;

impl Method for ChatMessageGet {
    const NAME: &'static str = "chat.message.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ChatMessageGetParams;
    type Result = ChatMessageGetResult;
}

/// Parameters of [`ChatMessageGet`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatMessageGetParams {
    pub session_key: SessionRef,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    pub message_id: String,
    pub max_chars: Option<u64>,
}

words! {
    /// Why a message is not here.
    MessageUnavailable {
        NotFound = "not_found",
        NotVisible = "not_visible",
        Oversized = "oversized",
    }
}

/// Answer of [`ChatMessageGet`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessageGetResult {
    /// Whether it is here.
    pub ok: bool,
    pub message: Option<Value>,
    pub unavailable_reason: Option<MessageUnavailable>,
}
