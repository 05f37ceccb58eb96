//! Taking a message: it is admitted, finds its place, is kept, and waits for its turn.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::Inbound;
use homard_policy::queue::Overflow;
use homard_protocol::{RunId, SessionKey, UserBlock, UserContent, UserMessage};
use homard_store::{Accepted, InboxId, NewRun, RunRecord, StoreError};
use homard_tools::Label;
use tokio::sync::oneshot;

use crate::delivery::reply_route::ReplyRoute;
use crate::intake::admit::{Refused, admit};
use crate::intake::origin::Origin;
use crate::intake::route::{RoutePolicy, Routed, Unroutable, route};
use crate::relay::Relay;
use crate::sessions::session_send;
use crate::turn_setup::program::Program;
use crate::turn_setup::taint;
use crate::turns::drain::is_attended;
use crate::turns::lane::{MAX_WAITING, Overrides, Request, Waiting};
use crate::turns::listen::Listener;
use crate::turns::narrate::{Narrator, Subject};
use crate::turns::queue::Queue;
use crate::turns::runs::Run;

/// A message on its way in, with what the sender asked for besides.
#[derive(Debug, Clone)]
pub struct Submission {
    /// The message; its id becomes the run's.
    pub message: Inbound,
    /// Which door it came in by, for the record.
    pub source: &'static str,
    /// `provider/model` for this turn only.
    pub model: Option<String>,
    /// How hard to think in this turn only.
    pub thinking: Option<String>,
    /// Time limit of this turn only.
    pub timeout: Option<Duration>,
    /// Added to the system prompt of this turn only.
    pub extra_system: Option<String>,
    /// Whether the client it came from may not change settings.
    pub without_admin: bool,
}

/// A message that has found its place, with what its sender asked for besides.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) routed: Routed,
    pub(crate) source: &'static str,
    pub(crate) model: Option<String>,
    pub(crate) thinking: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) extra_system: Option<String>,
    pub(crate) without_admin: bool,
}

impl Placed {
    /// The run it becomes.
    pub(crate) fn run_id(&self) -> Result<RunId, SubmitError> {
        RunId::parse(&self.routed.message().message_id).map_err(SubmitError::BadKey)
    }
}

/// What became of a message.
#[derive(Debug)]
pub enum Submitted {
    /// It is kept and will be answered.
    Started {
        /// The run.
        run_id: RunId,
        /// The conversation.
        session_key: SessionKey,
    },
    /// The same message is being answered already.
    InFlight {
        /// The run.
        run_id: RunId,
        /// The conversation.
        session_key: SessionKey,
    },
    /// The same message was answered before.
    Finished(Box<RunRecord>),
    /// It was a command and is obeyed.
    Answered {
        /// The run.
        run_id: RunId,
        /// The conversation.
        session_key: SessionKey,
    },
}

/// What comes with a message beside what its sender asked for.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    /// Whose words it brings, where they are not the owner's.
    pub(crate) labels: Vec<Label>,
    /// What a program wants.
    pub(crate) program: Option<Box<Program>>,
    /// Who wants to listen to the run.
    pub(crate) listening: Option<oneshot::Sender<Listener>>,
    /// Where the answer goes beside those who watch the conversation.
    pub(crate) reply: Option<Box<ReplyRoute>>,
    /// Who said it on which platform.
    pub(crate) origin: Option<Box<Origin>>,
    /// The platform's messages it is made of.
    pub(crate) inbox: Vec<InboxId>,
    /// What is remembered of messages that had to go for it.
    pub(crate) overflow: Option<Box<Overflow>>,
}

/// Why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The sender may not speak.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// It belongs nowhere.
    #[error(transparent)]
    Unroutable(#[from] Unroutable),
    /// The message id cannot name a run.
    #[error("the idempotency key cannot be used")]
    BadKey(#[source] homard_protocol::IdError),
    /// Too many wait already.
    #[error("{MAX_WAITING} messages are waiting in this session already; wait for an answer or stop the run")]
    Full,
    /// The gateway is going down.
    #[error("the gateway is stopping and takes no new messages")]
    Stopping,
    /// A run of that name is known already, so there is nothing to listen to.
    #[error("a run of this name is known already; use another")]
    Repeated,
    /// It could not be kept, so it was not taken.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Relay {
    /// Takes a message: keeps it, then lets it wait for its turn. Returns once it is kept.
    ///
    /// # Errors
    /// When the sender may not speak, the message belongs nowhere, too many wait, or it cannot be kept.
    pub async fn submit(&self, submission: Submission) -> Result<Submitted, SubmitError> {
        self.submit_as(submission, Queue::Wait).await
    }

    /// The same for a message whose words are somebody else's, though an operator or a program of the house
    /// hands it in: a hook, an e-mail, a conversation in which others speak.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub async fn submit_from(
        &self,
        submission: Submission,
        labels: Vec<Label>,
    ) -> Result<Submitted, SubmitError> {
        self.take(submission, Queue::Wait, Brought { labels, ..Brought::default() }).await
    }

    /// Takes a message as [`submit`](Self::submit) does, to wait as `queue` says.
    pub(crate) async fn submit_as(
        &self,
        submission: Submission,
        queue: Queue,
    ) -> Result<Submitted, SubmitError> {
        self.take(submission, queue, Brought::default()).await
    }

    /// Finds the place of an operator's message.
    pub(crate) fn place(&self, submission: Submission) -> Result<Placed, SubmitError> {
        if self.inner().stopping().is_cancelled() {
            return Err(SubmitError::Stopping);
        }
        let Submission { message, source, model, thinking, timeout, extra_system, without_admin } =
            submission;
        let policy = RoutePolicy::of(&self.inner().config());
        let routed = route(&policy, admit(message, without_admin)?)?;
        Ok(Placed { routed, source, model, thinking, timeout, extra_system, without_admin })
    }

    pub(crate) async fn take(
        &self,
        submission: Submission,
        queue: Queue,
        brought: Brought,
    ) -> Result<Submitted, SubmitError> {
        self.take_placed(self.place(submission)?, queue, brought).await
    }

    /// Takes a message that has found its place.
    pub(crate) async fn take_placed(
        &self,
        placed: Placed,
        queue: Queue,
        brought: Brought,
    ) -> Result<Submitted, SubmitError> {
        let run_id = placed.run_id()?;
        let Brought { mut labels, program, listening, reply, origin, inbox, overflow } = brought;
        if self.inner().stopping().is_cancelled() {
            return Err(SubmitError::Stopping);
        }
        let Placed { routed, source, model, thinking, timeout, extra_system, without_admin } = placed;
        let key = routed.session_key().clone();
        // Before the room is looked at: a repeated request is not one more.
        if self.inner().runs().get(&run_id).is_some() {
            return Ok(Submitted::InFlight { run_id, session_key: key });
        }
        // Who waits for messages of platforms has been decided with them.
        if origin.is_none() && !self.inner().lanes().has_room(&key) {
            return Err(SubmitError::Full);
        }
        labels.extend(taint::labels(routed.message(), routed.standing().is_owner));
        labels.extend(without_admin.then(Label::of_client_without_admin));
        // What a turn under way knows about whose words it works with was decided when it began.
        let queue = if labels.is_empty() { queue } else { queue.waiting() };
        // Nor can it be asked differently any more.
        let asks = model.is_some() || thinking.is_some() || (extra_system.is_some() && origin.is_none());
        let queue = if asks { queue.unless_said() } else { queue };
        let (kind, report) = self.kind_of(queue, &key).await?;
        let message = taint::without_secrets(user_message(&routed, &run_id), &self.inner().guards().secrets);
        let overrides = Overrides {
            model,
            thinking,
            timeout_ms: timeout.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            extra_system,
            without_admin,
            nested: source == session_send::SOURCE,
            labels,
            program,
            reply,
            restarts: 0,
            origin,
            overflow,
        };
        let new = NewRun {
            run_id: run_id.clone(),
            session_key: key.clone(),
            agent_id: routed.agent().clone(),
            source: source.to_owned(),
            message: Request { message: message.clone(), overrides: overrides.clone(), kind: kind.clone() }
                .to_json(),
            inbox,
        };
        let run = self.run_of(&routed, run_id.clone(), &message);
        if is_attended(source) {
            run.attend();
        }
        if !self.inner().runs().reserve(&run) {
            return Ok(Submitted::InFlight { run_id, session_key: key });
        }
        if listening.is_some_and(|listening| listening.send(Listener::to(&run)).is_err()) {
            tracing::debug!(run = %run_id, "nobody listens to the run any more");
        }
        // The lane may begin at once: its first write is behind this one and shares its commit. It tells
        // nobody anything before it knows that the message is kept.
        let (is_kept, kept) = oneshot::channel();
        let accepted = match self.inner().store().post_run(new).await {
            Ok(accepted) => accepted,
            Err(error) => {
                self.inner().runs().remove(&run);
                return Err(error.into());
            }
        };
        let run_here = Arc::clone(&run);
        let merged = Vec::new();
        let waiting =
            Waiting { run: run_here, kept: Some(kept), routed, message, overrides, kind, report, merged };
        self.inner().lanes().put(self.inner(), self.inner().tasks(), waiting);
        let duplicate = match accepted.await {
            Ok(Accepted::New) => None,
            Ok(Accepted::Duplicate(record)) => Some(Ok(if record.status.is_finished() {
                Submitted::Finished(record)
            } else {
                Submitted::InFlight { run_id: run_id.clone(), session_key: record.session_key.clone() }
            })),
            Err(error) => Some(Err(error.into())),
        };
        if let Some(answer) = duplicate {
            self.inner().lanes().withdraw(&run);
            self.inner().runs().remove(&run);
            return answer;
        }
        if is_kept.send(()).is_err() {
            tracing::debug!(run = %run_id, "the lane is gone; the message is answered after the next start");
        }
        Ok(Submitted::Started { run_id, session_key: key })
    }

    /// A run for a message that has found its place.
    pub(crate) fn run_of(&self, routed: &Routed, run_id: RunId, message: &UserMessage) -> Arc<Run> {
        let inner = self.inner();
        let key = routed.session_key().clone();
        let subject = Subject {
            run: run_id.clone(),
            run_text: Arc::from(run_id.as_str()),
            session_key: Arc::from(key.to_string()),
            agent: Some(Arc::from(routed.agent().as_str())),
        };
        let narrator = Narrator::new(subject, inner.bus().clone(), inner.clock().clone());
        let cancel = inner.tasks().token().child_token();
        Arc::new(Run::new(run_id, key, message.content.text(), narrator, cancel))
    }

    /// Lets a message that was kept by an earlier process wait for its turn.
    pub(crate) fn resume_kept(&self, routed: Routed, run_id: RunId, request: Request) {
        let Request { message, overrides, kind } = request;
        let run = self.run_of(&routed, run_id, &message);
        if self.inner().runs().reserve(&run) {
            let merged = Vec::new();
            let waiting = Waiting { run, kept: None, routed, message, overrides, kind, report: None, merged };
            self.inner().lanes().put(self.inner(), self.inner().tasks(), waiting);
        }
    }
}

pub(crate) fn user_message(routed: &Routed, run_id: &RunId) -> UserMessage {
    let message = routed.message();
    let content = if message.images.is_empty() {
        UserContent::Text(message.text.clone())
    } else {
        let text = (!message.text.is_empty()).then(|| UserBlock::text(message.text.clone()));
        UserContent::Blocks(text.into_iter().chain(message.images.iter().cloned()).collect())
    };
    UserMessage { content, timestamp: message.timestamp, idempotency_key: Some(format!("{run_id}:user")) }
}
