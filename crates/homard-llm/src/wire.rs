//! The model APIs, one file each, and the table that finds them.
//!
//! An API is three pure things: where its calls go, how a [`Request`] is spelled, and how its stream is read.
//! None of them does input or output, so each can be tested with tables and fuzzed with bytes.

use std::collections::VecDeque;
use std::fmt;

use homard_protocol::AssistantMessage;

use crate::call::answer::Draft;
use crate::call::request::Request;
use crate::error::{FailReason, LlmError};
use crate::provider::StreamEvent;
use crate::spec::{AwsKeys, ModelSpec};
use crate::transport::framing::{Frames, Framing};
use crate::transport::http::Outgoing;
use crate::transport::sse::SseEvent;

mod anthropic_messages;
mod attachment;
mod bedrock_converse_stream;
mod chat_fields;
mod claude;
mod google_gemini_cli;
mod google_generative_ai;
mod ollama;
mod openai_completions;
mod openai_responses;

pub(crate) use google_generative_ai::gemini_address;

/// Every API, in alphabetical order.
pub const TABLE: &[Wire] = &[
    anthropic_messages::ENTRY,
    bedrock_converse_stream::ENTRY,
    google_gemini_cli::ENTRY,
    google_generative_ai::ENTRY,
    ollama::ENTRY,
    openai_completions::ENTRY,
    openai_responses::ENTRY,
];

/// The name of Bedrock's API in configuration and transcripts.
pub(crate) const BEDROCK_CONVERSE_STREAM: &str = "bedrock-converse-stream";
/// The name of Ollama's API in configuration and transcripts.
pub(crate) const OLLAMA: &str = "ollama";
/// The name of the API behind a Google login, in configuration and transcripts.
pub(crate) const GOOGLE_GEMINI_CLI: &str = "google-gemini-cli";
/// The name of Gemini's API in configuration and transcripts.
pub(crate) const GOOGLE_GENERATIVE_AI: &str = "google-generative-ai";

/// Adds what a request must carry to be believed, at a moment in milliseconds since 1970.
pub(crate) type Sign = fn(&mut Outgoing, &AwsKeys, i64) -> Result<(), LlmError>;

/// One model API.
#[derive(Clone, Copy)]
pub struct Wire {
    /// Its name in configuration and transcripts.
    pub api: &'static str,
    /// How its streams are cut into events.
    pub(crate) framing: Framing,
    /// The header that carries an API key; `None` for `Authorization: Bearer`. Tokens are always borne.
    pub(crate) key_header: Option<&'static str>,
    /// Sent with every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// How tokens from a login begin, where one can tell: they are borne, whatever they were stored as.
    pub(crate) token_mark: Option<&'static str>,
    /// Sent with every request proved by a token from a login instead of a key.
    pub(crate) token_headers: &'static [(&'static str, &'static str)],
    /// The address of a call, from the provider's base address without trailing slash.
    endpoint: fn(&str, &ModelSpec) -> String,
    /// Signs a finished request, where the API wants signatures instead of keys.
    pub(crate) sign: Option<Sign>,
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
    pub fn endpoint(&self, base_url: &str, model: &ModelSpec) -> String {
        (self.endpoint)(base_url.trim().trim_end_matches('/'), model)
    }

    /// The request as this API spells it.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which no request made of messages does.
    pub fn body(&self, request: &Request) -> Result<Vec<u8>, LlmError> {
        (self.body)(&request.settled()).map_err(|error| {
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
        let mut events = Vec::new();
        self.replay_pieces(request, [bytes], &mut |event| events.push(event))?;
        Ok(events)
    }

    /// [`replay`](Self::replay) of a stream that comes in pieces, telling each event as a call would.
    ///
    /// # Errors
    /// As `replay`.
    pub fn replay_pieces<'a>(
        &self,
        request: &Request,
        pieces: impl IntoIterator<Item = &'a [u8]>,
        on_event: &mut dyn FnMut(StreamEvent),
    ) -> Result<(), LlmError> {
        let mut decoder = self.decoder(Draft::new(request.model.clone(), 0));
        let mut out = VecDeque::new();
        let mut frames = Frames::new(self.framing);
        let mut sink = |event: SseEvent<'_>| {
            if !decoder.draft().finished {
                decoder.event(event, &mut out)?;
                out.drain(..).for_each(&mut *on_event);
            }
            Ok(())
        };
        for piece in pieces {
            frames.feed(piece, &mut sink)?;
        }
        frames.finish(&mut sink)
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

    /// The answer so far.
    fn draft(&mut self) -> &mut Draft;
}

/// Whether `model` itself said this over the same API: what it signed is proof to it and to nobody else.
fn is_own(message: &AssistantMessage, model: &ModelSpec) -> bool {
    message.provider == model.provider.as_str()
        && message.model == model.id.as_str()
        && message.api == model.api
}

/// A part of a stream that is not what the API promises.
fn unreadable(error: &serde_json::Error) -> LlmError {
    // Half a document is not another language but a connection that broke: worth another try.
    let reason = if error.is_eof() { FailReason::Timeout } else { FailReason::Format };
    LlmError::new(reason, format!("the provider's stream has an unreadable part: {error}"))
}

#[cfg(test)]
mod tests;
