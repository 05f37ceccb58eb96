//! Frames: one JSON object per WebSocket text message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use serde_with::skip_serializing_none;

/// Longest `traceparent` taken; a longer one invalidates the frame.
const MAX_TRACEPARENT: usize = 128;

/// A client's request.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RequestFrame {
    #[serde(rename = "type")]
    pub kind: RequestTag,
    /// The client's own; the response carries the same.
    pub id: String,
    pub method: String,
    /// What for; `{}` when left out.
    #[serde(default)]
    pub params: Option<Box<RawValue>>,
    #[serde(default)]
    pub traceparent: Option<String>,
    /// A profile the client believes it speaks for.
    #[serde(default)]
    pub expected_profile_id: Option<String>,
}

/// A request's `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestTag {
    #[serde(rename = "req")]
    Req,
}

/// Why a frame is not a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameError {
    /// Not JSON at all.
    NotJson,
    /// JSON, but not a request.
    NotARequest {
        /// Its `id` if it has one, for the answer.
        id: Option<String>,
        /// What is wrong with it.
        reason: String,
    },
}

impl RequestFrame {
    /// Reads one text message.
    ///
    /// # Errors
    /// [`FrameError::NotJson`] when it cannot be answered, [`FrameError::NotARequest`] when it can.
    pub fn parse(text: &str) -> Result<Self, FrameError> {
        match serde_json::from_str::<Self>(text) {
            Ok(frame) => frame.check(),
            Err(error) => Err(explain(text, &error)),
        }
    }

    fn check(self) -> Result<Self, FrameError> {
        let reason = if self.id.is_empty() {
            "id must not be empty"
        } else if self.method.is_empty() {
            "method must not be empty"
        } else if self.traceparent.as_ref().is_some_and(|t| t.len() > MAX_TRACEPARENT) {
            "traceparent is too long"
        } else {
            return Ok(self);
        };
        let id = (!self.id.is_empty()).then_some(self.id);
        Err(FrameError::NotARequest { id, reason: reason.to_owned() })
    }
}

fn explain(text: &str, error: &serde_json::Error) -> FrameError {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return FrameError::NotJson };
    let id = value.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
    FrameError::NotARequest { id, reason: plain_reason(error) }
}

/// A serde message without its line and column, which mean nothing for one-line frames.
#[must_use]
pub fn plain_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text.get(..end).unwrap_or(&text).to_owned(),
        None => text,
    }
}

/// The gateway's answer.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ResponseFrame<P = Value> {
    #[serde(rename = "type")]
    pub kind: ResponseTag,
    pub id: String,
    /// Whether `payload` or `error` follows.
    pub ok: bool,
    #[serde(default = "none")]
    pub payload: Option<P>,
    pub error: Option<ErrorShape>,
}

fn none<P>() -> Option<P> {
    None
}

/// A response's `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResponseTag {
    #[serde(rename = "res")]
    Res,
}

impl<P> ResponseFrame<P> {
    /// A good answer.
    pub fn ok(id: impl Into<String>, payload: P) -> Self {
        Self { kind: ResponseTag::Res, id: id.into(), ok: true, payload: Some(payload), error: None }
    }

    /// A refusal.
    pub fn error(id: impl Into<String>, error: ErrorShape) -> Self {
        Self { kind: ResponseTag::Res, id: id.into(), ok: false, payload: None, error: Some(error) }
    }
}

/// Something that happened, as clients read it. The gateway itself writes these frames from parts, so that
/// one payload is serialised once for all clients.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventFrame {
    #[serde(rename = "type")]
    pub kind: EventTag,
    pub event: String,
    #[serde(default)]
    pub payload: Value,
    /// Counts the events of this connection from 1; a gap means something was missed.
    pub seq: Option<u64>,
    /// Orders presence and health snapshots.
    pub state_version: Option<StateVersion>,
}

/// An event's `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventTag {
    #[serde(rename = "event")]
    Event,
}

/// Counters that grow whenever presence or health change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateVersion {
    /// Of the presence list.
    pub presence: u64,
    /// Of the health snapshot.
    pub health: u64,
}

/// What went wrong, in the one shape clients know.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorShape {
    /// What a program decides on.
    pub code: ErrorCode,
    /// What a person reads.
    pub message: String,
    /// Particulars; `details.code` is finer than `code`.
    pub details: Option<Value>,
    /// Whether the same request may work later.
    pub retryable: Option<bool>,
    /// When, at the earliest.
    pub retry_after_ms: Option<u64>,
}

impl ErrorShape {
    /// An error without particulars.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, retryable: None, retry_after_ms: None }
    }

    /// The request itself is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    /// The gateway cannot do it now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Unavailable, message)
    }

    /// Adds particulars.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Says that and when to try again.
    #[must_use]
    pub fn retry_after(mut self, ms: u64) -> Self {
        self.retryable = Some(true);
        self.retry_after_ms = Some(ms);
        self
    }
}

/// What a program decides on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// Bad frame, parameters, method, role or credentials.
    InvalidRequest,
    /// Missing scope, or refused by policy.
    Forbidden,
    /// The device must be approved first.
    NotPaired,
    /// The channel is not linked.
    NotLinked,
    /// The run took too long.
    AgentTimeout,
    /// No such approval, or expired.
    ApprovalNotFound,
    /// Starting, stopping, busy, limited, or broken inside.
    Unavailable,
}

#[cfg(test)]
mod tests;
