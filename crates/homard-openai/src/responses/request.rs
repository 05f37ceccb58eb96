//! A request as the API spells it.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::parts::{Content, Part};
use crate::refusal::ApiError;
use crate::sampling::Numbers;
use crate::talk::{Talk, TalkPiece, call};
use crate::tools::Brought;

/// A request. What is not named here has no effect on an agent and is not looked at.
#[derive(Debug, Deserialize)]
pub(crate) struct ResponsesRequest {
    pub(super) model: String,
    pub(super) input: Input,
    pub(super) instructions: Option<String>,
    pub(super) tools: Option<Vec<Brought>>,
    pub(super) tool_choice: Option<Value>,
    pub(super) stream: Option<bool>,
    pub(super) user: Option<String>,
    pub(super) previous_response_id: Option<String>,
    #[serde(default)]
    pub(super) metadata: Option<Map<String, Value>>,
    #[serde(flatten)]
    pub(super) numbers: Numbers,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "`input` must be a text or a list of items with a `type` known here")]
pub(super) enum Input {
    Text(String),
    Items(Vec<Item>),
}

/// An item; a message may leave its type out.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "an item of `input` has a `type` or a shape not known here")]
pub(super) enum Item {
    Typed(Typed),
    Message(Spoken),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Typed {
    Message(Spoken),
    FunctionCall {
        call_id: String,
        name: String,
        #[serde(default)]
        arguments: String,
    },
    FunctionCallOutput {
        call_id: String,
        output: Words,
    },
    Reasoning {},
    ItemReference {},
}

#[derive(Debug, Deserialize)]
pub(super) struct Spoken {
    role: Role,
    content: Words,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    System,
    Developer,
    User,
    Assistant,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    Text(String),
    Parts(Vec<Piece>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Piece {
    InputText {
        text: String,
    },
    OutputText {
        text: String,
    },
    Refusal {
        refusal: String,
    },
    InputImage {
        image_url: Option<String>,
        source: Option<InputSource>,
    },
    InputFile {
        filename: Option<String>,
        file_data: Option<String>,
        file_url: Option<String>,
        source: Option<InputSource>,
    },
}

/// Where a picture or a file comes from, in the open spelling.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum InputSource {
    Url { url: String },
    Base64 { media_type: Option<String>, data: String, filename: Option<String> },
}

/// The conversation of a request in our words.
pub(super) fn talk(input: Input) -> Result<Talk, ApiError> {
    let mut talk = Talk::default();
    let items = match input {
        Input::Text(text) => {
            talk.said.push(TalkPiece::User(vec![Part::Text(text)]));
            return Ok(talk);
        }
        Input::Items(items) => items,
    };
    for item in items {
        match item {
            Item::Message(spoken) | Item::Typed(Typed::Message(spoken)) => hear(spoken, &mut talk)?,
            Item::Typed(Typed::FunctionCall { call_id, name, arguments }) => {
                talk.called(call(&call_id, &name, &arguments)?);
            }
            Item::Typed(Typed::FunctionCallOutput { call_id, output }) => {
                talk.said.push(TalkPiece::Result { id: call_id, text: output.text()? });
            }
            Item::Typed(Typed::Reasoning {} | Typed::ItemReference {}) => {}
        }
    }
    Ok(talk)
}

fn hear(spoken: Spoken, talk: &mut Talk) -> Result<(), ApiError> {
    match spoken.role {
        Role::System | Role::Developer => talk.instruct(spoken.content.text()?),
        Role::User => talk.said.push(TalkPiece::User(spoken.content.parts()?)),
        Role::Assistant => {
            let text = spoken.content.text()?;
            talk.said.push(TalkPiece::Assistant { text, calls: Vec::new() });
        }
    }
    Ok(())
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
                Piece::InputText { text } | Piece::OutputText { text } | Piece::Refusal { refusal: text } => {
                    Some(text)
                }
                Piece::InputImage { .. } | Piece::InputFile { .. } => None,
            })
            .collect();
        let only_users = || ApiError::at("input", "only messages of the user can have pictures and files");
        Ok(texts.ok_or_else(only_users)?.join("\n"))
    }

    fn parts(self) -> Result<Vec<Part>, ApiError> {
        match self {
            Self::Text(text) => Ok(vec![Part::Text(text)]),
            Self::Parts(parts) => parts.into_iter().map(Piece::part).collect(),
        }
    }
}

impl Piece {
    fn part(self) -> Result<Part, ApiError> {
        let by_id = |what: &str| {
            ApiError::at(
                "input",
                format!("an {what} needs its data or an address; files by id are not kept here"),
            )
        };
        Ok(match self {
            Self::InputText { text } | Self::OutputText { text } | Self::Refusal { refusal: text } => {
                Part::Text(text)
            }
            Self::InputImage { image_url: Some(url), .. } => Part::Image(Content::of_url(&url)?),
            Self::InputImage { source: Some(source), .. } => Part::Image(source.content()?.1),
            Self::InputImage { .. } => return Err(by_id("input_image")),
            Self::InputFile { filename: name, file_data: Some(data), .. } => {
                let content = match data.starts_with("data:") {
                    true => Content::of_url(&data)?,
                    false => Content::Sent { kind: None, data },
                };
                Part::File { name, content }
            }
            Self::InputFile { filename: name, file_url: Some(url), .. } => {
                Part::File { name, content: Content::of_url(&url)? }
            }
            Self::InputFile { filename, source: Some(source), .. } => {
                let (named, content) = source.content()?;
                Part::File { name: filename.or(named), content }
            }
            Self::InputFile { .. } => return Err(by_id("input_file")),
        })
    }
}

impl InputSource {
    fn content(self) -> Result<(Option<String>, Content), ApiError> {
        Ok(match self {
            Self::Url { url } => (None, Content::of_url(&url)?),
            Self::Base64 { media_type, data, filename } => {
                let kind = media_type.map(|kind| kind.trim().to_ascii_lowercase());
                (filename, Content::Sent { kind, data })
            }
        })
    }
}
