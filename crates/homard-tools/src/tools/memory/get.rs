//! `memory_get`: some lines of a note, as a search cited them.

use std::sync::Arc;

use homard_runtime::OrCancel;
use schemars::JsonSchema;
use serde::Deserialize;

use super::search::for_owner;
use crate::cx::ToolCx;
use crate::gate::{Effect, Subject};
use crate::outcome::ToolOutcome;
use crate::ports::{MemoryPort, NoteLines, PortError, Ports, told};
use crate::registry::ToolEntry;
use crate::tool::Tool;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(MemoryGet)) };
/// Lines that are told unless the model asks for others.
const DEFAULT_LINES: usize = 120;
const MAX_LINES: usize = 1_000;

pub(crate) struct MemoryGet;

/// Read lines of a note that memory_search cited.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct MemoryGetInput {
    /// As cited, without the lines.
    path: String,
    /// First line, from 1.
    #[serde(default)]
    from: Option<usize>,
    #[serde(default)]
    lines: Option<usize>,
}

impl Tool for MemoryGet {
    type Input = MemoryGetInput;
    const NAME: &'static str = "memory_get";
    const PARALLEL: bool = true;
    const EFFECT: Effect = Effect::Looks;

    /// The gate labels what it reads, as for any file.
    fn subject(input: &MemoryGetInput) -> Subject {
        Subject::reading(without_lines(&input.path))
    }

    fn is_open(&self, ports: &Ports) -> bool {
        ports.memory().is_ok_and(MemoryPort::is_on)
    }

    async fn run(&self, input: MemoryGetInput, cx: &ToolCx) -> ToolOutcome {
        match lines(input, cx).or_cancel(&cx.cancel).await {
            Ok(found) => told(found),
            Err(_cancelled) => ToolOutcome::from_error(&PortError::Stopped),
        }
    }
}

async fn lines(input: MemoryGetInput, cx: &ToolCx) -> Result<NoteLines, PortError> {
    for_owner(cx)?;
    let from = input.from.unwrap_or(1).max(1);
    let lines = input.lines.unwrap_or(DEFAULT_LINES).clamp(1, MAX_LINES);
    cx.scope.ports.memory()?.lines(cx, without_lines(&input.path).to_owned(), from, lines).await
}

/// A citation without the lines it ends with.
fn without_lines(path: &str) -> &str {
    path.split_once("#L").map_or(path, |(path, _)| path).trim()
}
