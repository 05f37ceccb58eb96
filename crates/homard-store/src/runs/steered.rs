//! A message that a run under way took instead of getting a turn of its own: one job, so that it is either in
//! that run's transcript and done, or still waiting.

use homard_protocol::{RunId, SessionId, UserMessage};
use rusqlite::params;

use super::lifecycle::{append_user, existing};
use super::{RunStatus, RunStore};
use crate::engine::writer::Batch;
use crate::store::StoreError;
use crate::transcripts::Appended;

/// What the record of such a run says before the run that took it.
const STEERED: &str = "steered:";
/// How the key of its message ends.
const KEY_END: &str = ":steer";

impl RunStore<'_> {
    /// Appends the message of the waiting run `run_id` to the transcript that the run `into` writes, and ends
    /// `run_id` with it: its stop reason is `steered:` and the other run's id.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if one was never accepted, [`StoreError::RunState`] if `run_id` does not wait
    /// or `into` does not run.
    pub async fn steer(
        self,
        run_id: &RunId,
        into: &RunId,
        session_id: &SessionId,
        message: UserMessage,
    ) -> Result<Appended, StoreError> {
        let (run_id, into, session_id) = (run_id.clone(), into.clone(), session_id.clone());
        self.store
            .write(move |batch| {
                check(batch, &run_id, &into, &session_id)?;
                let appended = append_user(batch, &session_id, Vec::new(), message)?;
                finish(batch, &run_id, &into, &session_id)?;
                Ok(appended)
            })
            .await
    }

    /// The same, except that the run `run_id` waits on, with a new [`message`](super::NewRun::message).
    ///
    /// # Errors
    /// As [`steer`](Self::steer).
    pub async fn steer_too(
        self,
        run_id: &RunId,
        (into, session_id): (&RunId, &SessionId),
        said: UserMessage,
        message: String,
    ) -> Result<Appended, StoreError> {
        let (run_id, into, session_id) = (run_id.clone(), into.clone(), session_id.clone());
        self.store
            .write(move |batch| {
                check(batch, &run_id, &into, &session_id)?;
                let appended = append_user(batch, &session_id, Vec::new(), said)?;
                batch.execute(
                    "UPDATE runs SET message = ?2 WHERE run_id = ?1",
                    params![run_id.as_str(), message],
                )?;
                Ok(appended)
            })
            .await
    }
}

/// One must wait and the other run.
fn check(batch: &Batch<'_>, run_id: &RunId, into: &RunId, session_id: &SessionId) -> Result<(), StoreError> {
    let waiting = existing(batch, run_id)?;
    if waiting.status != RunStatus::Queued {
        return Err(StoreError::RunState { run_id: run_id.clone(), status: waiting.status });
    }
    let running = existing(batch, into)?;
    if running.status != RunStatus::Running || running.session_id.as_ref() != Some(session_id) {
        return Err(StoreError::RunState { run_id: into.clone(), status: running.status });
    }
    Ok(())
}

/// The key of a message that was handed over, by which it is known again.
#[must_use]
pub fn steered_key(run_id: &RunId) -> String {
    format!("{run_id}{KEY_END}")
}

/// The same of one that a turn under way was told and that gets its own turn as well. It must not look as if it were
/// done with.
#[must_use]
pub fn steered_too_key(run_id: &RunId) -> String {
    format!("{run_id}{KEY_END}-too")
}

fn finish(batch: &Batch<'_>, run_id: &RunId, into: &RunId, session_id: &SessionId) -> Result<(), StoreError> {
    batch.execute(
        "UPDATE runs SET status = 'ok', session_id = ?2, started_at = ?3, ended_at = ?3, stop_reason = ?4,
         message = NULL WHERE run_id = ?1 AND status = 'queued'",
        params![run_id.as_str(), session_id.as_str(), batch.now(), format!("{STEERED}{into}")],
    )?;
    Ok(())
}

/// Ends the run of a message that was handed over when a crash came after its bytes and before the commit. It is
/// in the conversation; a turn of its own would say it twice.
pub(super) fn finish_if_written(
    batch: &Batch<'_>,
    into: &RunId,
    session_id: &SessionId,
    last: &UserMessage,
) -> Result<(), StoreError> {
    let name = last.idempotency_key.as_deref().and_then(|key| key.strip_suffix(KEY_END));
    match name.and_then(|name| RunId::parse(name).ok()) {
        Some(run_id) => finish(batch, &run_id, into, session_id),
        None => Ok(()),
    }
}
