//! Where a run is, how its model calls ended, and whether what they cost is known: words that stand on the wire and in
//! the database.

use std::str::FromStr;

use schemars::JsonSchema;

use crate::message::StopReason;
use crate::word::{UnknownWord, words};

words! {
    /// Where a run is.
    RunStatus {
        Queued = "queued",
        Running = "running",
        Ok = "ok",
        /// Ended with an error.
        Error = "error",
        Aborted = "aborted",
        /// Stopped by its time limit.
        TimedOut = "timed-out",
        /// Cut off by the gateway ending.
        Interrupted = "interrupted",
    }
}

impl RunStatus {
    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_finished(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

words! {
    /// Whether a call's numbers are known.
    CallState {
        /// Under way; the numbers are the worst case.
        Open = "open",
        /// Ended; the numbers are what it cost.
        Settled = "settled",
        /// The process died meanwhile; the worst case stands.
        Lost = "lost",
    }
}

words! {
    /// How a request for a run is answered.
    RunAnswer {
        /// It waits for its turn or has begun; the word of `agent`.
        Accepted = "accepted",
        /// The same; the word of `chat.send`.
        Started = "started",
        /// It was asked for before and is under way.
        InFlight = "in_flight",
        /// It is over, and was not stopped by an error.
        Ok = "ok",
        Error = "error",
        /// It took too long, or whoever waited did not wait long enough.
        Timeout = "timeout",
    }
}

impl From<RunStatus> for RunAnswer {
    fn from(status: RunStatus) -> Self {
        match status {
            RunStatus::Ok | RunStatus::Aborted => Self::Ok,
            RunStatus::TimedOut => Self::Timeout,
            RunStatus::Error | RunStatus::Interrupted => Self::Error,
            RunStatus::Queued | RunStatus::Running => Self::InFlight,
        }
    }
}

words! {
    /// Why a model call failed. One reason per different reaction: another key, another model, a pause, a shorter
    /// prompt, or a person.
    FailReason {
        /// The key or token is missing, wrong or not allowed.
        Auth = "auth",
        /// The account has no money or no plan.
        Billing = "billing",
        /// Too many requests or tokens in too short a time.
        RateLimit = "rate_limit",
        /// The provider has a bad moment: overloaded, restarting, broken inside.
        Overloaded = "overloaded",
        /// The server is up and the model is not yet in its memory.
        Loading = "loading",
        /// Nothing came, or the connection broke: refused, reset, stalled, cut.
        Timeout = "timeout",
        /// The conversation does not fit the model.
        ContextOverflow = "context_overflow",
        /// The provider's filter stopped the answer.
        ContentFilter = "content_filter",
        /// One side did not understand the other: a rejected request, an unreadable answer.
        Format = "format",
        /// The model declined to answer.
        Refusal = "refusal",
        /// The model said the same over and over, and was stopped.
        Repetition = "repetition",
        /// There is no such model, or not for this account.
        ModelNotFound = "model_not_found",
        /// The owner's budget is spent; nothing was asked.
        Budget = "budget",
        Aborted = "aborted",
        /// None of the above.
        Unknown = "unknown",
    }
}

/// How a model call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub enum CallOutcome {
    Stopped(StopReason),
    Failed(FailReason),
    /// Nobody knows: the process died meanwhile.
    Lost,
}

impl CallOutcome {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stopped(why) => why.as_str(),
            Self::Failed(why) => why.as_str(),
            Self::Lost => CallState::Lost.as_str(),
        }
    }
}

impl AsRef<str> for CallOutcome {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl FromStr for CallOutcome {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == CallState::Lost.as_str() {
            return Ok(Self::Lost);
        }
        text.parse().map(Self::Failed).or_else(|_other: UnknownWord| text.parse().map(Self::Stopped))
    }
}

#[cfg(test)]
mod tests {
    use super::{CallOutcome, FailReason};
    use crate::message::StopReason;
    use crate::word::Word;

    #[test]
    fn how_a_call_ended_is_read_as_it_was_written() {
        let words = FailReason::WORDS.iter().chain(StopReason::WORDS).chain(&["lost"]);
        for &word in words {
            let read: Word<CallOutcome> = Word::of(word);
            assert_eq!((read.known().map(CallOutcome::as_str), read.as_str()), (Some(word), word));
        }
        let under_way: Word<CallOutcome> = Word::of("");
        assert_eq!((under_way.known(), under_way.as_str()), (None, ""));
    }
}
