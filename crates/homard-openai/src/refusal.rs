//! Errors of the API, in the shape its clients read.

use std::error::Error as _;

use homard_models::embed::NotEmbedded;
use homard_protocol::Scope;
use homard_relay::{AcceptError, RunEnd};
use homard_store::{RunStatus, StoreError};
use http::StatusCode;
use http::header::{HeaderValue, RETRY_AFTER};
use serde_json::{Value, json};

use homard_http::answers::{Answer, json_answer, missing_scope};
use homard_http::body::BodyError;

/// Tells clients that a run which failed after everything was tried is not worth repeating.
const SHOULD_RETRY: &str = "x-should-retry";
/// Seconds after which a full session or a restarting gateway may be asked again.
const RETRY_SECONDS: u64 = 1;

/// Why a request is not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum ApiError {
    /// The request asks for what does not exist or cannot be.
    #[error("{message}")]
    Invalid {
        message: String,
        param: Option<&'static str>,
        /// The word programs decide on.
        code: Option<&'static str>,
    },
    /// There is nothing of that name.
    #[error("{0}")]
    NotFound(String),
    /// The caller may not.
    #[error("missing scope: {0}")]
    Forbidden(Scope),
    /// The body was not read.
    #[error(transparent)]
    Body(BodyError),
    /// The message was not taken.
    #[error(transparent)]
    Submit(#[from] AcceptError),
    /// What is kept could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{message}")]
    Run {
        /// What went wrong, for people.
        message: String,
        /// Whether a provider failed, rather than we.
        remote: bool,
    },
    /// No vectors were made.
    #[error(transparent)]
    Embed(NotEmbedded),
    /// The gateway is going down.
    #[error("the gateway is stopping and takes no new messages")]
    Stopping,
}

impl ApiError {
    /// A request that must be changed.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid { message: message.into(), param: None, code: None }
    }

    /// The same, naming the part that must.
    pub(super) fn at(param: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid { message: message.into(), param: Some(param), code: None }
    }

    /// How a run that did not end well is told.
    pub(super) fn of_run(end: &RunEnd) -> Option<Self> {
        let (status, error) = (end.outcome.status(), end.outcome.error());
        let message = match status {
            RunStatus::Ok => return None,
            RunStatus::Aborted | RunStatus::Interrupted => "the run was stopped".to_owned(),
            RunStatus::Error | RunStatus::TimedOut | RunStatus::Queued | RunStatus::Running => {
                error.unwrap_or("the run failed").to_owned()
            }
        };
        let remote = status == RunStatus::Error && !end.outcome.attempts().is_empty();
        Some(Self::Run { message, remote })
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Invalid { .. } => StatusCode::BAD_REQUEST,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::Body(error) => error.status(),
            Self::Submit(AcceptError::Full(_)) => StatusCode::TOO_MANY_REQUESTS,
            Self::Submit(AcceptError::Stopping) | Self::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            Self::Submit(AcceptError::Store(_)) | Self::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Submit(_) => StatusCode::BAD_REQUEST,
            Self::Run { remote: true, .. } => StatusCode::BAD_GATEWAY,
            Self::Run { .. } => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Embed(NotEmbedded::Model(_)) => StatusCode::BAD_REQUEST,
            Self::Embed(NotEmbedded::Failed(_)) => StatusCode::BAD_GATEWAY,
        }
    }

    fn kind(&self) -> &'static str {
        match self.status() {
            StatusCode::FORBIDDEN => "forbidden",
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
            StatusCode::SERVICE_UNAVAILABLE => "gateway_unavailable",
            status if status.is_server_error() => "api_error",
            _ => "invalid_request_error",
        }
    }

    /// What stands under `error`, in an answer or in a stream.
    pub(super) fn object(&self) -> Value {
        let (param, code) = match self {
            Self::Invalid { param, code, .. } => (*param, *code),
            _ => (None, None),
        };
        json!({"message": self.to_string(), "type": self.kind(), "param": param, "code": code})
    }

    /// The answer that says so.
    pub(super) fn answer(self) -> Answer {
        match &self {
            Self::Forbidden(scope) => return missing_scope(scope.as_str()),
            Self::Body(error) => return error.answer(),
            Self::Submit(AcceptError::Store(store)) | Self::Store(store) => log(store),
            _ => {}
        }
        let mut answer = json_answer(self.status(), &json!({"error": self.object()}));
        let headers = answer.headers_mut();
        match self {
            Self::Run { .. } | Self::Embed(_) => {
                headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
            }
            Self::Submit(AcceptError::Full(_) | AcceptError::Stopping) | Self::Stopping => {
                headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS));
            }
            _ => {}
        }
        answer
    }
}

/// What the store could not do is worth a line; what it does not know is the caller's mistake.
fn log(error: &StoreError) {
    if !matches!(
        error,
        StoreError::UnknownSession(_) | StoreError::UnknownRun(_) | StoreError::UnknownEntry(_)
    ) {
        let cause = error.source().map(ToString::to_string);
        tracing::error!(%error, cause, "the store could not answer a request");
    }
}
