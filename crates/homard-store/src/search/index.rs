//! Filling the index, a slice at a time; used by the writer thread only.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use homard_protocol::{AgentId, Entry, EntryKind};
use homard_runtime::Clip;
use rusqlite::{Connection, OptionalExtension, params};

use super::{SEQ_BITS, words};
use crate::engine::writer::Batch;
use crate::store::{StoreError, parse_column};
use crate::transcripts;

/// Entries read in one slice.
const SLICE_ENTRIES: i64 = 100;
/// Bytes read in one slice, unless a single entry is larger.
const SLICE_BYTES: u64 = 1024 * 1024;
/// Session rows looked at in one slice for transcripts nobody has opened yet.
const SLICE_SESSIONS: i64 = 500;
/// Longest part of one message that is indexed, in bytes.
const MAX_TEXT: usize = 256 * 1024;
/// The highest place an index row can name.
const MAX_SEQ: i64 = (1 << SEQ_BITS) - 1;

/// Reads a little of what the index lacks; `true` when there may be more.
pub(crate) fn read_some(batch: &mut Batch<'_>) -> Result<bool, StoreError> {
    if look_for_unopened(batch)? {
        return Ok(true);
    }
    read_behind(batch)
}

/// Empties the index.
pub(super) fn start_over(batch: &mut Batch<'_>) -> Result<(), StoreError> {
    batch.execute("INSERT INTO transcript_words (transcript_words) VALUES ('delete-all')", [])?;
    batch.execute("UPDATE transcripts SET words_seq = 0, unread = 1", [])?;
    Ok(())
}

/// Forgets the words of entries whose index rows are about to be swept.
pub(crate) fn forget_swept(conn: &Connection, transcript: i64, rows: i64) -> Result<(), StoreError> {
    let sql = format!(
        "DELETE FROM transcript_words WHERE rowid IN
         (SELECT (?1 << {SEQ_BITS}) + seq FROM transcript_entries
          WHERE transcript = ?1 AND seq <= {MAX_SEQ} ORDER BY seq LIMIT ?2)"
    );
    conn.prepare_cached(&sql)?.execute([transcript, rows])?;
    Ok(())
}

/// Forgets the words of a transcript's entries from a place on: they are about to be cut off.
pub(crate) fn forget_from(conn: &Connection, transcript: i64, from: i64) -> Result<(), StoreError> {
    let sql = format!(
        "DELETE FROM transcript_words WHERE rowid >= (?1 << {SEQ_BITS}) + ?2 AND rowid < (?1 + 1) << {SEQ_BITS}"
    );
    conn.prepare_cached(&sql)?.execute([transcript, from])?;
    conn.prepare_cached("UPDATE transcripts SET words_seq = min(words_seq, ?2 - 1) WHERE id = ?1")?
        .execute([transcript, from])?;
    Ok(())
}

/// Opens transcripts that were there before this database, once per start; `true` when there are more.
fn look_for_unopened(batch: &mut Batch<'_>) -> Result<bool, StoreError> {
    let Some(from) = batch.files.unlooked() else { return Ok(false) };
    let last: Option<i64> = batch.conn.query_row("SELECT max(id) FROM sessions", [], |row| row.get(0))?;
    let to = from.saturating_add(SLICE_SESSIONS);
    let unopened: Vec<String> = batch
        .conn
        .prepare_cached(
            "SELECT s.session_id FROM sessions s WHERE s.id > ?1 AND s.id <= ?2
             AND NOT EXISTS (SELECT 1 FROM transcripts t WHERE t.session_id = s.session_id)",
        )?
        .query_map([from, to], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for session_id in unopened {
        // One that cannot be read is told about when somebody opens it.
        let opened = transcripts::ensure_indexed(batch, &parse_column("session_id", &session_id)?);
        if let Err(error) = opened {
            tracing::debug!(%error, session_id, "a transcript was not read for the search");
        }
    }
    batch.files.looked_to((to < last.unwrap_or(0)).then_some(to));
    Ok(true)
}

struct Behind {
    id: i64,
    agent: AgentId,
    file: String,
    from: i64,
    last: i64,
}

/// Reads on in one transcript that is ahead of the index; `true` when there was one.
fn read_behind(batch: &mut Batch<'_>) -> Result<bool, StoreError> {
    let Some(behind) = behind(batch.conn)? else { return Ok(false) };
    let rows: Vec<(i64, i64, i64)> = batch
        .conn
        .prepare_cached(
            "SELECT seq, offset, len FROM transcript_entries WHERE transcript = ?1 AND seq > ?2
             AND role IN ('user', 'assistant') ORDER BY seq LIMIT ?3",
        )?
        .query_map(params![behind.id, behind.from, SLICE_ENTRIES], |row| row.try_into())?
        .collect::<Result<_, _>>()?;
    let path = batch.layout.transcript(&behind.agent, &behind.file);
    let all = i64::try_from(rows.len()).unwrap_or(i64::MAX) < SLICE_ENTRIES;
    let reached = match add(batch, &path, behind.id, &rows) {
        Ok(reached) => reached,
        Err(Unread::Store(error)) => return Err(error),
        Err(Unread::File(error)) => {
            tracing::warn!(%error, path = %path.display(), "a transcript could not be read for the search");
            None
        }
    };
    let is_whole = reached.is_none() || (all && reached == rows.last().map(|row| row.0));
    let to = if is_whole { behind.last } else { reached.unwrap_or(behind.last) };
    let sql = "UPDATE transcripts SET words_seq = ?2, unread = ?2 < last_seq WHERE id = ?1";
    batch.execute(sql, [behind.id, to])?;
    Ok(true)
}

fn behind(conn: &Connection) -> Result<Option<Behind>, StoreError> {
    type Columns = (i64, String, String, i64, i64);
    let found: Option<Columns> = conn
        .prepare_cached(
            "SELECT id, agent_id, file, words_seq, last_seq FROM transcripts INDEXED BY transcripts_unread
             WHERE unread = 1 AND session_id IS NOT NULL LIMIT 1",
        )?
        .query_row([], |row| row.try_into())
        .optional()?;
    let Some((id, agent, file, from, last)) = found else { return Ok(None) };
    Ok(Some(Behind { id, agent: parse_column("agent_id", &agent)?, file, from, last }))
}

enum Unread {
    Store(StoreError),
    File(std::io::Error),
}

impl From<rusqlite::Error> for Unread {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Adds entries to the index until the slice is full; answers with the place it reached.
fn add(
    batch: &Batch<'_>,
    path: &Path,
    transcript: i64,
    rows: &[(i64, i64, i64)],
) -> Result<Option<i64>, Unread> {
    if rows.is_empty() {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(Unread::File)?;
    let mut insert =
        batch.conn.prepare_cached("INSERT OR REPLACE INTO transcript_words (rowid, text) VALUES (?1, ?2)")?;
    let (mut read, mut reached, mut bytes) = (0u64, None, Vec::new());
    for (seq, offset, len) in rows {
        if read > SLICE_BYTES {
            break;
        }
        read = read.saturating_add(len.unsigned_abs());
        bytes.resize(usize::try_from(*len).unwrap_or(0), 0);
        file.seek(SeekFrom::Start(offset.unsigned_abs())).map_err(Unread::File)?;
        file.read_exact(&mut bytes).map_err(Unread::File)?;
        if *seq <= MAX_SEQ
            && let Some(text) = said(&bytes)
        {
            insert.execute(params![(transcript << SEQ_BITS) + seq, text])?;
        }
        reached = Some(*seq);
    }
    Ok(reached)
}

/// What a line says, as the index reads it.
fn said(line: &[u8]) -> Option<String> {
    let Ok(Entry { kind: EntryKind::Message { message }, .. }) = serde_json::from_slice(line) else {
        return None;
    };
    let mut text = message.text();
    text.truncate(text.clip_bytes(MAX_TEXT).len());
    (!text.trim().is_empty()).then(|| words::spaced(&text))
}
