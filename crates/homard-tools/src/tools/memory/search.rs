//! `memory_search`: what was written down about something, with where it stands.

use std::sync::Arc;

use homard_runtime::{Clip as _, OrCancel};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::ToolCx;
use crate::gate::Effect;
use crate::outcome::ToolOutcome;
use crate::ports::{MemoryPort, PortError, Ports, Recollection, told};
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::words_of_others::taint::Label;
use crate::words_of_others::untrusted;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(MemorySearch)) };
/// Longest question, in characters.
const MAX_QUERY_CHARS: usize = 2_000;

pub(crate) struct MemorySearch;

/// Search your notes (MEMORY.md, memory/*.md) for what was said, decided or planned. Ask in plain words; names and
/// dates help. Results carry citations.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemorySearchInput {
    query: String,
    #[serde(default, alias = "max_results")]
    max_results: Option<usize>,
    #[serde(default, alias = "min_score")]
    min_score: Option<f64>,
}

impl Tool for MemorySearch {
    type Input = MemorySearchInput;
    const NAME: &'static str = "memory_search";
    const PARALLEL: bool = true;
    const EFFECT: Effect = Effect::Looks;

    fn is_open(&self, ports: &Ports) -> bool {
        ports.memory().is_ok_and(MemoryPort::is_on)
    }

    async fn run(&self, input: MemorySearchInput, cx: &ToolCx) -> ToolOutcome {
        match search(input, cx).or_cancel(&cx.cancel).await {
            Ok(Ok(found)) => labelled(found),
            Ok(Err(error)) => ToolOutcome::from_error(&error),
            Err(_cancelled) => ToolOutcome::from_error(&PortError::Stopped),
        }
    }
}

async fn search(input: MemorySearchInput, cx: &ToolCx) -> Result<Recollection, PortError> {
    for_owner(cx)?;
    let query = input.query.trim().clip_chars(MAX_QUERY_CHARS).to_owned();
    if query.is_empty() {
        return Err(PortError::Invalid("say what to look for in `query`".to_owned()));
    }
    cx.scope.ports.memory()?.search(cx, query, input.max_results, input.min_score).await
}

/// What is remembered is about the owner: nobody else has it read out, nor everybody in a group.
pub(super) fn for_owner(cx: &ToolCx) -> Result<(), PortError> {
    match cx.is_for_guest() && !cx.scope.access.is_widened {
        true => Err(PortError::NotAllowed(
            "notes are about the owner, and only the owner may have them".to_owned(),
        )),
        false => Ok(()),
    }
}

/// What strangers said stays a stranger's words when it is remembered.
fn labelled(mut found: Recollection) -> ToolOutcome {
    let mut labels: Vec<Label> = Vec::new();
    for passage in &mut found.results {
        if let Some(label) = passage.from_others.clone() {
            // Headings are their words as well.
            let heading = std::mem::take(&mut passage.heading);
            let words = [heading.as_str(), passage.snippet.as_str()].join("\n");
            passage.snippet =
                untrusted::wrap(passage.citation.as_deref().unwrap_or(&passage.path), words.trim_start());
            labels.push(label);
        }
    }
    labels.into_iter().fold(told(Ok(found)), ToolOutcome::from_others)
}

#[cfg(test)]
mod tests;
