//! Which API a request speaks, and one way to ask either for bytes.

use bytes::Bytes;
use serde_json::Value;

use super::script::Speech;
use super::{anthropic, bedrock, google, ollama, openai, responses};

/// The APIs the fake speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Api {
    OpenAi,
    Anthropic,
    Responses,
    Ollama,
    Bedrock,
    Google,
    /// Gemini behind a login, in an envelope that names the project.
    CodeAssist,
}

impl Api {
    /// Which API lives at a path.
    pub(super) fn at(path: &str) -> Option<Self> {
        if path.ends_with("/chat/completions") {
            Some(Self::OpenAi)
        } else if path.ends_with("/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/api/chat") {
            Some(Self::Ollama)
        } else if path.ends_with("/converse-stream") {
            Some(Self::Bedrock)
        } else if path.ends_with("/v1internal:streamGenerateContent") {
            Some(Self::CodeAssist)
        } else if path.ends_with(":streamGenerateContent") {
            Some(Self::Google)
        } else {
            None
        }
    }

    /// A refusal in the API's own shape.
    pub(super) fn error(self, status: u16, message: &str) -> Value {
        match self {
            Self::OpenAi | Self::Responses => openai::error(status, message),
            Self::Anthropic => anthropic::error(status, message),
            Self::Ollama => ollama::error(message),
            Self::Bedrock => bedrock::error(message),
            Self::Google | Self::CodeAssist => google::error(status, message),
        }
    }

    /// The model, where the path names it instead of the body.
    pub(super) fn model_in(self, path: &str) -> Option<&str> {
        let (from, to) = match self {
            Self::Bedrock => ("/model/", "/converse-stream"),
            Self::Google => ("/models/", ":streamGenerateContent"),
            Self::OpenAi | Self::Anthropic | Self::Responses | Self::Ollama | Self::CodeAssist => {
                return None;
            }
        };
        path.strip_suffix(to)?.rsplit_once(from).map(|(_, model)| model)
    }

    /// Whether the answer is streamed, from what the request says about it.
    pub(super) fn streams(self, said: Option<bool>) -> bool {
        said.unwrap_or(matches!(self, Self::Ollama | Self::Bedrock | Self::Google | Self::CodeAssist))
    }

    /// What a stream calls itself.
    pub(super) fn stream_type(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Anthropic | Self::Responses | Self::Google | Self::CodeAssist => {
                "text/event-stream; charset=utf-8"
            }
            Self::Bedrock => "application/vnd.amazon.eventstream",
            Self::Ollama => "application/x-ndjson",
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
            Api::Responses => responses::head(self),
            Api::Ollama => Bytes::new(),
            Api::Bedrock => bedrock::head(),
            Api::Google | Api::CodeAssist => google::head(self),
        }
    }

    /// The whole content, piece by piece.
    pub(super) fn content(&self, speech: &Speech) -> Vec<Bytes> {
        match self.api {
            Api::OpenAi => openai::content(self, speech),
            Api::Anthropic => anthropic::content(self, speech),
            Api::Responses => responses::content(self, speech),
            Api::Ollama => ollama::content(self, speech),
            Api::Bedrock => bedrock::content(self, speech),
            Api::Google | Api::CodeAssist => google::content(self, speech),
        }
    }

    /// The content of an answer that never ends: nothing is closed.
    pub(super) fn open_content(&self, speech: &Speech) -> Vec<Bytes> {
        match self.api {
            Api::OpenAi => openai::content(self, speech),
            Api::Anthropic => anthropic::open_content(speech),
            Api::Responses => responses::open_content(self, speech),
            Api::Ollama => ollama::content(self, speech),
            Api::Bedrock => bedrock::open_content(speech),
            Api::Google | Api::CodeAssist => google::content(self, speech),
        }
    }

    pub(super) fn tail(&self, has_calls: bool, words: usize) -> Bytes {
        match self.api {
            Api::OpenAi => openai::tail(self, has_calls, words),
            Api::Anthropic => anthropic::tail(has_calls, words),
            Api::Responses => responses::tail(self, words),
            Api::Ollama => ollama::tail(self, words),
            Api::Bedrock => bedrock::tail(self, has_calls, words),
            Api::Google | Api::CodeAssist => google::tail(self, words),
        }
    }

    /// The answer in one document, for callers that do not stream.
    pub(super) fn whole(&self, speech: &Speech) -> Value {
        match self.api {
            Api::OpenAi => openai::whole(self, speech),
            Api::Anthropic => anthropic::whole(self, speech),
            Api::Responses => responses::whole(self, speech),
            Api::Ollama => ollama::whole(self, speech),
            Api::Bedrock => bedrock::whole(self, speech),
            Api::Google | Api::CodeAssist => google::whole(self, speech),
        }
    }

    /// An id for the `n`th call of this answer.
    pub(super) fn call_id(&self, n: usize) -> String {
        match self.api {
            Api::OpenAi | Api::Responses | Api::Ollama => format!("call_fake{:06}_{n}", self.number),
            Api::Anthropic => format!("toolu_fake{:06}_{n}", self.number),
            Api::Bedrock => format!("tooluse_fake{:06}_{n}", self.number),
            // Calls have no id there.
            Api::Google | Api::CodeAssist => String::new(),
        }
    }
}

/// An object with one more field.
pub(super) fn with(mut object: Value, key: &str, value: impl Into<Value>) -> Value {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value.into());
    }
    object
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
