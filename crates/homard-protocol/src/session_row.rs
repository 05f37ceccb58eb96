//! One session as lists show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{AgentId, RunId, SessionId};
use crate::session_key::SessionKey;
use crate::word::words;

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

/// One session as lists show it. Clients treat it as open: fields they do not know are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire shape is fixed by existing clients")]
pub struct SessionRow {
    pub key: SessionKey,
    pub kind: SessionRowKind,
    /// `main`, `direct`, `group`, `cron`, `subagent`, `hook` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classification: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// Whether it is the agent's main conversation.
    #[serde(default)]
    pub is_main: bool,
    /// Whether nobody types here: cron, hooks, subagents.
    #[serde(default)]
    pub is_background: bool,
    /// A name somebody gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A name made for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_label: Option<String>,
    /// The drawer it lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// A note about how it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_note: Option<String>,
    /// The conversation it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_via: Option<String>,
    /// `user` where somebody chose the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_override_source: Option<String>,
    /// A name the platform gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The beginning of the first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived_title: Option<String>,
    /// The beginning of the last message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message_preview: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// `direct`, `group` or `channel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_type: Option<String>,
    /// When it last changed.
    pub updated_at: Option<i64>,
    /// When it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
    /// When somebody last wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_interaction_at: Option<i64>,
    /// When anything last happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked_unread_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Answer tokens of the last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Size of the context at the last call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// Whether `total_tokens` can be trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens_fresh: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// The provider in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// The model in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard to think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
    /// How much to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbose_level: Option<String>,
    /// Whether reasoning is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_level: Option<String>,
    /// Whether commands may run outside the sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elevated_level: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_usage: Option<String>,
    /// The same with what holds where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_response_usage: Option<String>,
    /// What happens to messages while a run is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_queue_mode: Option<String>,
    /// The node its commands run on, where they run on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec_node: Option<String>,
    /// Whether answers may be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_policy: Option<String>,
    /// When a group is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_activation: Option<String>,
    /// The session that made this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    pub thinking_default: String,
}

/// One choice in a thinking picker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkingLevelOption {
    pub id: String,
    pub label: String,
}
