//! What the memory tools ask of the room that remembers.

use futures_util::future::BoxFuture;
use homard_protocol::SessionKey;
use homard_protocol::methods::memory::{MemorySource, MemoryWriter};
use serde::Serialize;

use super::PortError;
use crate::cx::ToolCx;
use crate::words_of_others::taint::Label;

/// A passage that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Passage {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    pub score: f64,
    pub snippet: String,
    pub source: MemorySource,
    /// How it is cited: `path#Lx-Ly`; nothing where the owner wants no citations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// The day it was written on, or is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// Who wrote it, as far as is known.
    pub by: MemoryWriter,
    /// The conversation it was said in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_key: Option<SessionKey>,
    /// Whose words it is, where they are not the owner's or the agent's.
    #[serde(skip)]
    pub from_others: Option<Label>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recollection {
    pub results: Vec<Passage>,
    /// Who made the vectors; `none` where the words alone were searched.
    pub provider: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What is not as it should be: a provider that fails, an index that is being made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Some lines of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NoteLines {
    pub path: String,
    pub text: String,
    pub from: usize,
    pub lines: usize,
    pub total_lines: usize,
}

/// What an agent remembers.
pub trait MemoryPort: Send + Sync {
    /// Whether any agent here may search its memory.
    fn is_on(&self) -> bool;

    /// The passages that fit a question best.
    fn search<'a>(
        &'a self,
        cx: &'a ToolCx,
        query: String,
        most: Option<usize>,
        least: Option<f64>,
    ) -> BoxFuture<'a, Result<Recollection, PortError>>;

    /// Some lines of a note, from one counted from 1.
    fn lines<'a>(
        &'a self,
        cx: &'a ToolCx,
        path: String,
        from: usize,
        lines: usize,
    ) -> BoxFuture<'a, Result<NoteLines, PortError>>;
}
