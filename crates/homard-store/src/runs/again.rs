//! A run that a restart cut off before anything came of it: it may begin again, because nobody would notice.

use homard_protocol::{Message, RunId, SessionId};
use rusqlite::params;

use super::lifecycle::existing;
use super::{RunRecord, RunStatus, RunStore};
use crate::engine::writer::Batch;
use crate::sessions::by_session_id;
use crate::store::StoreError;
use crate::transcripts::{self, Appended};

/// How the key of what the person said in a run ends.
pub(crate) const USER_KEY_END: &str = ":user";

impl RunStore<'_> {
    /// Lets a run that had begun wait again, with a new [`message`](super::NewRun::message). Only if what the person
    /// said is still the last thing in its conversation and nothing was kept to be sent but its preview; `false`
    /// otherwise.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if it was never accepted.
    pub async fn requeue(self, run_id: &RunId, message: String) -> Result<bool, StoreError> {
        let run_id = run_id.clone();
        self.store
            .write(move |batch| {
                let run = existing(batch, &run_id)?;
                let Some(session_id) = run.session_id.clone().filter(|_| run.status == RunStatus::Running)
                else {
                    return Ok(false);
                };
                if by_session_id(batch.conn, &session_id)?.is_none() || has_sent(batch, &run_id)? {
                    return Ok(false);
                }
                transcripts::ensure_ready(batch, &session_id, "")?;
                if said(batch, &run, &session_id)?.is_none() {
                    return Ok(false);
                }
                batch.execute(
                    "UPDATE runs SET status = 'queued', started_at = NULL, message = ?2 WHERE run_id = ?1",
                    params![run_id.as_str(), message],
                )?;
                Ok(true)
            })
            .await
    }
}

/// Where what the person said stands, when the run had begun before and it is the last thing there.
pub(super) fn already_said(
    batch: &Batch<'_>,
    run: &RunRecord,
    session_id: &SessionId,
) -> Result<Option<Appended>, StoreError> {
    if run.session_id.as_ref() != Some(session_id) {
        return Ok(None);
    }
    said(batch, run, session_id)
}

fn said(batch: &Batch<'_>, run: &RunRecord, session_id: &SessionId) -> Result<Option<Appended>, StoreError> {
    let tail = transcripts::tail_in_writer(batch, session_id, 1)?;
    let Some(Message::User(last)) = tail.first() else { return Ok(None) };
    let name = last.idempotency_key.as_deref().and_then(|key| key.strip_suffix(USER_KEY_END));
    Ok(transcripts::leaf(batch, session_id).filter(|_| name == Some(run.run_id.as_str())))
}

/// Whether anything but a preview of the answer was kept to be sent.
fn has_sent(batch: &Batch<'_>, run_id: &RunId) -> Result<bool, StoreError> {
    let mut statement = batch.conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM outbox WHERE run_id = ?1 AND message_key <> ?1 || ':preview')",
    )?;
    Ok(statement.query_row([run_id.as_str()], |row| row.get(0))?)
}
