//! From Markdown to messages: one tree, written in a platform's dialect and cut to its size.
//!
//! `tree` reads Markdown, `layout` turns the tree into a flow of words and marks (`tables` and `names` help it), `cut`
//! finds where messages end, and `writer` writes a stretch of the flow in a `dialect`. What a message opens it
//! closes, because a mark that runs over a cut is closed before and opened again after it.

mod cut;
mod dialect;
mod layout;
mod names;
mod spoilers;
mod tables;
mod tree;
mod writer;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::abilities::{Dialect, TableMode, TextUnit};
use crate::outbound::RichText;

/// The smallest limit that is kept; a smaller one counts as this, for even a quoted link must fit.
const MIN_LIMIT: usize = 64;

/// Where long texts are cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChunkMode {
    /// Only where they are too long.
    #[default]
    Length,
    /// At every blank line.
    Newline,
}

/// How a text is to be written and cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The platform's way of writing.
    pub dialect: Dialect,
    /// What becomes of tables.
    pub tables: TableMode,
    /// Longest message, in `unit`, measured as written; never less than 64.
    pub limit: usize,
    /// How it is measured.
    pub unit: TextUnit,
    /// Where it is cut.
    pub mode: ChunkMode,
}

/// Writes Markdown in a dialect and cuts it into messages, in order. An empty text makes no message. Both forms of
/// every message keep the limit, and nothing but white space and control characters is lost.
#[must_use]
pub fn shape_text(markdown: &str, shape: Shape) -> Vec<RichText> {
    let shape = Shape { limit: shape.limit.max(MIN_LIMIT), ..shape };
    let source = clean(markdown);
    let flow = layout::lay_out(tree::read(&source), shape);
    cut::cut(&flow, shape)
}

/// Without control characters: no platform shows them, and some act on them.
fn clean(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(harmful) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        Cow::Owned(text.replace(harmful, ""))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests;
