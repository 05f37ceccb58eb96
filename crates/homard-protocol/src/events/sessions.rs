//! Events about what is said in conversations.

use serde::Serialize;
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::event::{Event, Guard};
use crate::id::{AgentId, EntryId, RunId};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_row::SessionRow;
use crate::word::words;

/// `session.message`: for sockets that called `sessions.messages.subscribe` for the session, or
/// `sessions.subscribe`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMessageEvent {
    pub session_key: SessionKey,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// What was said, as `chat.history` shows it.
    pub message: Value,
    pub message_id: EntryId,
    /// Its place in the transcript.
    pub message_seq: i64,
    pub session: SessionRow,
}

impl Event for SessionMessageEvent {
    const NAME: &'static str = "session.message";
    const GUARD: Guard = Guard::Operator(Scope::Read);
}

words! {
    /// Work on a conversation itself.
    SessionOperation {
        Compact = "compact",
    }
}

words! {
    /// Where such work is.
    OperationPhase {
        Start = "start",
        End = "end",
    }
}

/// `session.operation`: work on a conversation itself begins or is over, for sockets that called `sessions.subscribe`.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionOperationEvent {
    pub operation_id: RunId,
    pub operation: SessionOperation,
    pub phase: OperationPhase,
    pub session_key: SessionKey,
    pub agent_id: Option<AgentId>,
    pub ts: i64,
    /// At the end: whether something came of it.
    pub completed: Option<bool>,
}

impl Event for SessionOperationEvent {
    const NAME: &'static str = "session.operation";
    const GUARD: Guard = Guard::Operator(Scope::Read);

    fn droppable(&self) -> bool {
        true
    }
}
