//! Reading a request's body: never more than asked for, never for ever.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use serde_json::json;

use super::answers::{Answer, json_answer};

/// How long a client may take to send a body.
const BODY_TIME: Duration = Duration::from_secs(30);

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    /// More than the limit.
    #[error("Payload too large")]
    TooLarge,
    /// Not all of it came in time.
    #[error("Request body timeout")]
    TooSlow,
    /// The connection broke.
    #[error("the request's body could not be read")]
    Broken,
}

impl BodyError {
    /// The status that says so.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Broken => StatusCode::BAD_REQUEST,
        }
    }

    /// The answer that says so, in the shape of API errors.
    pub(crate) fn answer(self) -> Answer {
        json_answer(
            self.status(),
            &json!({"error": {"message": self.to_string(), "type": "invalid_request_error"}}),
        )
    }
}

/// Reads a whole body of at most `limit` bytes.
pub(crate) async fn read(body: Incoming, limit: usize) -> Result<Bytes, BodyError> {
    let read = Limited::new(body, limit).collect();
    match tokio::time::timeout(BODY_TIME, read).await {
        Err(_elapsed) => Err(BodyError::TooSlow),
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
        Ok(Err(_broken)) => Err(BodyError::Broken),
    }
}
