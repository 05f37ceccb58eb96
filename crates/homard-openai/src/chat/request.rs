//! A request as the API spells it.

use serde::Deserialize;
use serde_json::Value;

use crate::parts::{Content, Part};
use crate::refusal::ApiError;
use crate::sampling::Numbers;
use crate::talk::{Talk, TalkPiece, call};
use crate::tools::Brought;

/// A request. What is not named here has no effect on an agent and is not looked at.
#[derive(Debug, Deserialize)]
pub(crate) struct ChatRequest {
    pub(super) model: Option<String>,
    pub(super) messages: Vec<ChatMessage>,
    #[serde(default)]
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    /// How many answers; only one can be had.
    n: Option<u64>,
    pub(super) tools: Option<Vec<Brought>>,
    pub(super) tool_choice: Option<Value>,
    pub(super) user: Option<String>,
    #[serde(flatten)]
    pub(super) numbers: Numbers,
}

/// How the answer is streamed.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamOptions {
    /// Whether the last piece says what it cost.
    pub(super) include_usage: bool,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum ChatMessage {
    System {
        content: Words,
    },
    Developer {
        content: Words,
    },
    User {
        content: Words,
    },
    Assistant {
        #[serde(default)]
        content: Option<Words>,
        #[serde(default)]
        tool_calls: Option<Vec<Called>>,
    },
    Tool {
        tool_call_id: String,
        content: Words,
    },
    Function {
        name: String,
        #[serde(default)]
        content: Option<Words>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "`content` must be a text or a list of parts with a `type` known here")]
pub(super) enum Words {
    Text(String),
    Parts(Vec<Piece>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Piece {
    Text { text: String },
    Refusal { refusal: String },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ImageUrl {
    Object { url: String },
    Text(String),
}

#[derive(Debug, Deserialize)]
pub(super) struct Called {
    id: String,
    function: CalledFunction,
}

#[derive(Debug, Deserialize)]
struct CalledFunction {
    name: String,
    #[serde(default)]
    arguments: String,
}

impl ChatRequest {
    /// How the answer is streamed, if it is.
    pub(super) fn streaming(&self) -> Result<Option<StreamOptions>, ApiError> {
        if self.n.is_some_and(|n| n != 1) {
            return Err(ApiError::at("n", "`n` can only be 1"));
        }
        Ok(self.stream.unwrap_or(false).then(|| self.stream_options.unwrap_or_default()))
    }
}

/// The conversation of a request in our words.
pub(super) fn talk(messages: Vec<ChatMessage>) -> Result<Talk, ApiError> {
    let mut talk = Talk::default();
    for message in messages {
        match message {
            ChatMessage::System { content } | ChatMessage::Developer { content } => {
                talk.instruct(content.text()?);
            }
            ChatMessage::User { content } => talk.said.push(TalkPiece::User(content.parts()?)),
            ChatMessage::Assistant { content, tool_calls } => {
                let text = content.map(Words::text).transpose()?.unwrap_or_default();
                let calls = tool_calls.unwrap_or_default();
                let calls: Result<Vec<_>, _> = calls
                    .iter()
                    .map(|one| call(&one.id, &one.function.name, &one.function.arguments))
                    .collect();
                talk.said.push(TalkPiece::Assistant { text, calls: calls? });
            }
            ChatMessage::Tool { tool_call_id, content } => {
                talk.said.push(TalkPiece::Result { id: tool_call_id, text: content.text()? });
            }
            // The oldest spelling has no ids: the name says which call is answered, in words.
            ChatMessage::Function { name, content } => {
                let text = content.map(Words::text).transpose()?.unwrap_or_default();
                talk.said.push(TalkPiece::User(vec![Part::Text(format!("[result of {name}]\n{text}"))]));
            }
        }
    }
    Ok(talk)
}

impl Words {
    fn text(self) -> Result<String, ApiError> {
        let parts = match self {
            Self::Text(text) => return Ok(text),
            Self::Parts(parts) => parts,
        };
        let texts: Option<Vec<String>> = parts
            .into_iter()
            .map(|part| match part {
                Piece::Text { text } | Piece::Refusal { refusal: text } => Some(text),
                Piece::ImageUrl { .. } => None,
            })
            .collect();
        let only_users = || ApiError::at("messages", "only messages of the user can have pictures");
        Ok(texts.ok_or_else(only_users)?.join("\n"))
    }

    fn parts(self) -> Result<Vec<Part>, ApiError> {
        let parts = match self {
            Self::Text(text) => return Ok(vec![Part::Text(text)]),
            Self::Parts(parts) => parts,
        };
        let read = |part| {
            Ok(match part {
                Piece::Text { text } | Piece::Refusal { refusal: text } => Part::Text(text),
                Piece::ImageUrl { image_url: ImageUrl::Object { url } | ImageUrl::Text(url) } => {
                    Part::Image(Content::of_url(&url)?)
                }
            })
        };
        parts.into_iter().map(read).collect()
    }
}
