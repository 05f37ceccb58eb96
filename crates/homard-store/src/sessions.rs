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

use homard_protocol::session_words::{
    Elevation, ExecAsk, ExecHost, ExecSecurity, GroupActivation, QueueDrop, ResponseUsage, SendAction,
    Thoughts, Verbosity,
};
use homard_protocol::{
    AgentId, ChatKind, ChoiceSource, ModelRef, QueueMode, SessionId, SessionKey, ThinkingLevel, Word,
};
use homard_runtime::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::store::Store;

pub use ending::{ArchiveTranscript, DeletedSession, ResetReason, ResetSession};
pub use groups::{GroupDefaults, GroupStore, SessionGroup};
pub use homard_protocol::session_row::SessionKind;
pub(crate) use list::Filter;
pub use list::{ArchivedFilter, SessionPage, SessionQuery, SessionSort};
pub(crate) use recent::RecentSessions;
pub use restore::{EndedSession, RestoreWhich};
pub(crate) use rows::{Draft, by_session_id, current, insert, load, load_or_new, save, save_unseen};

/// Characters of a message kept as a session's preview or title.
const PREVIEW_CHARS: usize = 120;

/// What is remembered of conversations: [`Store::sessions`].
#[derive(Debug, Clone, Copy)]
pub struct SessionStore<'a> {
    pub(crate) store: &'a Store,
}

/// Everything remembered of one session. Field names are those of existing session stores in camel case; what
/// each means beyond its name is said in the compatibility notes of the sessions format.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionEntry {
    #[serialize_always]
    pub session_id: Option<SessionId>,
    pub updated_at: Timestamp,
    pub created_at: Option<Timestamp>,
    pub session_started_at: Option<Timestamp>,
    pub last_interaction_at: Option<Timestamp>,
    pub last_activity_at: Option<Timestamp>,
    pub archived_at: Option<Timestamp>,
    pub pinned_at: Option<Timestamp>,
    pub last_read_at: Option<Timestamp>,
    pub marked_unread_at: Option<Timestamp>,
    pub session_file: Option<String>,
    pub spawned_by: Option<String>,
    pub spawn_depth: Option<u32>,
    pub system_sent: Option<bool>,
    pub aborted_last_run: Option<bool>,
    pub chat_type: Option<Word<ChatKind>>,
    pub thinking_level: Option<Word<ThinkingLevel>>,
    pub verbose_level: Option<Word<Verbosity>>,
    pub reasoning_level: Option<Word<Thoughts>>,
    pub elevated_level: Option<Word<Elevation>>,
    pub tts_auto: Option<String>,
    pub exec_host: Option<Word<ExecHost>>,
    pub exec_security: Option<Word<ExecSecurity>>,
    pub exec_ask: Option<Word<ExecAsk>>,
    pub exec_node: Option<String>,
    pub response_usage: Option<Word<ResponseUsage>>,
    pub provider_override: Option<String>,
    pub model_override: Option<String>,
    pub model_override_source: Option<Word<ChoiceSource>>,
    pub auth_profile_override: Option<String>,
    pub auth_profile_override_source: Option<Word<ChoiceSource>>,
    pub auth_profile_override_compaction_count: Option<u64>,
    pub group_activation: Option<Word<GroupActivation>>,
    pub group_activation_needs_system_intro: Option<bool>,
    pub send_policy: Option<Word<SendAction>>,
    pub queue_mode: Option<Word<QueueMode>>,
    pub queue_debounce_ms: Option<u64>,
    pub queue_cap: Option<u64>,
    pub queue_drop: Option<Word<QueueDrop>>,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// The size of the last prompt; unknown unless [`total_tokens_fresh`](Self::total_tokens_fresh) is true.
    pub total_tokens: Option<u64>,
    pub total_tokens_fresh: Option<bool>,
    pub context_tokens: Option<u64>,
    pub model_provider: Option<String>,
    pub model: Option<String>,
    pub compaction_count: Option<u64>,
    pub memory_flush_at: Option<Timestamp>,
    pub memory_flush_compaction_count: Option<u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cli_session_ids: BTreeMap<String, String>,
    pub claude_cli_session_id: Option<String>,
    pub label: Option<String>,
    pub auto_label: Option<String>,
    pub display_name: Option<String>,
    /// The drawer somebody put it into.
    pub category: Option<String>,
    pub icon: Option<String>,
    pub color: Option<String>,
    pub status_note: Option<String>,
    pub parent_session_key: Option<String>,
    pub created_via: Option<String>,
    pub channel: Option<String>,
    pub group_id: Option<String>,
    pub subject: Option<String>,
    pub group_channel: Option<String>,
    pub space: Option<String>,
    pub origin: Option<SessionOrigin>,
    pub delivery_context: Option<DeliveryContext>,
    pub last_channel: Option<String>,
    pub last_to: Option<String>,
    pub last_account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "text_or_number")]
    pub last_thread_id: Option<String>,
    pub last_heartbeat_text: Option<String>,
    pub last_heartbeat_sent_at: Option<Timestamp>,
    pub skills_snapshot: Option<Value>,
}

/// Where a session's first message came from.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionOrigin {
    pub label: Option<String>,
    pub provider: Option<String>,
    pub surface: Option<String>,
    pub chat_type: Option<Word<ChatKind>>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "text_or_number")]
    pub thread_id: Option<String>,
}

/// Where a session's next reply goes.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveryContext {
    pub channel: Option<String>,
    pub to: Option<String>,
    pub account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "text_or_number")]
    pub thread_id: Option<String>,
}

impl SessionEntry {
    /// Has it answered by this model from now on, because somebody chose it; by the agent's own for `None`.
    pub fn choose_model(&mut self, model: Option<&ModelRef>) {
        self.provider_override = model.map(|model| model.provider.to_string());
        self.model_override = model.map(|model| model.model.to_string());
        self.model_override_source = model.map(|_| ChoiceSource::User.into());
    }
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
