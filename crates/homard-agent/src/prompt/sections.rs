//! The parts of a system prompt, one small function each, and the table that orders them.
//!
//! What is the same for everybody stands before what differs, so that the beginning of the prompt can be kept by
//! providers. A part that has nothing to say is left out.

mod conduct;
mod context;
mod place;

use std::sync::Arc;

use homard_protocol::prompt_report::SectionSize;
use homard_tools::ToolSpec;

use super::files::Told;
use super::input::{PromptInput, PromptMode};

/// What the parts are written from.
pub(super) struct Material<'a> {
    pub(super) input: &'a PromptInput,
    pub(super) tools: &'a [Arc<ToolSpec>],
    pub(super) files: &'a [Told],
}

impl Material<'_> {
    /// Whether the model is offered a tool.
    fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }
}

/// One part.
struct Section {
    name: &'static str,
    /// The least mode in which it is told.
    from: PromptMode,
    write: fn(&Material<'_>) -> Option<String>,
}

const fn section(
    name: &'static str,
    from: PromptMode,
    write: fn(&Material<'_>) -> Option<String>,
) -> Section {
    Section { name, from, write }
}

/// Every part, in the order it is told.
const TABLE: [Section; 13] = [
    section("identity", PromptMode::None, conduct::identity),
    section("tools", PromptMode::Minimal, conduct::tools),
    section("safety", PromptMode::Minimal, conduct::safety),
    section("workspace", PromptMode::Minimal, place::workspace),
    section("time", PromptMode::Minimal, place::time),
    section("memory", PromptMode::Full, context::memory),
    section("messaging", PromptMode::Full, conduct::messaging),
    section("silence", PromptMode::Full, conduct::silence),
    section("models", PromptMode::Full, place::models),
    section("skills", PromptMode::Minimal, context::skills),
    section("files", PromptMode::Minimal, context::files),
    section("group", PromptMode::Minimal, place::group),
    section("runtime", PromptMode::Minimal, place::runtime),
];

/// The whole prompt and the sizes of its parts.
pub(super) fn write(material: &Material<'_>) -> (String, Vec<SectionSize>) {
    let mut text = String::new();
    let mut sizes = Vec::new();
    for section in TABLE.iter().filter(|section| material.input.mode >= section.from) {
        let Some(part) = (section.write)(material) else { continue };
        let part = part.trim();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
        text.push('\n');
        sizes.push(SectionSize { name: section.name.to_owned(), chars: part.chars().count() });
    }
    (text, sizes)
}
