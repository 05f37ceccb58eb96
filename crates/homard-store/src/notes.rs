//! What a conversation is to be told with its next turn: that a command in the background has ended, for now.
//!
//! A note is kept when it comes and leaves in the commit that begins the turn it is told with, so that it is told
//! once, whatever happens in between.

use homard_protocol::{EntryKind, SessionKey, UserContent};
use rusqlite::{OptionalExtension, params};

use crate::sessions;
use crate::store::{Store, StoreError, from_json, to_json};
use crate::writer::Batch;

/// Most notes that wait for one conversation; the oldest go first.
const MAX_NOTES: usize = 20;
/// What such a line of a transcript is called.
const CUSTOM_TYPE: &str = "system-event";

fn name(key: &SessionKey) -> String {
    format!("notes:{key}")
}

impl Store {
    /// Keeps a note for the next turn of a conversation; answers whether there is one to tell.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn keep_note(&self, key: &SessionKey, text: String) -> Result<bool, StoreError> {
        let key = key.clone();
        self.write(move |batch| {
            if sessions::load(batch.conn, &key)?.is_none() {
                return Ok(false);
            }
            let mut notes = waiting(batch, &key)?;
            notes.push(format!("System: [{}] {text}", batch.clock.now_rfc3339()));
            let surplus = notes.len().saturating_sub(MAX_NOTES);
            notes.drain(..surplus);
            let sql = "INSERT INTO kv VALUES (?1, ?2, ?3)
                       ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
            batch.execute(sql, params![name(&key), to_json("notes", &notes)?, batch.now()])?;
            Ok(true)
        })
        .await
    }
}

fn waiting(batch: &Batch<'_>, key: &SessionKey) -> Result<Vec<String>, StoreError> {
    let mut statement = batch.conn.prepare_cached("SELECT value FROM kv WHERE key = ?1")?;
    let kept: Option<String> = statement.query_row([name(key)], |row| row.get(0)).optional()?;
    kept.map_or_else(|| Ok(Vec::new()), |kept| from_json("notes", &kept))
}

/// The notes of a conversation as one line of its transcript; nobody else gets them.
pub(crate) fn take(batch: &Batch<'_>, key: &SessionKey) -> Result<Option<EntryKind>, StoreError> {
    let notes = waiting(batch, key)?;
    if notes.is_empty() {
        return Ok(None);
    }
    forget(batch, key)?;
    Ok(Some(EntryKind::CustomMessage {
        custom_type: CUSTOM_TYPE.to_owned(),
        content: UserContent::Text(notes.join("\n\n")),
        display: false,
        details: None,
    }))
}

/// A conversation that begins anew is told nothing of the old one's.
pub(crate) fn forget(batch: &Batch<'_>, key: &SessionKey) -> Result<(), StoreError> {
    batch.execute("DELETE FROM kv WHERE key = ?1", [name(key)])?;
    Ok(())
}

#[cfg(test)]
mod tests;
