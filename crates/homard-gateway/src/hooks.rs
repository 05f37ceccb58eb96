//! Calls from outside that tell an agent something: what they may ask for, and what they come to.
//!
//! `call` reads the two calls every gateway knows, `mapped` turns any other payload into them by the owner's
//! mappings and `template`s, `place` decides in which conversation they speak, `replay` answers a repeated call with
//! what the first one came to. Nothing here knows HTTP; `http/hooks.rs` does.

pub(crate) mod call;
pub(crate) mod mapped;
pub(crate) mod place;
pub(crate) mod replay;
pub(crate) mod template;

use homard_automation::hooks::TransformError;
use homard_protocol::{IdError, SessionKeyError};
use http::StatusCode;

/// Why a call was not taken. The words go to the caller; they hold nothing of the gateway's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HookError {
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

impl From<IdError> for HookError {
    fn from(wrong: IdError) -> Self {
        Self::Invalid(wrong.to_string())
    }
}

impl From<SessionKeyError> for HookError {
    fn from(wrong: SessionKeyError) -> Self {
        Self::Invalid(wrong.to_string())
    }
}

impl HookError {
    /// The status that says so.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) | Self::NotAllowed(_) => StatusCode::BAD_REQUEST,
            Self::Transform(_) | Self::Late(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Failed { .. } => StatusCode::BAD_GATEWAY,
        }
    }
}
