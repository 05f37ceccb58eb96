//! Ending a conversation: reset keeps the key and begins a new transcript, delete removes the session.
//!
//! The old transcript stays beside the others under an archive name unless somebody asked for it to go.

use std::path::{Path, PathBuf};

use homard_protocol::methods::sessions::archive::SessionEnding;
use homard_protocol::{SessionId, SessionKey};
use uuid::Uuid;

use super::restore::remember;
use super::rows::{load, remove, save};
use super::{Draft, SessionEntry, SessionRecord, SessionStore};
use crate::engine::writer::Batch;
use crate::notes;
use crate::store::StoreError;
use crate::transcripts;

/// Why a conversation begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResetReason {
    /// Somebody asked for a new one.
    New,
    /// Somebody asked for a reset.
    Reset,
    /// It was idle too long.
    Idle,
    /// A new day began.
    Daily,
}

impl ResetReason {
    /// Why, by the word somebody typed: one of ours, or one the owner chose.
    #[must_use]
    pub fn of_word(word: &str) -> Self {
        if word.contains("new") { Self::New } else { Self::Reset }
    }
}

/// What came of a reset.
#[derive(Debug, Clone, PartialEq)]
pub struct ResetSession {
    /// The session as it is now.
    pub record: SessionRecord,
    /// The transcript it had before; `None` when the session is new.
    pub previous: Option<SessionId>,
    /// Where the old transcript is kept.
    pub archived: Vec<PathBuf>,
}

/// What happens to a deleted session's transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveTranscript {
    /// It stays under an archive name.
    Keep,
    Remove,
}

/// What came of a deletion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeletedSession {
    /// Whether there was such a session.
    pub deleted: bool,
    /// Where the transcript is kept.
    pub archived: Vec<PathBuf>,
}

impl SessionStore<'_> {
    /// Begins a new transcript under the same key. How the owner likes to be answered, the label and the origin
    /// carry over; the model, queue and exec overrides and all counters do not.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn reset(self, key: &SessionKey, reason: ResetReason) -> Result<ResetSession, StoreError> {
        let key = key.clone();
        self.store.write(move |batch| reset(batch, &key, reason)).await
    }

    /// Removes a session.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn delete(
        self,
        key: &SessionKey,
        archive: ArchiveTranscript,
    ) -> Result<DeletedSession, StoreError> {
        let key = key.clone();
        self.store.write(move |batch| delete(batch, &key, archive)).await
    }
}

fn reset(batch: &mut Batch<'_>, key: &SessionKey, reason: ResetReason) -> Result<ResetSession, StoreError> {
    let Some(old) = load(batch.conn, key)? else {
        let mut draft = super::load_or_new(batch, key, None)?;
        save(batch, &mut draft)?;
        return Ok(ResetSession { record: draft.record, previous: None, archived: Vec::new() });
    };
    tracing::debug!(%key, ?reason, "session reset");
    notes::forget(batch, key)?;
    let archived = archive(batch, &old, SessionEnding::Reset)?;
    let previous = Some(old.session_id.clone());
    let mut draft = Draft::of(old.clone());
    draft.record = SessionRecord {
        session_id: Uuid::new_v4().into(),
        entry: carried_over(old.entry, batch.now()),
        last_message_preview: None,
        derived_title: None,
        ..old
    };
    save(batch, &mut draft)?;
    Ok(ResetSession { record: draft.record, previous, archived })
}

/// What a session keeps over a reset.
fn carried_over(old: SessionEntry, now: i64) -> SessionEntry {
    SessionEntry {
        updated_at: now,
        created_at: old.created_at,
        session_started_at: Some(now),
        pinned_at: old.pinned_at,
        spawned_by: old.spawned_by,
        spawn_depth: old.spawn_depth,
        system_sent: Some(false),
        aborted_last_run: Some(false),
        compaction_count: Some(0),
        chat_type: old.chat_type,
        thinking_level: old.thinking_level,
        verbose_level: old.verbose_level,
        reasoning_level: old.reasoning_level,
        tts_auto: old.tts_auto,
        send_policy: old.send_policy,
        group_activation: old.group_activation,
        label: old.label,
        category: old.category,
        icon: old.icon,
        color: old.color,
        parent_session_key: old.parent_session_key,
        created_via: old.created_via,
        display_name: old.display_name,
        channel: old.channel,
        group_id: old.group_id,
        subject: old.subject,
        group_channel: old.group_channel,
        space: old.space,
        origin: old.origin,
        delivery_context: old.delivery_context,
        last_channel: old.last_channel,
        last_to: old.last_to,
        last_account_id: old.last_account_id,
        last_thread_id: old.last_thread_id,
        // What was told in the evening is not told again after the night.
        last_heartbeat_text: old.last_heartbeat_text,
        last_heartbeat_sent_at: old.last_heartbeat_sent_at,
        ..SessionEntry::default()
    }
}

fn delete(
    batch: &mut Batch<'_>,
    key: &SessionKey,
    archive_transcript: ArchiveTranscript,
) -> Result<DeletedSession, StoreError> {
    let Some(old) = load(batch.conn, key)? else { return Ok(DeletedSession::default()) };
    let archived = match archive_transcript {
        ArchiveTranscript::Keep => archive(batch, &old, SessionEnding::Deleted)?,
        ArchiveTranscript::Remove => {
            if let Some(path) = transcripts::discard(batch, &old.session_id)? {
                batch.effects.remove_after(path);
            }
            Vec::new()
        }
    };
    notes::forget(batch, key)?;
    remove(batch, key)?;
    Ok(DeletedSession { deleted: true, archived })
}

/// Puts a transcript away under an archive name and remembers the session, so that it can be brought back.
pub(super) fn archive(
    batch: &mut Batch<'_>,
    old: &SessionRecord,
    why: SessionEnding,
) -> Result<Vec<PathBuf>, StoreError> {
    let path = transcripts::discard(batch, &old.session_id)?;
    let to = path.as_ref().map(|path| archive_path(path, why.as_str(), &batch.clock.now_rfc3339()));
    // A reset of a conversation nobody wrote in leaves nothing to go back to.
    if to.is_some() || why == SessionEnding::Deleted {
        remember(batch, old, why, to.as_deref())?;
    }
    if let (Some(from), Some(to)) = (path, &to) {
        batch.effects.rename_after(from, to.clone());
    }
    Ok(to.into_iter().collect())
}

/// `<file>.<word>.<time with - for :>`.
fn archive_path(path: &Path, word: &str, time: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{word}.{}", time.replace(':', "-")));
    PathBuf::from(name)
}
