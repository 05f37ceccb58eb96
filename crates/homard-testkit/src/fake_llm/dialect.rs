//! Which API a request speaks, and one way to ask either for bytes.

use bytes::Bytes;
use serde_json::Value;

use super::script::Speech;
use super::{anthropic, openai};

/// The APIs the fake speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Api {
    OpenAi,
    Anthropic,
}

impl Api {
    /// Which API lives at a path.
    pub(super) fn at(path: &str) -> Option<Self> {
        if path.ends_with("/chat/completions") {
            Some(Self::OpenAi)
        } else if path.ends_with("/messages") {
            Some(Self::Anthropic)
        } else {
            None
        }
    }

    /// A refusal in the API's own shape.
    pub(super) fn error(self, status: u16, message: &str) -> Value {
        match self {
            Self::OpenAi => openai::error(status, message),
            Self::Anthropic => anthropic::error(status, message),
        }
    }
}

/// An API, ready to spell one answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect<'a> {
    pub(super) api: Api,
    /// The model as the request names it.
    pub(super) model: &'a str,
    /// The size of the prompt, as the usage reports it.
    pub(super) prompt_tokens: usize,
    /// The number of the request, which makes tool-call ids unique.
    pub(super) number: usize,
}

impl Dialect<'_> {
    pub(super) fn head(&self) -> Bytes {
        match self.api {
            Api::OpenAi => openai::head(self),
            Api::Anthropic => anthropic::head(self),
        }
    }

    /// The whole content, piece by piece.
    pub(super) fn content(&self, speech: &Speech) -> Vec<Bytes> {
        match self.api {
            Api::OpenAi => openai::content(self, speech),
            Api::Anthropic => anthropic::content(self, speech),
        }
    }

    /// The content of an answer that never ends: nothing is closed.
    pub(super) fn open_content(&self, speech: &Speech) -> Vec<Bytes> {
        match self.api {
            Api::OpenAi => openai::content(self, speech),
            Api::Anthropic => anthropic::open_content(speech),
        }
    }

    pub(super) fn tail(&self, has_calls: bool, words: usize) -> Bytes {
        match self.api {
            Api::OpenAi => openai::tail(self, has_calls, words),
            Api::Anthropic => anthropic::tail(has_calls, words),
        }
    }

    /// The answer in one document, for callers that do not stream.
    pub(super) fn whole(&self, speech: &Speech) -> Value {
        match self.api {
            Api::OpenAi => openai::whole(self, speech),
            Api::Anthropic => anthropic::whole(self, speech),
        }
    }

    /// An id for the `n`th call of this answer.
    pub(super) fn call_id(&self, n: usize) -> String {
        match self.api {
            Api::OpenAi => format!("call_fake{:06}_{n}", self.number),
            Api::Anthropic => format!("toolu_fake{:06}_{n}", self.number),
        }
    }
}

/// A text cut into a few pieces, as arguments are streamed; never empty.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    const PIECES: usize = 3;
    let mut cuts: Vec<usize> = (1..PIECES).map(|i| text.len() * i / PIECES).collect();
    cuts.retain(|&at| at > 0 && text.is_char_boundary(at));
    cuts.dedup();
    let mut out = Vec::new();
    let mut from = 0;
    for to in cuts.into_iter().chain([text.len()]) {
        out.push(text.get(from..to).unwrap_or_default());
        from = to;
    }
    out
}
