//! One session as lists show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::{AgentId, RunId, SessionId};
use crate::session_key::{SessionKey, SessionScope};
use crate::session_words::{
    ChatKind, Elevation, GroupActivation, QueueMode, ResponseUsage, SendAction, ThinkingLevel, Thoughts,
    Verbosity,
};
use crate::word::{Word, words};

words! {
    /// Who a conversation is with.
    #[derive(Default)]
    SessionRowKind {
        Direct = "direct",
        Group = "group",
        Global = "global",
        #[default]
        Unknown = "unknown",
    }
}

words! {
    /// How the last run of a conversation stands.
    SessionStatus {
        Queued = "queued",
        Running = "running",
        Done = "done",
        Failed = "failed",
        Killed = "killed",
        Timeout = "timeout",
    }
}

words! {
    /// What kind of conversation a key names, for lists.
    #[derive(PartialOrd, Ord)]
    SessionKind {
        /// An agent's main conversation.
        Main = "main",
        Direct = "direct",
        Group = "group",
        Cron = "cron",
        Hook = "hook",
        Subagent = "subagent",
        /// A program: editors and the OpenAI-compatible routes.
        Program = "program",
        Named = "named",
        /// The one conversation of the global scope.
        Global = "global",
        /// Traffic of unknown origin.
        Unknown = "unknown",
    }
}

impl SessionKind {
    /// The kind of a key.
    #[must_use]
    pub fn of(key: &SessionKey) -> Self {
        let SessionKey::Agent { scope, .. } = key else {
            return if matches!(key, SessionKey::Global) { Self::Global } else { Self::Unknown };
        };
        match scope {
            SessionScope::Main => Self::Main,
            SessionScope::Peer(_) | SessionScope::Direct { .. } | SessionScope::Slash { .. } => Self::Direct,
            SessionScope::Group { .. } | SessionScope::Channel { .. } => Self::Group,
            SessionScope::Cron { .. } => Self::Cron,
            SessionScope::Hook(_) => Self::Hook,
            SessionScope::Subagent(_) => Self::Subagent,
            SessionScope::Acp(_) | SessionScope::Http(_) => Self::Program,
            SessionScope::Named(_) => Self::Named,
        }
    }
}

/// One session as lists show it. Clients treat it as open: fields they do not know are ignored.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire shape is fixed by existing clients")]
pub struct SessionRow {
    pub key: SessionKey,
    pub kind: SessionRowKind,
    pub classification: Option<SessionKind>,
    pub session_id: Option<SessionId>,
    pub agent_id: Option<AgentId>,
    /// Whether it is the agent's main conversation.
    #[serde(default)]
    pub is_main: bool,
    /// Whether nobody types here: cron, hooks, subagents.
    #[serde(default)]
    pub is_background: bool,
    /// A name somebody gave.
    pub label: Option<String>,
    /// A name made for it.
    pub auto_label: Option<String>,
    /// The drawer it lies in.
    pub category: Option<String>,
    pub icon: Option<String>,
    pub color: Option<String>,
    /// A note about how it stands.
    pub status_note: Option<String>,
    /// The conversation it comes from.
    pub parent_session_key: Option<String>,
    pub created_via: Option<String>,
    /// `user` where somebody chose the model.
    pub model_override_source: Option<String>,
    /// A name the platform gave.
    pub display_name: Option<String>,
    /// The beginning of the first message.
    pub derived_title: Option<String>,
    /// The beginning of the last message.
    pub last_message_preview: Option<String>,
    pub channel: Option<String>,
    pub chat_type: Option<Word<ChatKind>>,
    /// When it last changed.
    #[serialize_always]
    pub updated_at: Option<i64>,
    /// When it was made.
    pub created_at: Option<i64>,
    /// When somebody last wrote.
    pub last_interaction_at: Option<i64>,
    /// When anything last happened.
    pub last_activity_at: Option<i64>,
    /// Whether it was put away.
    #[serde(default)]
    pub archived: bool,
    /// Whether it is kept on top.
    #[serde(default)]
    pub pinned: bool,
    /// Whether something is new since somebody last looked.
    #[serde(default)]
    pub unread: bool,
    /// When somebody said that it is to count as unread.
    pub marked_unread_at: Option<i64>,
    pub status: Option<SessionStatus>,
    /// Whether a run is under way.
    #[serde(default)]
    pub has_active_run: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub active_run_ids: Vec<RunId>,
    /// Whether the last run was stopped.
    #[serde(default)]
    pub aborted_last_run: bool,
    /// Whether the system prompt has been sent.
    #[serde(default)]
    pub system_sent: bool,
    /// Prompt tokens of the last run.
    pub input_tokens: Option<u64>,
    /// Answer tokens of the last run.
    pub output_tokens: Option<u64>,
    /// Size of the context at the last call.
    pub total_tokens: Option<u64>,
    /// Whether `total_tokens` can be trusted.
    pub total_tokens_fresh: Option<bool>,
    pub context_tokens: Option<u64>,
    /// The provider in use.
    pub model_provider: Option<String>,
    /// The model in use.
    pub model: Option<String>,
    /// How hard to think.
    pub thinking_level: Option<Word<ThinkingLevel>>,
    /// How much to show.
    pub verbose_level: Option<Word<Verbosity>>,
    /// Whether reasoning is shown.
    pub reasoning_level: Option<Word<Thoughts>>,
    /// Whether commands may run outside the sandbox.
    pub elevated_level: Option<Word<Elevation>>,
    pub response_usage: Option<Word<ResponseUsage>>,
    /// The same with what holds where nothing is said.
    pub effective_response_usage: Option<Word<ResponseUsage>>,
    /// What happens to messages while a run is under way.
    pub effective_queue_mode: Option<QueueMode>,
    /// The node its commands run on, where they run on one.
    pub exec_node: Option<String>,
    /// Whether answers may be sent.
    pub send_policy: Option<Word<SendAction>>,
    /// When a group is answered.
    pub group_activation: Option<Word<GroupActivation>>,
    /// The session that made this one.
    pub spawned_by: Option<String>,
}

/// What a session without overrides would use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDefaults {
    pub model_provider: String,
    pub model: String,
    pub context_tokens: u64,
    /// How hard it can think.
    pub thinking_levels: Vec<ThinkingLevelOption>,
    /// How hard it thinks.
    pub thinking_default: ThinkingLevel,
}

/// One choice in a thinking picker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkingLevelOption {
    pub id: ThinkingLevel,
    pub label: String,
}
