//! How one family of models wants to be told to think, read from their names: nothing else tells, and the
//! same models are offered over several APIs.

use serde::Serialize;

use crate::call::request::ThinkingLevel;
use crate::spec::ModelSpec;

/// What is part of the name of every member.
const FAMILY: &str = "claude";
/// The first version that decides by itself how long to think, and of which later ones refuse to be told.
const ADAPTIVE: (u32, u32) = (4, 6);
/// The first version that knows a word beyond the hardest.
const HARDER: (u32, u32) = (4, 7);
/// Longer numbers in a name are dates.
const MAX_DIGITS: usize = 2;

/// `thinking`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Thinking {
    Enabled {
        /// Less than the longest answer.
        budget_tokens: u32,
    },
    /// As long as it needs; how hard is said by [`Effort`].
    Adaptive,
}

/// `output_config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Effort {
    effort: &'static str,
}

/// Whether a model is one of the family.
pub(super) fn is_member(model: &ModelSpec) -> bool {
    model.id.as_str().contains(FAMILY)
}

/// Whether a model decides by itself how long to think.
pub(super) fn is_adaptive(model: &ModelSpec) -> bool {
    version(model.id.as_str()).is_some_and(|version| version >= ADAPTIVE)
}

/// How hard to think, for models that decide how long.
pub(super) fn effort(model: &ModelSpec, level: ThinkingLevel) -> Effort {
    let harder = version(model.id.as_str()).is_some_and(|version| version >= HARDER);
    let effort = match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal | ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        ThinkingLevel::XHigh if harder => "xhigh",
        ThinkingLevel::High | ThinkingLevel::XHigh => "high",
    };
    Effort { effort }
}

/// The version in a name: `claude-opus-4-6`, `claude-3-7-sonnet-20250219`, `claude-sonnet-4.5`.
fn version(id: &str) -> Option<(u32, u32)> {
    let (_, name) = id.split_once(FAMILY)?;
    let number = |word: &str| word.parse::<u32>().ok().filter(|_| word.len() <= MAX_DIGITS);
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric()).map(number);
    let major = words.by_ref().flatten().next()?;
    Some((major, words.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests;
