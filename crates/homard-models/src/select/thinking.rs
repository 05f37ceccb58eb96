//! How hard a model can think and does think when nobody says.
//!
//! What to do when a provider rejects a level is [`failover`](crate::failover)'s.

use homard_llm::{ModelSpec, ThinkingFormat, ThinkingLevel};

use crate::catalogue;

/// Of models that do not think.
const NONE: &[ThinkingLevel] = &[ThinkingLevel::Off];
/// Of models that think or do not.
const BINARY: &[ThinkingLevel] = &[ThinkingLevel::Off, ThinkingLevel::Low];
/// Of models that think.
const USUAL: &[ThinkingLevel] = &[
    ThinkingLevel::Off,
    ThinkingLevel::Minimal,
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
];
/// Of the few that think harder.
const ALL: &[ThinkingLevel] = &[
    ThinkingLevel::Off,
    ThinkingLevel::Minimal,
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
    ThinkingLevel::XHigh,
];

/// The levels a model can be asked for, from none up.
#[must_use]
pub fn supported_levels(model: &ModelSpec) -> &'static [ThinkingLevel] {
    if !model.reasoning {
        return NONE;
    }
    let row = catalogue::find(model.provider.as_str());
    let format = model.compat.thinking_format.or_else(|| row.and_then(|row| row.compat.thinking_format));
    if format == Some(ThinkingFormat::Zai) {
        return BINARY;
    }
    let is_listed = row.and_then(|row| row.model(model.id.as_str())).is_some_and(|model| model.xhigh);
    if is_listed { ALL } else { USUAL }
}

/// How hard a model thinks when nobody says: a little, if it can.
#[must_use]
pub fn default_level(model: &ModelSpec) -> ThinkingLevel {
    if model.reasoning { ThinkingLevel::Low } else { ThinkingLevel::Off }
}

/// The level nearest to the one asked for that the model has: the highest not above it, else the lowest above.
#[must_use]
pub fn level_for(model: &ModelSpec, asked: ThinkingLevel) -> ThinkingLevel {
    let levels = supported_levels(model);
    let below = levels.iter().filter(|level| **level <= asked).max().copied();
    match below {
        // A model that only knows whether it thinks is not asked for the little of a little.
        Some(ThinkingLevel::Off) if asked > ThinkingLevel::Off => {
            levels.iter().find(|level| **level > ThinkingLevel::Off).copied().unwrap_or(ThinkingLevel::Off)
        }
        Some(level) => level,
        None => ThinkingLevel::Off,
    }
}
