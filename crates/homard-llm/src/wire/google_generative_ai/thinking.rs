//! How hard a model of this API thinks: newer generations know words, older ones a number of tokens.

use serde::Serialize;

use crate::call::request::ThinkingLevel;
use crate::spec::ModelSpec;

/// Tokens left for the answer beside the thinking.
const MIN_ANSWER: u32 = 1_024;

/// `thinkingConfig`.
#[derive(Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThinkingConfig {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    include_thoughts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<&'static str>,
}

/// Whether a model belongs to the generation that thinks by word and insists on its signatures.
pub(super) fn is_third_generation(model: &ModelSpec) -> bool {
    model.id.as_str().contains("gemini-3")
}

/// What to ask for; `None` for models that do not think.
pub(super) fn config(
    model: &ModelSpec,
    level: ThinkingLevel,
    max_tokens: Option<u32>,
) -> Option<ThinkingConfig> {
    if !model.reasoning {
        return None;
    }
    let thinks = level != ThinkingLevel::Off;
    if is_third_generation(model) {
        let level = Some(word(model, level));
        return Some(ThinkingConfig {
            include_thoughts: thinks,
            thinking_budget: None,
            thinking_level: level,
        });
    }
    let (least, most) = range(model);
    let wanted = match level {
        // Some cannot stop thinking altogether.
        ThinkingLevel::Off => 0,
        ThinkingLevel::Minimal => 512,
        ThinkingLevel::Low => 2_048,
        ThinkingLevel::Medium => 8_192,
        ThinkingLevel::High | ThinkingLevel::XHigh => most,
    };
    let room = max_tokens.map_or(u32::MAX, |max| max.saturating_sub(MIN_ANSWER));
    let budget = wanted.min(room).clamp(least, most);
    Some(ThinkingConfig { include_thoughts: thinks, thinking_budget: Some(budget), thinking_level: None })
}

/// The budgets a model accepts, in tokens.
fn range(model: &ModelSpec) -> (u32, u32) {
    let id = model.id.as_str();
    if id.contains("pro") { (128, 32_768) } else { (0, 24_576) }
}

fn word(model: &ModelSpec, level: ThinkingLevel) -> &'static str {
    // The large models know only the two ends.
    let large = model.id.as_str().contains("pro");
    match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal if large => "LOW",
        ThinkingLevel::Off | ThinkingLevel::Minimal => "MINIMAL",
        ThinkingLevel::Low => "LOW",
        ThinkingLevel::Medium if large => "HIGH",
        ThinkingLevel::Medium => "MEDIUM",
        ThinkingLevel::High | ThinkingLevel::XHigh => "HIGH",
    }
}
