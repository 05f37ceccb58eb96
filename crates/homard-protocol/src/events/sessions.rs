//! Events about what is said in conversations.

use serde::Serialize;
use serde_json::Value;

use crate::event::{Event, Guard};
use crate::scope::Scope;
use crate::session_row::SessionRow;

/// `session.message`: for sockets that called `sessions.messages.subscribe` for the session, or
/// `sessions.subscribe`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SessionMessageEvent {
    /// Which session.
    pub session_key: String,
    /// Whose.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub agent_id: Option<String>,
    /// What was said, as `chat.history` shows it.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub message: Value,
    /// Its entry.
    pub message_id: String,
    /// Its place in the transcript.
    #[cfg_attr(test, ts(type = "number"))]
    pub message_seq: i64,
    /// The session's row.
    pub session: SessionRow,
}

impl Event for SessionMessageEvent {
    const NAME: &'static str = "session.message";
    const GUARD: Guard = Guard::Operator(Scope::Read);
}
