//! Calls from outside that tell an agent something: what they may ask for, and what they come to.
//!
//! `call` reads the two calls every gateway knows, `mapped` turns any other payload into them by the owner's
//! mappings and `template`s, `place` decides in which conversation they speak. Nothing here knows HTTP; the gateway does.

pub mod call;
pub mod mapped;
pub mod place;
pub mod template;

use homard_protocol::{IdError, SessionKeyError};

use crate::hooks::TransformError;

/// Why a call was not taken. The words go to the caller; they hold nothing of the gateway's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// A field is missing or wrong.
    #[error("{0}")]
    Invalid(String),
    /// The owner does not let hooks do that.
    #[error("{0}")]
    NotAllowed(String),
    /// The program that rewrites such calls did not.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// It took too long to find out what is asked for.
    #[error("{0}")]
    Late(String),
    /// The gateway cannot take it now.
    #[error("{0}")]
    Busy(String),
    /// The run of the call failed, and the caller waited for it.
    #[error("{error}")]
    Failed { error: String, run_id: String },
}

impl From<IdError> for WebhookError {
    fn from(wrong: IdError) -> Self {
        Self::Invalid(wrong.to_string())
    }
}

impl From<SessionKeyError> for WebhookError {
    fn from(wrong: SessionKeyError) -> Self {
        Self::Invalid(wrong.to_string())
    }
}
