//! The provider seam and what comes out of it.

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use futures_util::stream::BoxStream;
use homard_protocol::{AssistantMessage, FailReason, ProviderId, ToolCall, Usage, Word};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::call::request::Request;
use crate::embeddings::{EmbedRequest, Embedded};
use crate::error::LlmError;

/// A model API. Failures after the call are the stream's last event, never an `Err`,
/// so a half-received answer and its error reach the agent by the same road.
///
/// Implementors: starting never fails and does no work before the first poll; the stream ends exactly once,
/// with [`StreamEvent::Done`] or [`StreamEvent::Failed`], and yields nothing after it; when `cancel` fires,
/// the connection is dropped at once and the last event is `Failed` with
/// [`FailReason::Aborted`], carrying what had arrived. Dropping the stream drops
/// the connection too.
pub trait Provider: Send + Sync {
    /// The provider's name, as model references spell it.
    fn id(&self) -> &ProviderId;

    /// Asks the model.
    fn stream(&self, request: Request, cancel: CancellationToken) -> BoxStream<'static, StreamEvent>;

    /// Makes vectors of texts, where the provider can; most cannot.
    fn embed(&self, request: EmbedRequest) -> BoxFuture<'static, Result<Embedded, LlmError>> {
        drop(request);
        let message = format!("`{}` makes no embeddings", self.id());
        ready(Err(LlmError::new(FailReason::Format, message))).boxed()
    }
}

/// One thing that happened while the model answered.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// The provider accepted the request; what follows is the answer.
    Start,
    /// An attempt ended without an answer and another begins: a different key, model or way of asking.
    /// Nothing the person was shown is taken back; the provider seam's own implementors never send it.
    Attempt(Attempt),
    /// More text for the person.
    Text(String),
    /// More of the model's reasoning.
    Thinking(String),
    /// The model began to call a tool. Clients show this early; nothing may run before
    /// [`StreamEvent::ToolCall`].
    ToolCallStart {
        /// Which call of this answer, from 0.
        index: usize,
        id: String,
        name: String,
    },
    /// More of a call's arguments, as JSON text cut anywhere.
    ToolCallDelta {
        /// Which call of this answer, from 0.
        index: usize,
        json: String,
    },
    /// A call is complete and readable.
    ToolCall(ToolCall),
    /// What the call has cost so far; the last one stands.
    Usage(Usage),
    /// The model finished. Always the last event.
    Done(Answer),
    /// The call failed or was stopped. Always the last event.
    Failed(LlmError),
}

/// One attempt at a model call that did not answer, and why: a line of the run's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    pub provider: String,
    pub model: String,
    /// With which credential, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    pub reason: Word<FailReason>,
    /// The HTTP status, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What it said, without secrets.
    pub error: String,
    /// How long the attempt took, in milliseconds.
    pub took_ms: u64,
    /// What is done about it.
    pub next: NextStep,
    /// How long the pause before the next attempt is, in milliseconds, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_in_ms: Option<u64>,
}

/// What follows a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// The same model with another credential.
    NextProfile,
    /// The same with less thinking.
    LessThinking,
    /// The next model of the chain.
    NextModel,
    /// The same again after a pause.
    Wait,
    /// Nothing more to try.
    GiveUp,
}

/// A finished answer, ready for the transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The whole message: blocks in order, usage priced, api, provider and model filled in.
    pub message: AssistantMessage,
}
