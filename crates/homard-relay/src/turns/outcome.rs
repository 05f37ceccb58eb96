//! What a turn came to, and the end of a run that is told from it.
//!
//! A [`TurnOutcome`] is made once, where the turn ends; how the run is marked, what is recorded, what people hear and
//! what programs are told are all read from it. `delivery/deliver.rs` does that.

use homard_agent::TurnUsage;
use homard_llm::{Attempt, FailReason};
use homard_protocol::events::ErrorKind;
use homard_protocol::{AssistantMessage, RunId, SessionId, StopCause, StopReason, ToolCall, Usage};
use homard_store::RunStatus;

use crate::delivery::look::LookVerdict;
use crate::turns::runs::Run;

/// What is said of a turn that took too long.
const TIMED_OUT: &str =
    "The run took longer than its time limit and was stopped (agents.defaults.timeoutSeconds).";

/// What a turn came to.
#[derive(Debug, Clone)]
pub enum TurnOutcome {
    /// The model was done.
    Answered {
        facts: TurnFacts,
        answer: Option<AssistantMessage>,
        /// Calls that are the asking program's to run: the turn ended because of them.
        calls: Vec<ToolCall>,
    },
    /// Somebody stopped it, or its time was up.
    Stopped {
        facts: TurnFacts,
        /// The part of an answer that had come.
        answer: Option<AssistantMessage>,
        /// Why; nobody says so when everything is stopped.
        by: Option<StopCause>,
    },
    /// The model could not answer, or its answer could not be kept.
    Failed {
        facts: TurnFacts,
        /// The part of an answer that had come.
        answer: Option<AssistantMessage>,
        failure: Failure,
        /// Whether the transcript is no longer what the lane believes.
        is_unrecorded: bool,
    },
    /// The model was not asked.
    NotBegun(NotBegun),
}

/// What went wrong.
#[derive(Debug, Clone)]
pub struct Failure {
    pub(crate) error: String,
    pub(crate) kind: ErrorKind,
}

/// Why the model was not asked.
#[derive(Debug, Clone)]
pub enum NotBegun {
    /// It was stopped while it waited for its turn.
    Stopped { by: Option<StopCause> },
    /// It could not be asked.
    Failed {
        error: String,
        /// When its turn had come, if it had.
        started_at: Option<i64>,
        /// The transcript, if it was found.
        session_id: Option<SessionId>,
    },
    /// Its message went to the turn of another run.
    TakenOver {
        by: TakenOver,
        at: i64,
        /// The transcript, where it is known.
        session_id: Option<SessionId>,
    },
    /// It was a command, or a wish about the conversation.
    Command {
        /// Why it was stopped, if it was.
        stopped: Option<StopCause>,
        error: Option<String>,
        at: i64,
    },
}

/// The run to whose turn a message went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenOver {
    /// Its turn was under way.
    Steered(RunId),
    Merged(RunId),
}

/// What is known of a turn in which a model was asked.
#[derive(Debug, Clone)]
pub struct TurnFacts {
    pub(crate) started_at: i64,
    pub(crate) session_id: SessionId,
    pub(crate) used: ModelUsed,
    /// What was tried in vain on the way.
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) spent: TurnUsage,
}

/// The model that answered, or was asked to.
#[derive(Debug, Clone)]
pub struct ModelUsed {
    pub provider: String,
    pub model: String,
    pub(crate) context_window: Option<u64>,
    /// The credential the conversation keeps to from now on.
    pub(crate) profile: Option<String>,
}

impl TurnOutcome {
    /// Stopped while it waited for its turn.
    pub(crate) fn stopped_before_it_began(run: &Run) -> Self {
        Self::NotBegun(NotBegun::Stopped { by: run.stopped_by() })
    }

    /// The model could not be asked at all.
    pub(crate) fn failed_to_begin(error: String, started_at: i64, session_id: Option<SessionId>) -> Self {
        Self::NotBegun(NotBegun::Failed { error, started_at: Some(started_at), session_id })
    }

    /// The same, except that it could not be kept.
    pub(crate) fn lost(self, error: String) -> Self {
        let failure = Failure { error, kind: ErrorKind::Unknown };
        let failed =
            |facts, answer| Self::Failed { facts, answer, failure: failure.clone(), is_unrecorded: true };
        match self {
            Self::Answered { facts, answer, .. }
            | Self::Stopped { facts, answer, .. }
            | Self::Failed { facts, answer, .. } => failed(facts, answer),
            Self::NotBegun(not_begun) => {
                let (started_at, session_id) = (not_begun.started_at(), not_begun.session_id().cloned());
                Self::NotBegun(NotBegun::Failed { error: failure.error, started_at, session_id })
            }
        }
    }

    /// How the run is marked.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        match self {
            Self::Answered { .. } => RunStatus::Ok,
            Self::Stopped { by: Some(StopCause::Timeout), .. } => RunStatus::TimedOut,
            Self::Stopped { .. } => RunStatus::Aborted,
            Self::Failed { .. } => RunStatus::Error,
            Self::NotBegun(not_begun) => not_begun.status(),
        }
    }

    /// What is known of the turn, where a model was asked.
    pub(crate) fn facts(&self) -> Option<&TurnFacts> {
        match self {
            Self::Answered { facts, .. } | Self::Stopped { facts, .. } | Self::Failed { facts, .. } => {
                Some(facts)
            }
            Self::NotBegun(_) => None,
        }
    }

    /// The last answer, whole or partial.
    pub(crate) fn answer(&self) -> Option<&AssistantMessage> {
        match self {
            Self::Answered { answer, .. } | Self::Stopped { answer, .. } | Self::Failed { answer, .. } => {
                answer.as_ref()
            }
            Self::NotBegun(_) => None,
        }
    }

    /// What went wrong.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Answered { .. } => None,
            Self::Stopped { by, .. } => (*by == Some(StopCause::Timeout)).then_some(TIMED_OUT),
            Self::Failed { failure, .. } => Some(&failure.error),
            Self::NotBegun(NotBegun::Failed { error, .. }) => Some(error),
            Self::NotBegun(NotBegun::Command { error, .. }) => error.as_deref(),
            Self::NotBegun(NotBegun::Stopped { .. } | NotBegun::TakenOver { .. }) => None,
        }
    }

    /// The words of what went wrong, to hide something in them.
    pub(crate) fn error_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Failed { failure, .. } => Some(&mut failure.error),
            Self::NotBegun(NotBegun::Failed { error, .. }) => Some(error),
            Self::Answered { .. } | Self::Stopped { .. } | Self::NotBegun(_) => None,
        }
    }

    /// What programs decide on when something went wrong.
    pub(crate) fn error_kind(&self) -> ErrorKind {
        match self {
            Self::Failed { failure, .. } => failure.kind,
            Self::Stopped { by: Some(StopCause::Timeout), .. } => ErrorKind::Timeout,
            Self::Answered { .. } | Self::Stopped { .. } | Self::NotBegun(_) => ErrorKind::Unknown,
        }
    }

    /// Why the model stopped, where it said so.
    #[must_use]
    pub fn model_stopped(&self) -> Option<StopReason> {
        self.answer().map(|answer| answer.stop_reason)
    }

    /// Who stopped it, where somebody did.
    pub(crate) fn stopped_by(&self) -> Option<StopCause> {
        match self {
            Self::Stopped { by, .. } | Self::NotBegun(NotBegun::Stopped { by }) => {
                Some(by.unwrap_or(StopCause::Rpc))
            }
            Self::NotBegun(NotBegun::Command { stopped, .. }) => *stopped,
            Self::Answered { .. } | Self::Failed { .. } | Self::NotBegun(_) => None,
        }
    }

    /// Why the model stopped, who stopped it, or where the message went, in the words of the wire.
    #[must_use]
    pub fn stop_word(&self) -> Option<String> {
        if let Some(by) = self.stopped_by() {
            return Some(by.as_str().to_owned());
        }
        match self {
            Self::NotBegun(NotBegun::TakenOver { by, .. }) => Some(match by {
                TakenOver::Steered(run) => format!("steered:{run}"),
                TakenOver::Merged(run) => format!("merged:{run}"),
            }),
            Self::NotBegun(NotBegun::Command { .. }) => None,
            Self::Answered { .. } | Self::Stopped { .. } | Self::Failed { .. } | Self::NotBegun(_) => {
                Some(self.model_stopped().unwrap_or_default().as_str().to_owned())
            }
        }
    }

    /// When it began.
    #[must_use]
    pub fn started_at(&self) -> Option<i64> {
        match self {
            Self::NotBegun(not_begun) => not_begun.started_at(),
            begun => begun.facts().map(|facts| facts.started_at),
        }
    }

    /// The transcript.
    #[must_use]
    pub fn session_id(&self) -> Option<&SessionId> {
        match self {
            Self::NotBegun(not_begun) => not_begun.session_id(),
            begun => begun.facts().map(|facts| &facts.session_id),
        }
    }

    /// The model that answered, or was asked to.
    #[must_use]
    pub fn model(&self) -> Option<&ModelUsed> {
        self.facts().map(|facts| &facts.used)
    }

    /// At what price.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.facts().map(|facts| facts.spent.usage).unwrap_or_default()
    }

    /// What was tried in vain on the way.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt] {
        self.facts().map_or(&[], |facts| &facts.attempts)
    }

    /// Calls of tools that are the asking program's to run.
    #[must_use]
    pub fn calls(&self) -> &[ToolCall] {
        match self {
            Self::Answered { calls, .. } => calls,
            Self::Stopped { .. } | Self::Failed { .. } | Self::NotBegun(_) => &[],
        }
    }

    /// Whether the lane must read the conversation again.
    pub(crate) fn leaves_history_stale(&self) -> bool {
        match self {
            Self::Answered { .. } | Self::Stopped { .. } => false,
            Self::Failed { is_unrecorded, .. } => *is_unrecorded,
            Self::NotBegun(_) => true,
        }
    }
}

impl Failure {
    /// What programs decide on, from the model layer's own reason.
    pub(crate) fn of(reason: FailReason, error: String) -> Self {
        let kind = match reason {
            FailReason::Refusal | FailReason::ContentFilter => ErrorKind::Refusal,
            FailReason::Timeout => ErrorKind::Timeout,
            FailReason::RateLimit => ErrorKind::RateLimit,
            FailReason::ContextOverflow => ErrorKind::ContextLength,
            FailReason::Auth
            | FailReason::Billing
            | FailReason::Format
            | FailReason::ModelNotFound
            | FailReason::Overloaded
            | FailReason::Budget
            | FailReason::Aborted
            | FailReason::Loading
            | FailReason::Repetition
            | FailReason::Unknown => ErrorKind::Unknown,
        };
        Self { error, kind }
    }
}

impl NotBegun {
    fn status(&self) -> RunStatus {
        match self {
            Self::Stopped { .. } | Self::Command { stopped: Some(_), .. } => RunStatus::Aborted,
            Self::Failed { .. } | Self::Command { error: Some(_), .. } => RunStatus::Error,
            Self::TakenOver { .. } | Self::Command { .. } => RunStatus::Ok,
        }
    }

    fn started_at(&self) -> Option<i64> {
        match self {
            Self::Stopped { .. } => None,
            Self::Failed { started_at, .. } => *started_at,
            Self::TakenOver { at, .. } | Self::Command { at, .. } => Some(*at),
        }
    }

    fn session_id(&self) -> Option<&SessionId> {
        match self {
            Self::Failed { session_id, .. } | Self::TakenOver { session_id, .. } => session_id.as_ref(),
            Self::Stopped { .. } | Self::Command { .. } => None,
        }
    }
}

/// How a run ended, for whoever waits.
#[derive(Debug)]
pub struct RunEnd {
    /// What its turn came to.
    pub outcome: TurnOutcome,
    /// What people are shown; `None` when that is nothing.
    pub reply: Option<String>,
    pub ended_at: i64,
    /// What it came to, where nobody asked and the agent only looked around.
    pub look: Option<LookVerdict>,
}

#[cfg(test)]
mod tests;
