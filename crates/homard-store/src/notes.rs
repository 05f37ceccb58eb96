//! What a conversation is to be told with its next turn: that a command in the background has ended, that a job
//! has something to say, that somebody outside wants it to know something.
//!
//! A note is kept when it comes and leaves in the commit that begins the turn it is told with, so that it is told
//! once, whatever happens in between.

use homard_protocol::{EntryKind, SessionKey, UserContent};
use homard_runtime::OrLog;
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::writer::Batch;
use crate::sessions;
use crate::store::{Store, StoreError, from_json, to_json};

/// Most notes that wait for one conversation; the oldest go first.
const MAX_NOTES: usize = 20;
/// What a conversation is told whose last answer was stopped.
const STOPPED: &str = "System: your previous answer was stopped before it was finished. Go on with care, or ask what is wanted.";
/// What such a line of a transcript is called.
const CUSTOM_TYPE: &str = "system-event";

/// A note as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Note {
    Plain(String),
    /// With what stands beside it in the transcript.
    Marked {
        text: String,
        details: Value,
    },
}

fn name(key: &SessionKey) -> String {
    format!("notes:{key}")
}

/// What conversations are told with their next turn: [`Store::notes`].
#[derive(Debug, Clone, Copy)]
pub struct NoteStore<'a> {
    pub(crate) store: &'a Store,
}

impl NoteStore<'_> {
    /// Keeps a note for the next turn of a conversation; answers whether there is one to tell.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn keep(self, key: &SessionKey, text: String) -> Result<bool, StoreError> {
        let key = key.clone();
        self.store
            .write(move |batch| {
                if sessions::load(batch.conn, &key)?.is_none() {
                    return Ok(false);
                }
                keep(batch, &key, &text, None)?;
                Ok(true)
            })
            .await
    }

    /// Keeps an event for the next turn of a conversation, also of one that has not begun; `details` stand beside it
    /// in the transcript.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn keep_event(
        self,
        key: &SessionKey,
        text: String,
        details: Option<Value>,
    ) -> Result<(), StoreError> {
        let key = key.clone();
        self.store.write(move |batch| keep(batch, &key, &text, details)).await
    }

    /// Whether anything waits to be told to a conversation.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn any_for(self, key: &SessionKey) -> Result<bool, StoreError> {
        let name = name(key);
        self.store
            .read(move |cx| {
                let mut statement =
                    cx.conn.prepare_cached("SELECT 1 FROM kv WHERE key = ?1 AND value <> '[]'")?;
                Ok(statement.exists([name])?)
            })
            .await
    }

    /// What waits to be told, of all conversations.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn waiting(self) -> Result<Vec<String>, StoreError> {
        self.store
            .read(move |cx| {
                let mut statement = cx
                    .conn
                    .prepare_cached("SELECT value FROM kv WHERE key >= 'notes:' AND key < 'notes;'")?;
                let mut rows = statement.query([])?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    let notes = readable(row.get_ref(0)?.as_str().unwrap_or("[]"));
                    found.extend(notes.into_iter().map(|note| match note {
                        Note::Plain(text) | Note::Marked { text, .. } => text,
                    }));
                }
                Ok(found)
            })
            .await
    }
}

/// Adds a note to those that wait.
pub(crate) fn keep(
    batch: &Batch<'_>,
    key: &SessionKey,
    text: &str,
    details: Option<Value>,
) -> Result<(), StoreError> {
    let mut notes = waiting(batch, key)?;
    let text = format!("System: [{}] {text}", batch.clock.now_rfc3339());
    notes.push(match details {
        Some(details) => Note::Marked { text, details },
        None => Note::Plain(text),
    });
    let surplus = notes.len().saturating_sub(MAX_NOTES);
    if surplus > 0 {
        tracing::warn!(%key, surplus, "more waits for a conversation than is kept; the oldest is left out");
    }
    notes.drain(..surplus);
    let sql = "INSERT INTO kv VALUES (?1, ?2, ?3)
               ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
    batch.execute(sql, params![name(key), to_json("notes", &notes)?, batch.now()])?;
    Ok(())
}

fn waiting(batch: &Batch<'_>, key: &SessionKey) -> Result<Vec<Note>, StoreError> {
    let mut statement = batch.conn.prepare_cached("SELECT value FROM kv WHERE key = ?1")?;
    let kept: Option<String> = statement.query_row([name(key)], |row| row.get(0)).optional()?;
    Ok(kept.map(|kept| readable(&kept)).unwrap_or_default())
}

/// The notes of a row. One that cannot be read must not keep a conversation from its next turn, nor a job from its end.
fn readable(kept: &str) -> Vec<Note> {
    from_json("notes", kept)
        .or_log("what waits for a conversation cannot be read and is lost")
        .unwrap_or_default()
}

/// The notes of a conversation as lines of its transcript, one for all that have nothing beside them; nobody else
/// gets them.
pub(crate) fn take(batch: &Batch<'_>, key: &SessionKey) -> Result<Vec<EntryKind>, StoreError> {
    let notes = waiting(batch, key)?;
    if notes.is_empty() {
        return Ok(Vec::new());
    }
    forget(batch, key)?;
    let (mut plain, mut marked) = (Vec::new(), Vec::new());
    for note in notes {
        match note {
            Note::Plain(text) => plain.push(text),
            Note::Marked { text, details } => marked.push(line(text, Some(details))),
        }
    }
    let first = (!plain.is_empty()).then(|| line(plain.join("\n\n"), None));
    Ok(first.into_iter().chain(marked).collect())
}

/// The line that tells of an answer that was stopped.
pub(crate) fn of_stopped() -> EntryKind {
    line(STOPPED.to_owned(), None)
}

fn line(text: String, details: Option<Value>) -> EntryKind {
    EntryKind::CustomMessage {
        custom_type: CUSTOM_TYPE.to_owned(),
        content: UserContent::Text(text),
        display: false,
        details,
    }
}

/// A conversation that begins anew is told nothing of the old one's.
pub(crate) fn forget(batch: &Batch<'_>, key: &SessionKey) -> Result<(), StoreError> {
    batch.execute("DELETE FROM kv WHERE key = ?1", [name(key)])?;
    Ok(())
}

#[cfg(test)]
mod tests;
