//! How a message waits: for its turn, for the turn under way, or to be obeyed instead.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::Inbound;
use homard_protocol::events::{OperationPhase, SessionOperation, SessionOperationEvent};
use homard_protocol::{RunId, SessionKey};
use homard_runtime::millis;
use homard_store::StoreError;

use crate::bus::Audience;
use crate::parts::Turns;
use crate::turns::accept::{AcceptError, Accepted};
use crate::turns::compact::{CompactOptions, CompactReport, ReportSlot};
use crate::turns::lane::Kind;
use crate::turns::request::TurnOptions;
use crate::turns::source::Source;
use crate::turns::steering::{is_backlog, is_steer};

/// How long somebody waits for a compaction that was asked for; it goes on if they do not.
const COMPACT_WAIT: Duration = Duration::from_secs(60 * 60);

/// The words that are kept for a session.
const FOLLOWUP: &str = "followup";
const STEER: &str = "steer";
const BACKLOG: &str = "steer-backlog";

/// How a message waits.
pub enum Queue {
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
    #[must_use]
    pub fn by_word(queue_mode: Option<&str>) -> Self {
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

impl Turns {
    /// Shortens a conversation when its turn has come, and waits for that. The message names the run and the
    /// session; its text is not used.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub async fn compact(
        &self,
        message: Inbound,
        wish: CompactOptions,
    ) -> Result<CompactReport, AcceptError> {
        let slot = ReportSlot::default();
        let queue = Queue::Compact(wish, Some(Arc::clone(&slot)));
        match self.accept(message, TurnOptions::of(Source::Compact), queue).await? {
            Accepted::Started { run_id, session_key } => {
                self.tell_compaction(&run_id, &session_key, None);
                self.wait(&run_id, COMPACT_WAIT).await;
                let done = matches!(slot.get(), Some(CompactReport::Done(_)));
                self.tell_compaction(&run_id, &session_key, Some(done));
            }
            Accepted::InFlight { .. } | Accepted::Finished(_) | Accepted::Answered { .. } => {}
        }
        let gone = || CompactReport::Not("it was stopped before it began.".to_owned());
        Ok(slot.get().cloned().unwrap_or_else(gone))
    }

    /// Tells that a conversation is being summarised, or no longer is and whether something came of it.
    fn tell_compaction(&self, run: &RunId, session: &SessionKey, completed: Option<bool>) {
        let event = SessionOperationEvent {
            operation_id: run.clone(),
            operation: SessionOperation::Compact,
            phase: completed.map_or(OperationPhase::Start, |_| OperationPhase::End),
            session_key: session.clone(),
            agent_id: session.agent_id().cloned(),
            ts: self.inner().clock().now_ms(),
            completed,
        };
        self.inner().bus().publish_to(&event, Audience::SessionSubscribers);
    }

    /// Obeys `/queue`: says or sets what happens to messages of a session while a run is under way.
    pub(crate) async fn queue_as(&self, key: &SessionKey, wanted: &str) -> Result<String, String> {
        let (mode, words) = match wanted.to_lowercase().as_str() {
            "" => {
                let session =
                    self.inner().store().sessions().get(key).await.map_err(|error| error.to_string())?;
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
        let changed = self.inner().store().sessions().patch(key, move |entry| {
            entry.queue_mode = mode.map(str::to_owned);
        });
        let session = changed.await.map_err(|error| error.to_string())?;
        self.inner().session_changed(&session, "patch", self.runs().active_ids(key));
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
            Queue::Collect(_) if self.runs().of_session(key).is_empty() => (Kind::Turn, None),
            Queue::Collect(quiet) => {
                let quiet_ms = millis(quiet);
                (Kind::Collect { quiet_ms }, None)
            }
            Queue::AsSession if self.runs().of_session(key).is_empty() => (Kind::Turn, None),
            Queue::AsSession => {
                let session = self.inner().store().sessions().get(key).await?;
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
