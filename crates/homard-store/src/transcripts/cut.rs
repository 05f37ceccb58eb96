//! Taking the end of a transcript away again, as if it had not been said: a look around by itself that found nothing.

use homard_protocol::{EntryId, SessionId};
use rusqlite::{OptionalExtension, params};

use super::TranscriptError;
use super::files::{ensure_ready, open};
use crate::engine::writer::Batch;
use crate::search;
use crate::store::{StoreError, parse_column};

/// Cuts off an exchange that begins with the user's message at `from`; `false` when more than that one message was
/// said by people since, or the conversation was summarised: then it stays.
pub(crate) fn cut_exchange(
    batch: &mut Batch<'_>,
    session_id: &SessionId,
    from: i64,
) -> Result<bool, StoreError> {
    ensure_ready(batch, session_id, "")?;
    let conn = batch.conn;
    let Some(transcript) = open(batch.files, session_id) else {
        return Err(StoreError::UnknownSession(session_id.clone()));
    };
    let (asked, summarised): (i64, i64) = conn
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE role = 'user'), count(*) FILTER (WHERE kind = 'compaction')
             FROM transcript_entries WHERE transcript = ?1 AND seq >= ?2",
        )?
        .query_row([transcript.id, from], |row| row.try_into())?;
    let first: Option<(i64, Option<i64>, Option<String>)> = conn
        .prepare_cached(
            "SELECT offset, parent_seq, role FROM transcript_entries WHERE transcript = ?1 AND seq = ?2",
        )?
        .query_row([transcript.id, from], |row| row.try_into())
        .optional()?;
    let Some((offset, parent, role)) = first else { return Ok(false) };
    if asked != 1 || summarised != 0 || role.as_deref() != Some("user") {
        return Ok(false);
    }
    let (leaf, messages): (Option<EntryId>, i64) = match parent {
        None => (None, 0),
        Some(parent) => {
            let (id, messages): (String, i64) = conn
                .prepare_cached(
                    "SELECT entry_id, message_no FROM transcript_entries WHERE transcript = ?1 AND seq = ?2",
                )?
                .query_row([transcript.id, parent], |row| row.try_into())?;
            (Some(parse_column("entry_id", &id)?), messages)
        }
    };
    search::forget_from(conn, transcript.id, from)?;
    conn.prepare_cached("DELETE FROM transcript_entries WHERE transcript = ?1 AND seq >= ?2")?
        .execute(params![transcript.id, from])?;
    // A crash before the commit leaves a file shorter than its index, which is then indexed anew.
    let cut = transcript.file.set_len(offset.unsigned_abs());
    cut.map_err(|source| TranscriptError::Write { path: transcript.path.clone(), source })?;
    transcript.end = offset.unsigned_abs();
    (transcript.last_seq, transcript.leaf, transcript.messages) = (from - 1, leaf, messages);
    transcript.save(conn)?;
    Ok(true)
}

#[cfg(test)]
mod tests;
