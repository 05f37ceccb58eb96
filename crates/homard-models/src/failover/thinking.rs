//! When a provider rejects how hard a model shall think: which level to try instead.

use homard_llm::{FailReason, LlmError, ThinkingLevel};
use homard_runtime::Arrange as _;

/// Every level, from none up.
const LEVELS: [ThinkingLevel; 6] = [
    ThinkingLevel::Off,
    ThinkingLevel::Minimal,
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
    ThinkingLevel::XHigh,
];
/// Words by which a sentence is about thinking.
const ABOUT: &[&str] = &["thinking", "reasoning", "think level", "`think`", "\"think\""];
/// Words by which it is a rejection.
const REJECTS: &[&str] = &[
    "not support",
    "unsupported",
    "not allowed",
    "invalid",
    "must be",
    "must start",
    "supported values",
    "expected",
    "unknown",
    "unrecognized",
    "unexpected",
    "not permitted",
    "cannot be",
    "extra inputs",
];
/// Words after which the accepted levels are listed.
const LISTS: &[&str] = &[
    "supported values are",
    "supported values",
    "supported levels",
    "must be one of",
    "one of",
    "expected",
    "use ",
];
/// Words by which thinking itself is the trouble, not how much of it.
const NONE_AT_ALL: &[&str] = &[
    "does not support thinking",
    "does not support reasoning",
    "thinking is not supported",
    "reasoning is not supported",
    "not supported with this model",
    "not support parameter",
    "unsupported parameter",
    "unknown parameter",
    "unrecognized",
    "extra inputs",
    "thinking block",
    "redacted_thinking",
    "signature",
];

/// The level to try after `error`, where it rejects `asked`; `None` where it is about something else or every
/// sensible level was tried.
pub(super) fn instead(
    error: &LlmError,
    asked: ThinkingLevel,
    tried: &[ThinkingLevel],
) -> Option<ThinkingLevel> {
    if !is_about_thinking(error) {
        return None;
    }
    let text = error.message.to_lowercase();
    let open = |level: &ThinkingLevel| *level != asked && !tried.contains(level);
    let listed: Vec<ThinkingLevel> = listed(&text).into_iter().filter(open).collect();
    if !listed.is_empty() {
        let lower = listed.iter().filter(|level| **level < asked).max();
        return lower.or_else(|| listed.iter().min()).copied();
    }
    if NONE_AT_ALL.iter().any(|words| text.contains(words)) {
        return Some(ThinkingLevel::Off).filter(open);
    }
    LEVELS.into_iter().rev().filter(|level| *level < asked).find(open)
}

fn is_about_thinking(error: &LlmError) -> bool {
    // "`x` is not supported by model y" reads like a missing model.
    let rejected =
        matches!(error.reason, FailReason::Format | FailReason::ModelNotFound | FailReason::Unknown)
            && error.status.is_none_or(|status| (400..500).contains(&status));
    let text = error.message.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    rejected && has(ABOUT) && has(REJECTS)
}

/// The levels a sentence lists as accepted.
fn listed(text: &str) -> Vec<ThinkingLevel> {
    let Some(start) = LISTS.iter().find_map(|words| text.find(words).map(|at| at + words.len())) else {
        return Vec::new();
    };
    let rest = text.get(start..).unwrap_or_default();
    let words = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let mut levels: Vec<ThinkingLevel> = words.filter_map(level).collect();
    levels.arrange();
    levels.dedup();
    levels
}

/// Only the words APIs use: in a sentence, `on` and `think` are just words.
fn level(word: &str) -> Option<ThinkingLevel> {
    match word {
        "none" | "off" | "disabled" => Some(ThinkingLevel::Off),
        "minimal" | "low" | "medium" | "high" | "xhigh" | "x-high" => ThinkingLevel::parse(word),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
