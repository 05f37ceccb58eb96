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

/// Which run's message goes to which other run, in whose session.
#[derive(Debug, Clone)]
pub struct SteerInto {
    /// The one that waits.
    pub run_id: RunId,
    /// The one under way.
    pub into: RunId,
    pub session_id: SessionId,
}

impl RunStore<'_> {
    /// Appends the message of the waiting run to the transcript that the other writes, and ends it with that: its stop
    /// reason is `steered:` and the other run's id.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if one was never accepted, [`StoreError::RunState`] if the one does not wait or the
    /// other does not run.
    pub async fn steer(self, steer: SteerInto, message: UserMessage) -> Result<Appended, StoreError> {
        self.store
            .write(move |batch| {
                check(batch, &steer)?;
                let appended = append_user(batch, &steer.session_id, Vec::new(), message)?;
                finish(batch, &steer.run_id, &steer.into, &steer.session_id)?;
                Ok(appended)
            })
            .await
    }

    /// The same, except that the run waits on, with a new [request](super::NewRun::message).
    ///
    /// # Errors
    /// As [`steer`](Self::steer).
    pub async fn steer_too(
        self,
        steer: SteerInto,
        message: UserMessage,
        request: String,
    ) -> Result<Appended, StoreError> {
        self.store
            .write(move |batch| {
                check(batch, &steer)?;
                let appended = append_user(batch, &steer.session_id, Vec::new(), message)?;
                batch.execute(
                    "UPDATE runs SET message = ?2 WHERE run_id = ?1",
                    params![steer.run_id.as_str(), request],
                )?;
                Ok(appended)
            })
            .await
    }
}

/// One must wait and the other run.
fn check(batch: &Batch<'_>, steer: &SteerInto) -> Result<(), StoreError> {
    let SteerInto { run_id, into, session_id } = steer;
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
