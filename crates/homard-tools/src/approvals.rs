//! Asking a person before something is done: what waits for an answer, who answered, and what happens when
//! nobody does.
//!
//! Tools ask, and wait; the gateway shows what is asked to those who may decide and brings the answer. Nothing
//! here is written down: a question dies with the run that asked it.

mod naming;

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use homard_protocol::methods::approvals::ApprovalDecision;
use homard_protocol::{ApprovalId, RunId, SessionKey, ToolCallId};
use homard_runtime::{Arrange as _, Clock, Mutex, Subscribers};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use naming::{NotAsked, NotFound};

/// How long a person has for an answer.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(120);
/// How long an answered question can still be looked at.
pub const KEEP_ANSWERED: Duration = Duration::from_secs(15);
/// Questions that may wait at the same time; one more is answered with no.
pub const MAX_PENDING: usize = 100;
/// Of these, questions that others than the owner have asked; the rest of the places are the owner's.
pub(crate) const MAX_GUEST_PENDING: usize = 50;
/// Questions of one conversation that may wait at the same time.
pub(crate) const MAX_PENDING_OF_SESSION: usize = 10;

/// What a person is asked to allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The tool that wants to act.
    pub tool: String,
    /// What it wants to do, as the person reads it: the command line for `exec`.
    pub action: String,
    pub cwd: Option<String>,
    /// The program a command starts, resolved.
    pub resolved_path: Option<String>,
    /// Why the person is asked: the rule, and what content of others is in play.
    pub reasons: Vec<String>,
    /// Whether "always" can be remembered for it.
    pub can_always: bool,
    /// What a command is under, for display.
    pub terms: CommandTerms,
    pub session_key: Option<SessionKey>,
    pub run_id: Option<RunId>,
    pub call_id: Option<ToolCallId>,
    /// Whether somebody else than the owner has it asked.
    pub for_guest: bool,
}

impl ApprovalRequest {
    /// Lets the person say "always", and tells them what that allows; not at all when there is nothing to tell.
    pub(crate) fn allow_always(&mut self, what: Option<&str>) {
        self.can_always = what.is_some();
        self.reasons.extend(
            what.map(|what| format!("“always” allows {what}, until further text of others comes in")),
        );
    }
}

/// Under which rules a command runs, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandTerms {
    pub security: Option<String>,
    /// When such commands are asked about.
    pub ask: Option<String>,
    /// Whether it runs on a node instead of here.
    pub on_node: bool,
}

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Said(ApprovalDecision),
    /// Nobody answered in time.
    Expired,
    /// Nobody could be asked: nobody who may decide is connected, or too many questions wait.
    NoRoute,
    /// The run was stopped.
    Withdrawn,
}

/// A question as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub id: ApprovalId,
    pub request: ApprovalRequest,
    /// Since when, in milliseconds since 1970.
    pub created_at: i64,
    pub expires_at: i64,
    /// How it ended, if it has.
    pub outcome: Option<Outcome>,
    pub answered_by: Option<String>,
}

/// Why an answer was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// Nobody asked that, or it is over.
    #[error("there is no such approval request; it may have expired")]
    Unknown,
    #[error("this approval request has been answered already")]
    Answered,
    /// "Always" cannot be remembered for it.
    #[error("this cannot be allowed always: allow it once, or deny it")]
    OnceOnly,
}

/// The questions of one gateway. Clone-cheap; the default has nobody who could answer.
#[derive(Clone, Default)]
pub struct Approvals {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    waiting: Mutex<BTreeMap<ApprovalId, Waiting>>,
    listeners: Subscribers<Question>,
}

struct Waiting {
    question: Question,
    ended: watch::Sender<Option<Outcome>>,
    /// When it is forgotten, once it has ended.
    forget_at: Option<Instant>,
}

impl Approvals {
    /// Lets somebody hear when a question is asked and when it ends. While nobody does, every question ends with
    /// [`Outcome::NoRoute`].
    pub fn subscribe(&self, listener: impl Fn(&Question) + Send + Sync + 'static) {
        self.inner.listeners.subscribe(listener);
    }

    /// Asks, and waits for the end of the question.
    pub async fn ask(
        &self,
        request: ApprovalRequest,
        clock: &Clock,
        within: Duration,
        cancel: &CancellationToken,
    ) -> Outcome {
        let Some(id) = self.post(request, clock, within) else { return Outcome::NoRoute };
        self.wait(&id, within, cancel).await
    }

    /// Puts a question without waiting; whoever puts it sees to [`expire`](Self::expire). `None` when nobody
    /// could answer.
    pub fn post(&self, request: ApprovalRequest, clock: &Clock, within: Duration) -> Option<ApprovalId> {
        self.post_as(uuid::Uuid::new_v4().into(), request, clock, within).ok().map(|question| question.id)
    }

    /// Takes a person's answer.
    ///
    /// # Errors
    /// When there is no such question any more, or it does not allow the answer.
    pub fn resolve(&self, id: &str, verdict: ApprovalDecision, by: &str) -> Result<Question, NotTaken> {
        let mut waiting = self.waiting();
        let one = waiting.get_mut(id).ok_or(NotTaken::Unknown)?;
        if one.question.outcome.is_some() {
            return Err(NotTaken::Answered);
        }
        if verdict == ApprovalDecision::AllowAlways && !one.question.request.can_always {
            return Err(NotTaken::OnceOnly);
        }
        let question = finish(one, Outcome::Said(verdict), Some(by));
        drop(waiting);
        self.tell(&question);
        Ok(question)
    }

    /// Ends a question nobody answered; does nothing to one that has ended. Answers how it ended.
    pub fn expire(&self, id: &str) -> Outcome {
        self.end(id, Outcome::Expired, None)
    }

    /// The questions that wait, oldest first.
    #[must_use]
    pub fn pending(&self) -> Vec<Question> {
        let waiting = self.waiting();
        let open = waiting.values().filter(|one| one.question.outcome.is_none());
        let mut pending: Vec<Question> = open.map(|one| one.question.clone()).collect();
        drop(waiting);
        pending.arrange_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        pending
    }

    /// A question that waits or ended a moment ago.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Question> {
        self.waiting().get(id).map(|one| one.question.clone())
    }

    /// Hears the end of a question.
    #[must_use]
    pub fn watch(&self, id: &str) -> Option<watch::Receiver<Option<Outcome>>> {
        self.waiting().get(id).map(|one| one.ended.subscribe())
    }

    fn end(&self, id: &str, outcome: Outcome, by: Option<&str>) -> Outcome {
        let mut waiting = self.waiting();
        let Some(one) = waiting.get_mut(id) else { return outcome };
        if let Some(before) = one.question.outcome {
            return before;
        }
        let question = finish(one, outcome, by);
        drop(waiting);
        self.tell(&question);
        outcome
    }

    fn tell(&self, question: &Question) {
        self.inner.listeners.publish(question);
    }

    /// What waits, without what has been over for a while.
    fn waiting(&self) -> MutexGuard<'_, BTreeMap<ApprovalId, Waiting>> {
        let mut waiting = self.inner.waiting.lock();
        let now = Instant::now();
        waiting.retain(|_, one| one.forget_at.is_none_or(|at| at > now));
        waiting
    }
}

fn finish(one: &mut Waiting, outcome: Outcome, by: Option<&str>) -> Question {
    one.question.outcome = Some(outcome);
    one.question.answered_by = by.map(str::to_owned);
    one.forget_at = Some(Instant::now() + KEEP_ANSWERED);
    one.ended.send_replace(Some(outcome));
    one.question.clone()
}

impl std::fmt::Debug for Approvals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Approvals").field("pending", &self.pending().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
