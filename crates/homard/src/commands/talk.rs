//! Commands that talk: to an agent, to people, about conversations.

pub(crate) mod agent;
pub(crate) mod agents;
pub(crate) mod directory;
pub(crate) mod message;
pub(crate) mod route;
pub(crate) mod sessions;
pub(crate) mod tasks;
pub(crate) mod tui;
pub(crate) mod undo;
pub(crate) mod usage;

use homard_protocol::ThinkingLevel;

/// Reads how hard to think; a word nobody knows would be passed over in silence.
fn thinking_level(text: &str) -> Result<String, String> {
    let level = ThinkingLevel::parse(text).map(|level| level.to_string());
    level.ok_or_else(|| format!("it is no thinking level; use {}", ThinkingLevel::WORDS.join(", ")))
}
