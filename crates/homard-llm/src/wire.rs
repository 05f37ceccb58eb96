//! The model APIs, one file each, and the table that finds them.
//!
//! An API is three pure things: where its calls go, how a [`Request`] is spelled, and how its stream is read.
//! None of them does input or output, so each can be tested with tables and fuzzed with bytes.

use std::collections::VecDeque;
use std::fmt;

use homard_protocol::StopReason;

use crate::answer::Draft;
use crate::error::{FailReason, LlmError};
use crate::provider::StreamEvent;
use crate::request::Request;
use crate::sse::SseEvent;

mod anthropic_messages;
mod image;
mod openai_completions;

/// Every API, in alphabetical order.
pub const TABLE: &[Wire] = &[anthropic_messages::ENTRY, openai_completions::ENTRY];

/// One model API.
#[derive(Clone, Copy)]
pub struct Wire {
    /// Its name in configuration and transcripts.
    pub api: &'static str,
    /// The header that carries the key; `None` for `Authorization: Bearer`.
    pub(crate) key_header: Option<&'static str>,
    /// Sent with every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// The address of a call, from the provider's base address without trailing slash.
    endpoint: fn(&str) -> String,
    body: fn(&Request) -> Result<Vec<u8>, serde_json::Error>,
    decoder: fn(Draft) -> Box<dyn Decode>,
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Wire").field(&self.api).finish()
    }
}

impl Wire {
    /// Where a call goes.
    #[must_use]
    pub fn endpoint(&self, base_url: &str) -> String {
        (self.endpoint)(base_url.trim().trim_end_matches('/'))
    }

    /// The request as this API spells it.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which no request made of messages does.
    pub fn body(&self, request: &Request) -> Result<Vec<u8>, LlmError> {
        (self.body)(request).map_err(|error| {
            LlmError::new(FailReason::Format, format!("the request could not be written: {error}"))
        })
    }

    /// A reader for one stream, writing into `draft`.
    #[must_use]
    pub(crate) fn decoder(&self, draft: Draft) -> Box<dyn Decode> {
        (self.decoder)(draft)
    }

    /// Reads a whole recorded stream, for tests and fuzzing: the events it gives, or how it fails.
    ///
    /// # Errors
    /// With what the decoder would have ended the call with.
    pub fn replay(&self, request: &Request, bytes: &[u8]) -> Result<Vec<StreamEvent>, LlmError> {
        let mut decoder = self.decoder(Draft::new(request.model.clone(), 0));
        let mut out = VecDeque::new();
        let mut parser = crate::sse::SseParser::new();
        let mut sink = |event: SseEvent<'_>| match decoder.is_finished() {
            true => Ok(()),
            false => decoder.event(event, &mut out),
        };
        parser.feed(bytes, &mut sink)?;
        parser.finish(&mut sink)?;
        Ok(out.into())
    }
}

/// Finds an API by its name in configuration.
#[must_use]
pub fn find(api: &str) -> Option<&'static Wire> {
    TABLE.iter().find(|wire| wire.api == api)
}

/// Reads one stream: events in, the draft grows, news go out.
///
/// Implementors ignore what they do not know, fail on what they cannot read, and never panic.
pub(crate) trait Decode: Send {
    /// Takes the next event.
    fn event(&mut self, event: SseEvent<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError>;

    /// Whether the API has said that nothing more comes.
    fn is_finished(&self) -> bool;

    /// Why the model stopped, once it said so; a stream that ends before was cut.
    fn stop(&self) -> Option<StopReason>;

    /// The answer so far.
    fn draft(&mut self) -> &mut Draft;
}

/// A part of a stream that is not what the API promises.
fn unreadable(error: &serde_json::Error) -> LlmError {
    LlmError::new(FailReason::Format, format!("the provider's stream has an unreadable part: {error}"))
}

#[cfg(test)]
mod tests;
