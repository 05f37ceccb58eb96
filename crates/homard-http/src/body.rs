//! Reading a request's body: never more than asked for, never for ever.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::Body;
use serde_json::json;

use crate::answers::{Answer, json_answer};

/// How long a client may take to send a body.
const BODY_TIME: Duration = Duration::from_secs(30);

/// How many bytes of a body that is too large are still taken and thrown away, so that the client has sent
/// it all and reads why it was refused.
const THROWN_AWAY: usize = 64 * 1024 * 1024;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// More than the limit.
    #[error("Payload too large")]
    TooLarge,
    /// Not all of it came in time.
    #[error("Request body timeout")]
    TooSlow,
    #[error("the request's body could not be read")]
    Broken,
}

impl BodyError {
    /// The status that says so.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Broken => StatusCode::BAD_REQUEST,
        }
    }

    /// The answer that says so, in the shape of API errors.
    #[must_use]
    pub fn answer(self) -> Answer {
        json_answer(
            self.status(),
            &json!({"error": {"message": self.to_string(), "type": "invalid_request_error"}}),
        )
    }
}

/// Reads a whole body of at most `limit` bytes.
///
/// # Errors
/// When it is larger, comes too slowly, or breaks off.
pub async fn read<B>(body: B, limit: usize) -> Result<Bytes, BodyError>
where
    B: Body<Data = Bytes> + Unpin,
{
    let reading = tokio::time::timeout(BODY_TIME, collect(body, limit)).await;
    reading.unwrap_or(Err(BodyError::TooSlow))
}

async fn collect<B>(mut body: B, limit: usize) -> Result<Bytes, BodyError>
where
    B: Body<Data = Bytes> + Unpin,
{
    let (mut kept, mut total) = (BytesMut::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_broken| BodyError::Broken)?;
        let Ok(piece) = frame.into_data() else { continue };
        total = total.saturating_add(piece.len());
        if total <= limit {
            kept.extend_from_slice(&piece);
        } else if total > limit.saturating_add(THROWN_AWAY) {
            break;
        } else {
            kept.clear();
        }
    }
    if total > limit { Err(BodyError::TooLarge) } else { Ok(kept.freeze()) }
}

#[cfg(test)]
mod tests;
