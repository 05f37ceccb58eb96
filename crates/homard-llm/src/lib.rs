//! Who thinks: the provider seam, the model APIs behind it and the offline demo model.
//!
//! This crate turns one [`Request`] into one stream of [`StreamEvent`]s. It knows how each API spells
//! messages, tools and errors; it knows nothing of prompts, sessions or which tool does what, and it reads
//! neither configuration nor environment: the composition root hands it [`ProviderSpec`]s.
//!
//! Reading order: [`Provider`] is the seam, [`Request`] goes in, [`StreamEvent`] comes out, [`Models`] finds
//! the provider for a model, `wire` holds one file per API, `demo` is the model that needs no network.

mod call;
mod classify;
mod demo;
mod embeddings;
mod error;
mod models;
mod provider;
mod spec;
mod transport;
pub mod wire;

pub use call::arguments::{MAX_ARGUMENT_BYTES, arguments_fault};
pub use call::params::Params;
pub use call::request::{Request, ThinkingLevel, ToolSpec};
pub use call::sampling::{Sampling, ToolChoice};
pub use call::schema::ToolSchema;
pub use call::written_calls::{Written, written_calls};
pub use classify::classify;
pub use demo::{DEMO_MODEL, DEMO_PROVIDER, Demo};
pub use embeddings::{EmbedRequest, Embedded};
pub use error::{FailReason, LlmError, Retry};
pub use models::{CLI_API, ModelError, Models, Resolved, nearest};
pub use provider::{Answer, Attempt, NextStep, Provider, StreamEvent};
pub use spec::{
    ApiKey, AwsKeys, Compat, Credential, CredentialKind, Headers, InputKind, MaxTokensField, ModelSpec,
    Price, ProviderSpec, ThinkingFormat,
};
pub use transport::aws_sign::sign_get;
pub use transport::http::{
    CALL_TIMEOUT, CONNECT_TIMEOUT, EVENT_TIMEOUT, FETCH_SIZE, FETCH_TIMEOUT, FIRST_BYTE_TIMEOUT, Fetch,
    Fetched, Http, HttpOptions, STALL_TIMEOUT,
};
pub use transport::sse::{MAX_SSE_EVENT, MAX_SSE_LINE, SseError, SseEvent, SseParser};
