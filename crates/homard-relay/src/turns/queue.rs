//! How a message waits: for its turn, for the turn under way, or to be obeyed instead.

use std::sync::Arc;
use std::time::Duration;

use homard_protocol::{RunId, SessionKey};
use homard_store::StoreError;

use crate::relay::Relay;
use crate::turns::compact::{CompactOptions, CompactReport, ReportSlot};
use crate::turns::lane::Kind;
use crate::turns::steering::{is_backlog, is_steer};
use crate::turns::submit::{Brought, Submission, SubmitError, Submitted};

/// How long somebody waits for a compaction that was asked for; it goes on if they do not.
const COMPACT_WAIT: Duration = Duration::from_secs(60 * 60);

/// The words that are kept for a session.
const FOLLOWUP: &str = "followup";
const STEER: &str = "steer";
const BACKLOG: &str = "steer-backlog";

/// What became of a message for a turn under way.
#[derive(Debug)]
pub enum Steered {
    /// It is kept, and goes to this run with its next call of the model, or gets a turn of its own after it.
    Into(RunId),
    /// No turn was under way; this is what became of it instead.
    NotRunning(Submitted),
}

/// How a message waits.
pub(crate) enum Queue {
    /// For its turn.
    Wait,
    /// For its turn, or until the turn under way takes it.
    Steer,
    /// For its turn, and the turn under way is told as well.
    SteerToo,
    /// As the session wants it.
    AsSession,
    /// Once nothing has come in for so long, together with others like it.
    Collect(Duration),
    /// For its turn, in which the conversation is shortened.
    Compact(CompactOptions, Option<ReportSlot>),
}

impl Queue {
    /// As whoever sends a message says, or the session where they say nothing.
    pub(crate) fn by_word(queue_mode: Option<&str>) -> Self {
        match queue_mode {
            Some(mode) if is_steer(mode) => Self::Steer,
            Some(mode) if is_backlog(mode) => Self::SteerToo,
            Some(_) => Self::Wait,
            None => Self::AsSession,
        }
    }

    /// The same, except that it does not go to the turn under way.
    pub(crate) fn waiting(self) -> Self {
        match self {
            Self::Steer | Self::SteerToo | Self::AsSession => Self::Wait,
            other @ (Self::Wait | Self::Collect(_) | Self::Compact(..)) => other,
        }
    }

    /// The same, except that it goes to the turn under way only if whoever sent it said so.
    pub(crate) fn unless_said(self) -> Self {
        match self {
            Self::AsSession => Self::Wait,
            other @ (Self::Wait | Self::Steer | Self::SteerToo | Self::Collect(_) | Self::Compact(..)) => {
                other
            }
        }
    }
}

impl Relay {
    /// Takes a message from a person: obeys it if it is a command, else lets it wait as `queue_mode` says, or the
    /// session where that is `None`.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub async fn receive(
        &self,
        submission: Submission,
        queue_mode: Option<&str>,
    ) -> Result<Submitted, SubmitError> {
        let mut placed = self.place(submission)?;
        if let Some(obeyed) = self.obey(&mut placed, &mut Brought::default()).await? {
            return Ok(obeyed);
        }
        self.call_skill(&mut placed.routed).await;
        self.take_placed(placed, Queue::by_word(queue_mode), Brought::default()).await
    }

    /// As [`receive`](Self::receive), and a command is only a text.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub async fn submit_by(
        &self,
        submission: Submission,
        queue_mode: Option<&str>,
    ) -> Result<Submitted, SubmitError> {
        self.submit_as(submission, Queue::by_word(queue_mode)).await
    }

    /// Hands a message to the turn that is under way in a session.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub async fn steer(&self, key: &SessionKey, submission: Submission) -> Result<Steered, SubmitError> {
        let under_way = self.inner().runs().of_session(key).into_iter().find(|run| run.has_begun());
        let submitted = self.submit_as(submission, Queue::Steer).await?;
        Ok(match (under_way, submitted) {
            (Some(run), Submitted::Started { .. }) => Steered::Into(run.id.clone()),
            (_, other) => Steered::NotRunning(other),
        })
    }

    /// Shortens a conversation when its turn has come, and waits for that. The message names the run and the
    /// session; its text is not used.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub async fn compact(
        &self,
        submission: Submission,
        wish: CompactOptions,
    ) -> Result<CompactReport, SubmitError> {
        let slot = ReportSlot::default();
        let queue = Queue::Compact(wish, Some(Arc::clone(&slot)));
        match self.submit_as(submission, queue).await? {
            Submitted::Started { run_id, .. } => {
                self.wait(&run_id, COMPACT_WAIT).await;
            }
            Submitted::InFlight { .. } | Submitted::Finished(_) | Submitted::Answered { .. } => {}
        }
        let gone = || CompactReport::Not("it was stopped before it began.".to_owned());
        Ok(slot.get().cloned().unwrap_or_else(gone))
    }

    /// Obeys `/queue`: says or sets what happens to messages of a session while a run is under way.
    pub(crate) async fn queue_as(&self, key: &SessionKey, wanted: &str) -> Result<String, String> {
        let (mode, words) = match wanted.to_lowercase().as_str() {
            "" => {
                let session = self.inner().store().session(key).await.map_err(|error| error.to_string())?;
                let mode = session.and_then(|session| session.entry.queue_mode);
                return Ok(format!("Queue: {}", mode.as_deref().unwrap_or("default")));
            }
            "default" | "reset" => (None, "Messages wait for their turn."),
            FOLLOWUP => (Some(FOLLOWUP), "Messages wait for their turn."),
            mode if is_steer(mode) => (Some(STEER), "Messages go to the run under way, with its next step."),
            mode if is_backlog(mode) => {
                (Some(BACKLOG), "Messages go to the run under way, and get a turn of their own as well.")
            }
            other => {
                return Err(format!(
                    "`{other}` is no queue mode that is in effect; use steer, steer-backlog, followup or default"
                ));
            }
        };
        let changed = self.inner().store().patch_session(key, move |entry| {
            entry.queue_mode = mode.map(str::to_owned);
        });
        let session = changed.await.map_err(|error| error.to_string())?;
        self.announce_change(&session, "patch");
        Ok(words.to_owned())
    }

    /// What is to be done with a message of this session.
    pub(crate) async fn kind_of(
        &self,
        queue: Queue,
        key: &SessionKey,
    ) -> Result<(Kind, Option<ReportSlot>), StoreError> {
        Ok(match queue {
            Queue::Wait => (Kind::Turn, None),
            Queue::Steer => (Kind::Steer, None),
            Queue::SteerToo => (Kind::SteerToo, None),
            Queue::Compact(wish, slot) => (Kind::Compact(wish), slot),
            // Without a run under way there is nothing to steer or to wait for, and nothing needs to be looked up.
            Queue::Collect(_) if self.inner().runs().of_session(key).is_empty() => (Kind::Turn, None),
            Queue::Collect(quiet) => {
                let quiet_ms = u64::try_from(quiet.as_millis()).unwrap_or(u64::MAX);
                (Kind::Collect { quiet_ms }, None)
            }
            Queue::AsSession if self.inner().runs().of_session(key).is_empty() => (Kind::Turn, None),
            Queue::AsSession => {
                let session = self.inner().store().session(key).await?;
                let mode = session.and_then(|session| session.entry.queue_mode);
                let kind = match mode.as_deref() {
                    Some(mode) if is_steer(mode) => Kind::Steer,
                    Some(mode) if is_backlog(mode) => Kind::SteerToo,
                    _ => Kind::Turn,
                };
                (kind, None)
            }
        })
    }
}
