//! What a model is shown of a picture or a document it was sent: the thing itself where it can see it, its
//! text where it is text, and an honest note where it can do neither.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use homard_protocol::UserBlock;
use serde::{Serialize, Serializer};

use crate::spec::ModelSpec;

/// What a model that cannot see pictures reads in their place.
pub(super) const OMITTED: &str = "[image left out: this model cannot see images]";
/// What a tool that said nothing said.
pub(super) const NO_OUTPUT: &str = "(no output)";
/// What a tool that answered with pictures only said.
pub(super) const SEE_IMAGE: &str = "(see the image below)";
/// Introduces a tool's pictures where only people may show some.
pub(super) const FROM_TOOL: &str = "Image from the tool result:";
/// What a document without a name is called.
const UNNAMED: &str = "document";

/// A block, as far as a model can take it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShownBlock<'a> {
    Text(Cow<'a, str>),
    /// A picture the model can see.
    Image {
        mime_type: &'a str,
        data: &'a str,
    },
    /// A document the model can read as it is.
    Document {
        mime_type: &'a str,
        data: &'a str,
        name: &'a str,
    },
}

/// A picture or document inside its own address, written without building the string first.
#[derive(Debug, Clone, Copy)]
pub(super) struct DataUrl<'a> {
    pub(super) mime_type: &'a str,
    pub(super) data: &'a str,
}

impl fmt::Display for DataUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data:{};base64,{}", self.mime_type, self.data)
    }
}

impl Serialize for DataUrl<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What `model` is shown of `block`. `takes` says which kinds of picture and document the API has a
/// place for: one it has none for would fail every later call of the conversation.
pub(super) fn shown<'a>(block: &'a UserBlock, model: &ModelSpec, takes: fn(&str) -> bool) -> ShownBlock<'a> {
    match block {
        UserBlock::Text { text } => ShownBlock::Text(Cow::Borrowed(text)),
        UserBlock::Image { data, mime_type } if model.sees_images() => match picture_kind(mime_type) {
            mime_type if takes(mime_type) => ShownBlock::Image { mime_type, data },
            other => ShownBlock::Text(Cow::Owned(format!("[image left out: {other} is not supported]"))),
        },
        UserBlock::Image { .. } => ShownBlock::Text(Cow::Borrowed(OMITTED)),
        UserBlock::Document { data, mime_type, name } => {
            let name = name.as_deref().filter(|name| !name.trim().is_empty()).unwrap_or(UNNAMED);
            if model.reads_documents() && takes(mime_type) {
                return ShownBlock::Document { mime_type, data, name };
            }
            ShownBlock::Text(Cow::Owned(match words(mime_type, data) {
                Some(text) => format!("File `{name}`:\n\n{text}"),
                None => format!("[file `{name}` left out: this model cannot read {mime_type}]"),
            }))
        }
    }
}

/// PDFs and the four kinds of picture most APIs take.
pub(super) fn pdf_or_picture(mime_type: &str) -> bool {
    matches!(mime_type, "application/pdf" | "image/png" | "image/jpeg" | "image/gif" | "image/webp")
}

/// The kind by the name APIs know it by.
fn picture_kind(mime_type: &str) -> &str {
    let is = |name: &str| mime_type.trim().eq_ignore_ascii_case(name);
    match mime_type {
        _ if is("image/jpg") => "image/jpeg",
        _ => ["image/png", "image/jpeg", "image/gif", "image/webp"]
            .into_iter()
            .find(|name| is(name))
            .unwrap_or(mime_type),
    }
}

/// The text of a document that is text.
fn words(mime_type: &str, data: &str) -> Option<String> {
    let essence = mime_type.split(';').next().unwrap_or(mime_type).trim();
    let is_text = essence.starts_with("text/")
        || ["json", "xml", "yaml", "javascript", "toml", "csv"].iter().any(|kind| essence.ends_with(kind));
    is_text
        .then(|| STANDARD.decode(data).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        .flatten()
}

#[cfg(test)]
mod tests;
