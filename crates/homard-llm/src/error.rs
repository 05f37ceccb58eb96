//! How a model call fails, in words the agent can act on and a person can read.

use std::time::Duration;

use homard_protocol::AssistantMessage;
use homard_runtime::Clip;

use crate::classify::classify;
use crate::transport::sse::SseError;

pub use homard_protocol::FailReason;

/// Longest message kept from a provider, in characters: enough for a sentence, too short for a page.
pub(crate) const MAX_MESSAGE: usize = 400;

/// Shortest text treated as a secret when scrubbing; shorter header values are ordinary words.
const MIN_SECRET: usize = 8;

/// Whether the same call may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// It would fail the same way.
    Never,
    /// It may work after a pause the caller chooses.
    Now,
    /// The provider asked to be left alone this long.
    After(Duration),
}

/// A failed model call. Carries no secret: keys are scrubbed before the message is made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct LlmError {
    /// What kind of failure.
    pub reason: FailReason,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    /// What happened, in one sentence.
    pub message: String,
    /// How long the provider asked us to wait.
    pub retry_after: Option<Duration>,
    /// What had arrived before it failed, worth keeping in the transcript.
    pub partial: Option<Box<AssistantMessage>>,
}

impl LlmError {
    /// A failure without status, pause or partial answer.
    pub fn new(reason: FailReason, message: impl Into<String>) -> Self {
        Self { reason, status: None, message: clip(message.into()), retry_after: None, partial: None }
    }

    /// The call was stopped by its caller.
    #[must_use]
    pub fn aborted() -> Self {
        Self::new(FailReason::Aborted, "the model call was stopped")
    }

    /// Reads what somebody said when they failed, the way a provider's own errors are read.
    #[must_use]
    pub fn from_text(text: &str, status: Option<u16>) -> Self {
        classify(status, text.as_bytes(), &[])
    }

    /// Adds the HTTP status.
    #[must_use]
    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Whether trying the same again makes sense.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self.reason {
            FailReason::RateLimit | FailReason::Overloaded | FailReason::Loading | FailReason::Timeout => {
                self.retry_after.map_or(Retry::Now, Retry::After)
            }
            FailReason::Unknown if self.status.is_none_or(|status| status >= 500) => Retry::Now,
            FailReason::Unknown
            | FailReason::Auth
            | FailReason::Billing
            | FailReason::ContextOverflow
            | FailReason::ContentFilter
            | FailReason::Format
            | FailReason::Refusal
            | FailReason::Repetition
            | FailReason::ModelNotFound
            | FailReason::Budget
            | FailReason::Aborted => Retry::Never,
        }
    }

    /// What a person can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self.reason {
            FailReason::Auth => "check the provider's apiKey in the configuration",
            FailReason::Billing => "add credit or a plan at the provider, or choose another model",
            FailReason::RateLimit => "wait a moment, or choose another model",
            FailReason::Overloaded => "the provider has trouble; try again shortly or choose another model",
            FailReason::Loading => "the server is still loading the model; ask again in a moment",
            FailReason::Timeout => "check the network and the provider's baseUrl, then try again",
            FailReason::ContextOverflow => {
                "start a new session or compact this one; the conversation is too long"
            }
            FailReason::ContentFilter => "rephrase; the provider's content filter stopped the answer",
            FailReason::Format => "check the provider's api and baseUrl in the configuration",
            FailReason::Refusal => "the model declined; rephrase or choose another model",
            FailReason::Repetition => {
                "ask again, set a repeat penalty in the model's params, or choose a larger model"
            }
            FailReason::ModelNotFound => {
                "check the model's id, or list what exists with `homard models list`"
            }
            FailReason::Budget => "raise the budget in the configuration, or wait for the next period",
            FailReason::Aborted => "send the message again to continue",
            FailReason::Unknown => "try again; the log has the details",
        }
    }
}

impl From<SseError> for LlmError {
    fn from(error: SseError) -> Self {
        Self::new(FailReason::Format, error.to_string())
    }
}

/// Cuts a message to [`MAX_MESSAGE`] characters, on one line.
pub(crate) fn clip(text: String) -> String {
    let clean = !text.chars().any(char::is_control);
    if clean && text.len() <= MAX_MESSAGE {
        return text;
    }
    let mut out = String::with_capacity(MAX_MESSAGE);
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out.ellipsis_after(MAX_MESSAGE)
}

/// Takes secrets out of a text a provider sent: our own key wherever it is echoed, and anything shaped like
/// a key.
pub(crate) fn scrub(text: &str, secrets: &[&str]) -> String {
    let mut out = text.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= MIN_SECRET) {
        out = out.replace(secret, "••••");
    }
    if !out.contains("sk-") {
        return out;
    }
    out.split_inclusive(char::is_whitespace)
        .map(|word| match word.find("sk-") {
            Some(at) if word.len() - at > 12 => {
                let tail = word.len() - word.trim_end().len();
                format!("{}••••{}", &word[..at], &word[word.len() - tail..])
            }
            _ => word.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests;
