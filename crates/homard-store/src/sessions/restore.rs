//! Bringing back what was deleted or reset: the conversation returns under its key, as it was.
//!
//! What lies under the key by then is put away in turn, so that nothing is ever lost by restoring.

use std::path::{Path, PathBuf};

use homard_protocol::methods::sessions::archive::SessionEnding;
use homard_protocol::{AgentId, SessionId, SessionKey, Word};
use homard_runtime::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::ending::archive;
use super::rows::{insert_new, load, refuse_taken_label, remove};
use super::{SessionEntry, SessionRecord, SessionStore};
use crate::engine::layout::is_plain_name;
use crate::engine::writer::Batch;
use crate::notes;
use crate::store::{StoreError, to_json};
use crate::transcripts::{self, TranscriptError};

const COLUMNS: &str =
    "key, agent_id, session_id, entry, last_message_preview, derived_title, reason, file, ended_at";

/// Most ended conversations listed at once.
const MAX_LISTED: usize = 1000;

/// A conversation that was deleted or reset and can be brought back.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedSession {
    /// The session as it was.
    pub record: SessionRecord,
    pub reason: Word<SessionEnding>,
    pub ended_at: Timestamp,
    /// The name its transcript is kept under, in the agent's folder of sessions; `None` when it had none.
    pub file: Option<String>,
}

/// Which ended conversation is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreWhich {
    /// The one that ended last under this key.
    Key(SessionKey),
    /// The one with this transcript.
    Transcript(SessionId),
}

impl SessionStore<'_> {
    /// The conversations that can be brought back, the last ended first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn ended(self, agent: Option<&AgentId>, limit: usize) -> Result<Vec<EndedSession>, StoreError> {
        let (agent, limit) = (agent.cloned(), limit.clamp(1, MAX_LISTED));
        self.store
            .read(move |cx| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM ended_sessions WHERE ?1 IS NULL OR agent_id = ?1
                 ORDER BY ended_at DESC LIMIT {limit}"
                );
                let mut statement = cx.conn.prepare(&sql)?;
                let mut rows = statement.query([agent.as_ref().map(AgentId::as_str)])?;
                let mut ended = Vec::new();
                while let Some(row) = rows.next()? {
                    ended.push(read(row)?);
                }
                Ok(ended)
            })
            .await
    }

    /// Brings a conversation back; `None` when there is none to bring back. A label that another session has
    /// by now is left out.
    ///
    /// # Errors
    /// When its transcript cannot be put in its place, or the write is not committed.
    pub async fn restore(self, which: RestoreWhich) -> Result<Option<SessionRecord>, StoreError> {
        self.store.write(move |batch| restore(batch, &which)).await
    }
}

/// Keeps what a session was. Reports that are made anew anyway are left out.
pub(super) fn remember(
    batch: &Batch<'_>,
    old: &SessionRecord,
    why: SessionEnding,
    kept_at: Option<&Path>,
) -> Result<(), StoreError> {
    let entry = SessionEntry { skills_snapshot: None, ..old.entry.clone() };
    let file = kept_at.and_then(Path::file_name).and_then(|name| name.to_str());
    batch.execute(
        "INSERT OR REPLACE INTO ended_sessions
         (session_id, key, agent_id, reason, file, ended_at, last_message_preview, derived_title, entry)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            old.session_id.as_str(),
            old.key.to_string(),
            old.agent_id.as_str(),
            why.as_str(),
            file,
            batch.now(),
            old.last_message_preview,
            old.derived_title,
            to_json("entry", &entry)?,
        ],
    )?;
    Ok(())
}

fn restore(batch: &mut Batch<'_>, which: &RestoreWhich) -> Result<Option<SessionRecord>, StoreError> {
    let Some(ended) = find(batch.conn, which)? else { return Ok(None) };
    let mut record = ended.record;
    batch.execute("DELETE FROM ended_sessions WHERE session_id = ?1", [record.session_id.as_str()])?;
    if let Some(current) = load(batch.conn, &record.key)? {
        archive(batch, &current, SessionEnding::Reset)?;
        notes::forget(batch, &record.key)?;
        remove(batch, &record.key)?;
    }
    if let Some(file) = &ended.file {
        let name = put_back(batch, &record.agent_id, file)?;
        record.entry.session_file = Some(name);
    }
    record.entry.archived_at = None;
    record.entry.updated_at = batch.now();
    record.entry.session_id = Some(record.session_id.clone());
    if refuse_taken_label(batch.conn, &record).is_err() {
        record.entry.label = None;
    }
    insert_new(batch, &record)?;
    transcripts::ensure_indexed(batch, &record.session_id)?;
    Ok(Some(record))
}

/// Gives a transcript its old name again. The archive goes only after the commit: a crash in between leaves
/// two names for one file and never none.
fn put_back(batch: &mut Batch<'_>, agent: &AgentId, file: &str) -> Result<String, StoreError> {
    let kept = batch.layout.transcript(agent, file);
    let name = live_name(file).unwrap_or(file).to_owned();
    if name == file {
        return Ok(name);
    }
    let live: PathBuf = batch.layout.transcript(agent, &name);
    let linked = std::fs::hard_link(&kept, &live).or_else(|_| std::fs::copy(&kept, &live).map(drop));
    linked.map_err(|source| TranscriptError::Write { path: live.clone(), source })?;
    batch.effects.created(live);
    batch.effects.remove_after(kept);
    Ok(name)
}

/// The name of a transcript before it was put away.
fn live_name(file: &str) -> Option<&str> {
    let end = file.find(".deleted.").or_else(|| file.find(".reset."))?;
    file.get(..end).filter(|name| is_plain_name(name))
}

fn find(conn: &Connection, which: &RestoreWhich) -> Result<Option<EndedSession>, StoreError> {
    let (filter, value) = match which {
        RestoreWhich::Key(key) => ("key = ?1 ORDER BY ended_at DESC LIMIT 1", key.to_string()),
        RestoreWhich::Transcript(id) => ("session_id = ?1", id.to_string()),
    };
    let sql = format!("SELECT {COLUMNS} FROM ended_sessions WHERE {filter}");
    conn.prepare_cached(&sql)?.query_row([value], |row| Ok(read(row))).optional()?.transpose()
}

fn read(row: &Row<'_>) -> Result<EndedSession, StoreError> {
    Ok(EndedSession {
        record: super::rows::read(row)?,
        reason: Word::of(row.get::<_, String>(6)?),
        file: row.get(7)?,
        ended_at: row.get(8)?,
    })
}

#[cfg(test)]
mod tests;
