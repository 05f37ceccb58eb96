//! `chat.*`: talking to a session.

pub mod agent;
pub mod message;
pub mod startup;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::{AgentId, RunId, SessionId};
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::session_row::{SessionDefaults, SessionRow};
use crate::session_words::run_status::RunAnswer;
use crate::session_words::{QueueMode, ThinkingLevel, Verbosity};
use crate::word::Word;

/// `chat.send`: one user turn; the answer arrives as events.
#[derive(Debug)]
pub struct ChatSend;

impl Method for ChatSend {
    const NAME: &'static str = "chat.send";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = ChatSendParams;
    type Result = ChatSendResult;
}

/// Parameters of [`ChatSend`]. Fields whose room is not furnished yet are taken and checked for type only.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatSendParams {
    pub session_key: SessionRef,
    pub message: String,
    /// Becomes the run id; the same key never starts a second run.
    pub idempotency_key: RunId,
    /// For bare session keys: whose.
    pub agent_id: Option<AgentId>,
    /// The transcript the client believes it writes to.
    pub session_id: Option<String>,
    /// How hard to think in this turn.
    pub thinking: Option<Word<ThinkingLevel>>,
    /// Whether to deliver the answer to the session's channel too.
    pub deliver: Option<bool>,
    pub attachments: Option<Vec<Attachment>>,
    /// Time limit of the run.
    pub timeout_ms: Option<u64>,
    /// What to do when a run is active.
    pub queue_mode: Option<Word<QueueMode>>,
    /// Whether a leading slash is plain text.
    pub suppress_command_interpretation: Option<bool>,
    /// The message answered to.
    pub reply_to_id: Option<String>,
    /// Where the message really came from.
    pub originating_channel: Option<String>,
    pub originating_to: Option<String>,
    pub originating_account_id: Option<String>,
    pub originating_thread_id: Option<Value>,
    /// People named in the text.
    pub mentions: Option<Value>,
    /// What page the person looks at.
    pub work_context: Option<Value>,
    /// A goal to start.
    pub intent: Option<Value>,
    /// Whether to use a faster tier.
    pub fast_mode: Option<Value>,
    pub fast_auto_on_seconds: Option<f64>,
    /// Tools the client itself offers.
    pub tool_bindings: Option<Value>,
    /// Provenance of text that is not the person's.
    pub system_input_provenance: Option<Value>,
    pub system_provenance_receipt: Option<Value>,
    /// The leaf the client believes it continues.
    pub expected_leaf_entry_id: Option<Value>,
    pub expected_session_routing_contract: Option<Value>,
    pub expected_permission_mode: Option<Value>,
    pub expected_tool_overrides: Option<Value>,
}

/// A file sent with a message. Open: clients add facts of their own.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub mime_type: Option<String>,
    pub file_name: Option<String>,
    /// Base64, or a data URL.
    pub content: Option<String>,
}

/// Answer of [`ChatSend`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatSendResult {
    /// The run; equal to the idempotency key.
    pub run_id: RunId,
    /// Started, in flight for a repeat while it runs, how it ended for a repeat afterwards.
    pub status: RunAnswer,
    /// Present and true when a run was stopped for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted_active_run: Option<bool>,
}

/// `chat.history`: the newest page of a transcript.
#[derive(Debug)]
pub struct ChatHistory;

impl Method for ChatHistory {
    const NAME: &'static str = "chat.history";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ChatHistoryParams;
    type Result = ChatHistoryResult;
}

/// Parameters of [`ChatHistory`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatHistoryParams {
    pub session_key: SessionRef,
    /// For bare session keys: whose.
    pub agent_id: Option<AgentId>,
    /// How many messages; see [`limits`](crate::limits).
    pub limit: Option<u32>,
    /// How many of the newest to skip.
    pub offset: Option<u64>,
    pub max_bytes: Option<u64>,
    /// Longest text of one message.
    pub max_chars: Option<u64>,
    /// The `deltaCursor` of an earlier answer: only what came since is wanted.
    pub cursor: Option<String>,
    /// Paging of waiting inputs.
    pub pending_before: Option<u64>,
    pub input_run_ids: Option<Vec<String>>,
    pub message_id: Option<String>,
    /// An older transcript of the same key.
    pub session_id: Option<SessionId>,
}

/// Answer of [`ChatHistory`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatHistoryResult {
    /// Where a cursor was sent: `delta` when `messages` are what came since, each as `session.message` carries it;
    /// `reset` when that cannot be told, and the page has to be asked for without a cursor.
    pub kind: Option<String>,
    /// Where what comes next begins; only with the newest messages.
    pub delta_cursor: Option<String>,
    pub session_key: SessionKey,
    /// Its transcript; absent before the first message.
    pub session_id: Option<SessionId>,
    /// Oldest first; each message carries `__openclaw` with its entry id and sequence number.
    pub messages: Vec<Value>,
    /// Messages accepted but not yet begun.
    pub pending_inputs: PendingInputs,
    /// Whether older messages exist.
    pub has_more: bool,
    /// Where the next older page begins.
    pub next_offset: Option<u64>,
    /// Messages in the transcript.
    pub total_messages: u64,
    /// What the session would use without overrides.
    pub defaults: SessionDefaults,
    pub session_info: SessionRow,
    /// How hard it thinks.
    pub thinking_level: Option<Word<ThinkingLevel>>,
    /// How much it shows.
    pub verbose_level: Option<Word<Verbosity>>,
    /// The answer being written right now.
    pub in_flight_run: Option<InFlightRun>,
}

/// Messages accepted but not yet begun.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct PendingInputs {
    /// The newest of them.
    pub items: Vec<PendingInput>,
    pub total: u64,
}

/// One message accepted but not yet begun.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingInput {
    pub run_id: RunId,
    pub text: String,
}

/// The answer being written right now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InFlightRun {
    pub run_id: RunId,
    /// What it has said so far.
    pub text: String,
}

/// `chat.abort`: stop one run, or all runs of a session.
#[derive(Debug)]
pub struct ChatAbort;

impl Method for ChatAbort {
    const NAME: &'static str = "chat.abort";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = ChatAbortParams;
    type Result = ChatAbortResult;
}

/// Parameters of [`ChatAbort`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatAbortParams {
    pub session_key: SessionRef,
    /// For bare session keys: whose.
    pub agent_id: Option<AgentId>,
    pub run_id: Option<RunId>,
    /// Whether side runs go on.
    pub preserve_side_runs: Option<bool>,
}

/// Answer of [`ChatAbort`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatAbortResult {
    pub ok: bool,
    /// Whether anything was stopped.
    pub aborted: bool,
    pub run_ids: Vec<RunId>,
}

/// `chat.inject`: a note in the transcript without a run.
#[derive(Debug)]
pub struct ChatInject;

impl Method for ChatInject {
    const NAME: &'static str = "chat.inject";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const ADVERTISED: bool = false;
    type Params = ChatInjectParams;
    type Result = ChatInjectResult;
}

/// Parameters of [`ChatInject`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatInjectParams {
    pub session_key: SessionRef,
    /// For bare session keys: whose.
    pub agent_id: Option<AgentId>,
    pub message: String,
    /// Put before the note in brackets.
    pub label: Option<String>,
}

/// Answer of [`ChatInject`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatInjectResult {
    pub ok: bool,
    pub message_id: String,
}
