//! Questions by name: asked under one, found by one or by enough of its beginning, waited for.

use std::time::Duration;

use homard_protocol::ApprovalId;
use homard_protocol::methods::approvals::APPROVAL_SLUG_CHARS;
use homard_runtime::{Clock, millis_i64};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    ApprovalRequest, Approvals, MAX_GUEST_PENDING, MAX_PENDING, MAX_PENDING_OF_SESSION, Outcome, Question,
    Waiting,
};

/// Why a question was not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAsked {
    /// Nobody shows questions to people.
    #[error("nobody can be asked")]
    Nobody,
    /// Too many wait already.
    #[error("too many approval requests wait; answer some of them first")]
    TooMany,
    /// Another question has that name.
    #[error("another approval request has this id; choose another, or leave it out")]
    Taken,
}

/// Why a name names no question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// Nothing is called that, or it is over.
    #[error("there is no such approval request; it may have expired")]
    Unknown,
    /// More than one question begins like that.
    #[error("more than one approval request begins with `{0}`; write more of the id")]
    Many(String),
}

impl Approvals {
    /// As [`post`](Self::post), under a name of the asker's choice.
    ///
    /// # Errors
    /// When nobody can be asked or the name is taken.
    pub fn post_as(
        &self,
        id: ApprovalId,
        request: ApprovalRequest,
        clock: &Clock,
        within: Duration,
    ) -> Result<Question, NotAsked> {
        if self.inner.listeners.is_empty() {
            return Err(NotAsked::Nobody);
        }
        let created_at = clock.now_ms();
        let lasts = millis_i64(within);
        let question = Question {
            id: id.clone(),
            request,
            created_at,
            expires_at: created_at.saturating_add(lasts),
            outcome: None,
            answered_by: None,
        };
        let mut waiting = self.waiting();
        if waiting.contains_key(&id) {
            return Err(NotAsked::Taken);
        }
        let open =
            || waiting.values().filter(|one| one.question.outcome.is_none()).map(|one| &one.question.request);
        let asked = &question.request;
        let of_session = || open().filter(|one| one.session_key == asked.session_key).count();
        let is_full = open().count() >= MAX_PENDING
            || (asked.for_guest && open().filter(|one| one.for_guest).count() >= MAX_GUEST_PENDING)
            || (asked.session_key.is_some() && of_session() >= MAX_PENDING_OF_SESSION);
        if is_full {
            tracing::warn!("too many approval requests wait; one more was refused");
            return Err(NotAsked::TooMany);
        }
        let (ended, _) = watch::channel(None);
        waiting.insert(id, Waiting { question: question.clone(), ended, forget_at: None });
        drop(waiting);
        self.tell(&question);
        Ok(question)
    }

    /// Waits for the end of a question, and brings it about when the time is up, the run is stopped, or nobody
    /// waits any more.
    pub async fn wait(&self, id: &str, within: Duration, cancel: &CancellationToken) -> Outcome {
        let Some(mut ended) = self.watch(id) else { return Outcome::NoRoute };
        let _withdrawn = Withdraw { approvals: self, id };
        tokio::select! {
            biased;
            outcome = ended.wait_for(Option::is_some) => match outcome {
                Ok(outcome) => outcome.unwrap_or(Outcome::Withdrawn),
                Err(_gone) => Outcome::Withdrawn,
            },
            () = cancel.cancelled() => self.end(id, Outcome::Withdrawn, None),
            () = tokio::time::sleep(within) => self.end(id, Outcome::Expired, None),
        }
    }

    /// The question of this name; [`APPROVAL_SLUG_CHARS`] of its beginning are enough. One that waits is meant before one
    /// that has ended.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn find(&self, name: &str) -> Result<Question, NotFound> {
        if let Some(question) = self.get(name) {
            return Ok(question);
        }
        if name.chars().count() < APPROVAL_SLUG_CHARS {
            return Err(NotFound::Unknown);
        }
        let waiting = self.waiting();
        let alike: Vec<&Question> =
            waiting.values().map(|one| &one.question).filter(|one| one.id.starts_with(name)).collect();
        let open: Vec<&Question> = alike.iter().copied().filter(|one| one.outcome.is_none()).collect();
        let meant = if open.is_empty() { alike } else { open };
        match meant.as_slice() {
            [] => Err(NotFound::Unknown),
            [one] => Ok((*one).clone()),
            _ => Err(NotFound::Many(name.to_owned())),
        }
    }
}

/// A question whose asker is gone asks nobody; ended ones stay as they are.
struct Withdraw<'a> {
    approvals: &'a Approvals,
    id: &'a str,
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        self.approvals.end(self.id, Outcome::Withdrawn, None);
    }
}

#[cfg(test)]
mod tests;
