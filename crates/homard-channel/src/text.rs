//! From Markdown to messages: one tree, written in a platform's dialect and cut to its size.

use serde::{Deserialize, Serialize};

use crate::abilities::{Dialect, TableMode, TextUnit};
use crate::outbound::Words;

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
    /// Longest message, in `unit`, measured as written.
    pub limit: usize,
    /// How it is measured.
    pub unit: TextUnit,
    /// Where it is cut.
    pub mode: ChunkMode,
}

/// Writes Markdown in a dialect and cuts it into messages, in order. An empty text makes no message.
#[must_use]
pub fn shape_text(markdown: &str, shape: Shape) -> Vec<Words> {
    let limit = shape.limit.max(1);
    let chars: Vec<char> = markdown.trim().chars().collect();
    chars.chunks(limit).map(|chunk| Words::plain(chunk.iter().collect::<String>())).collect()
}
