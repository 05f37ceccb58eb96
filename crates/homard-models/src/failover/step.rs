//! What to do about a failed attempt: the rules, free of everything that happens.
//!
//! | reason | another key | another model | again after a pause | the key cools |
//! |---|---|---|---|---|
//! | auth, billing | yes | yes | no | yes |
//! | rate_limit, overloaded, unknown | yes | yes | yes | yes |
//! | loading | no | yes | until it is done | no |
//! | timeout | unless another provider can be asked | yes | yes | yes |
//! | format, model_not_found, repetition | no | yes | no | no |
//! | content_filter, refusal | no | one | no | no |
//! | context_overflow, budget, aborted | no | no | no | no |
//!
//! A request one side did not understand is misunderstood with any key, so `format` says nothing about the key
//! and must not cool it: one oversized picture would put the owner's only key aside. A provider out of reach is
//! out of reach with any key, and finding out takes minutes.

use homard_llm::{FailReason, LlmError, Retry};

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// End the call with this error.
    Stop,
    /// The same model with another credential; else another model.
    NextProfile,
    NextModel,
}

/// What else matters.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FailureFacts {
    /// The person has seen part of the answer, or a tool was called.
    pub(super) delivered: bool,
    /// A model already declined in this call.
    pub(super) declined: bool,
    /// A model of another provider is still to be asked.
    pub(super) other_provider: bool,
}

/// What to do about `error`.
pub(super) fn step(error: &LlmError, facts: FailureFacts) -> Step {
    if facts.delivered {
        return Step::Stop;
    }
    match error.reason {
        FailReason::Aborted | FailReason::ContextOverflow | FailReason::Budget => Step::Stop,
        FailReason::ContentFilter | FailReason::Refusal if facts.declined => Step::Stop,
        FailReason::ContentFilter | FailReason::Refusal => Step::NextModel,
        FailReason::Format | FailReason::ModelNotFound | FailReason::Repetition | FailReason::Loading => {
            Step::NextModel
        }
        FailReason::Timeout if facts.other_provider => Step::NextModel,
        FailReason::Timeout
        | FailReason::Auth
        | FailReason::Billing
        | FailReason::RateLimit
        | FailReason::Overloaded
        | FailReason::Unknown => Step::NextProfile,
    }
}

/// Whether the credential it happened with is left alone for a while.
pub(super) fn cools(reason: FailReason) -> bool {
    matches!(
        reason,
        FailReason::Auth
            | FailReason::Billing
            | FailReason::RateLimit
            | FailReason::Overloaded
            | FailReason::Timeout
            | FailReason::Unknown
    )
}

/// Whether a model declined, rather than a provider failed.
pub(super) fn declines(reason: FailReason) -> bool {
    matches!(reason, FailReason::ContentFilter | FailReason::Refusal)
}

/// Whether the same may work after a pause.
pub(super) fn may_pass(error: &LlmError) -> bool {
    error.retry() != Retry::Never
}

#[cfg(test)]
mod tests;
