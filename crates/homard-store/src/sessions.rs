//! Session rows: what is remembered of a conversation besides what was said.
//!
//! [`SessionEntry`] is the whole record, spelled as existing session stores spell it. `rows` reads and writes
//! it, `list` searches, `ending` resets and deletes, `restore` brings back, `groups` are people's drawers.

mod ending;
mod groups;
mod list;
mod recent;
mod restore;
mod rows;

use std::collections::BTreeMap;

use homard_protocol::{AgentId, SessionId, SessionKey, SessionScope};
use homard_runtime::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::store::Store;

pub use ending::{ArchiveTranscript, DeletedSession, ResetReason, ResetSession};
pub use groups::{GroupDefaults, GroupStore, SessionGroup};
pub(crate) use list::Filter;
pub use list::{ArchivedFilter, SessionPage, SessionQuery, SessionSort};
pub(crate) use recent::RecentSessions;
pub use restore::{EndedSession, RestoreWhich};
pub(crate) use rows::{Draft, by_session_id, current, insert, load, load_or_new, save};

/// Characters of a message kept as a session's preview or title.
const PREVIEW_CHARS: usize = 120;

/// What is remembered of conversations: [`Store::sessions`].
#[derive(Debug, Clone, Copy)]
pub struct SessionStore<'a> {
    pub(crate) store: &'a Store,
}

/// Everything remembered of one session. Field names are those of existing session stores in camel case; what
/// each means beyond its name is said in the compatibility notes of the sessions format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionEntry {
    pub session_id: Option<SessionId>,
    pub updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_started_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_interaction_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_activity_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_read_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marked_unread_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawn_depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_sent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aborted_last_run: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbose_level: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_level: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elevated_level: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tts_auto: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_security: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_ask: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_usage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_override: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_override: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_override_source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_profile_override: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_profile_override_source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_profile_override_compaction_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_activation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_activation_needs_system_intro: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_policy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_debounce_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_cap: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_drop: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The size of the last prompt; unknown unless [`total_tokens_fresh`](Self::total_tokens_fresh) is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens_fresh: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_flush_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_flush_compaction_count: Option<u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cli_session_ids: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claude_cli_session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The drawer somebody put it into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_via: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<SessionOrigin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_context: Option<DeliveryContext>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "text_or_number")]
    pub last_thread_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_heartbeat_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_heartbeat_sent_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills_snapshot: Option<Value>,
}

/// Where a session's first message came from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionOrigin {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "text_or_number")]
    pub thread_id: Option<String>,
}

/// Where a session's next reply goes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveryContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "text_or_number")]
    pub thread_id: Option<String>,
}

/// Thread ids are numbers on some platforms and other software stores them so.
fn text_or_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Number(i64),
    }
    Ok(Option::<Either>::deserialize(from)?.map(|either| match either {
        Either::Text(text) => text,
        Either::Number(number) => number.to_string(),
    }))
}

/// A session's row.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    pub key: SessionKey,
    /// Whose it is; the default agent's for keys that name none.
    pub agent_id: AgentId,
    pub session_id: SessionId,
    /// Everything else that is remembered.
    pub entry: SessionEntry,
    /// The beginning of the last message.
    pub last_message_preview: Option<String>,
    /// The beginning of the first message.
    pub derived_title: Option<String>,
}

/// What kind of conversation a key names, for lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionKind {
    /// An agent's main conversation.
    Main,
    Direct,
    Group,
    Cron,
    Hook,
    Subagent,
    /// A program: editors and the OpenAI-compatible routes.
    Program,
    Named,
    /// The one conversation of the global scope.
    Global,
    /// Traffic of unknown origin.
    Unknown,
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

    /// The word in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Direct => "direct",
            Self::Group => "group",
            Self::Cron => "cron",
            Self::Hook => "hook",
            Self::Subagent => "subagent",
            Self::Program => "program",
            Self::Named => "named",
            Self::Global => "global",
            Self::Unknown => "unknown",
        }
    }
}

/// The beginning of a text on one line, for lists; `None` when there is nothing to show.
pub(crate) fn preview(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars >= PREVIEW_CHARS {
                out.push('…');
                return Some(out);
            }
            out.push(c);
            chars += 1;
        }
    }
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests;
