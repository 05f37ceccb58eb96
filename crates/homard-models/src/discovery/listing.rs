//! Reading model lists of the OpenAI kind.
//!
//! They agree on a list of objects with an `id` and on nothing else, so each fact is looked for where anybody
//! is known to put it. What is missing or of the wrong type is not known; what is no model is passed over.

use std::collections::BTreeSet;

use homard_llm::{FailReason, LlmError};
use homard_protocol::ModelId;
use serde_json::Value;

use super::FoundModel;

/// Most models taken from one server.
const MAX_MODELS: usize = 2_000;
/// Longest name for people, in characters.
const MAX_NAME: usize = 120;
/// Largest number of tokens that is no mistake.
const MAX_TOKENS: u64 = 100_000_000;
/// Dearest price that is no mistake, in dollars per million tokens.
const MAX_PRICE: f64 = 10_000.0;
const MILLION: f64 = 1_000_000.0;

/// What prices are per.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Million,
    Token,
}

/// Where the size of the context is found.
const WINDOW: &[&[&str]] = &[
    &["model_spec", "availableContextTokens"],
    &["max_model_len"],
    &["context_length"],
    &["context_window"],
    &["max_context_length"],
    &["max_input_tokens"],
    &["meta", "n_ctx"],
    &["top_provider", "context_length"],
];
/// Where the longest answer is found.
const ANSWER: &[&[&str]] = &[
    &["model_spec", "maxCompletionTokens"],
    &["top_provider", "max_completion_tokens"],
    &["max_completion_tokens"],
    &["max_output_tokens"],
    &["max_tokens"],
];
/// Where a name for people is found.
const NAME: &[&[&str]] = &[&["model_spec", "name"], &["name"], &["display_name"]];
/// Where prices are found: prompt, answer, cache read, cache write.
const PRICES: [&[&[&str]]; 4] = [
    &[&["model_spec", "pricing", "input", "usd"], &["pricing", "prompt"], &["pricing", "input"]],
    &[&["model_spec", "pricing", "output", "usd"], &["pricing", "completion"], &["pricing", "output"]],
    &[
        &["model_spec", "pricing", "cache_input", "usd"],
        &["pricing", "input_cache_read"],
        &["pricing", "cached_input"],
    ],
    &[&["model_spec", "pricing", "cache_write", "usd"], &["pricing", "input_cache_write"]],
];
/// Kinds of models that do not converse.
const OTHER_KINDS: [&str; 12] = [
    "asr",
    "audio",
    "embedding",
    "embeddings",
    "image",
    "moderation",
    "rerank",
    "transcription",
    "tts",
    "upscale",
    "video",
    "music",
];

/// The models of a list.
pub(super) fn read(list: &Value, unit: Unit) -> Result<Vec<FoundModel>, LlmError> {
    let items =
        list.as_array().or_else(|| list.get("data")?.as_array()).or_else(|| list.get("models")?.as_array());
    let Some(items) = items else {
        return Err(LlmError::new(FailReason::Format, "the server's answer is not a list of models"));
    };
    Ok(distinct(items.iter().filter_map(|item| model(item, unit))))
}

/// The first of each name, and not too many.
pub(super) fn distinct(models: impl Iterator<Item = FoundModel>) -> Vec<FoundModel> {
    let mut seen = BTreeSet::new();
    models.filter(|model| seen.insert(model.id.clone())).take(MAX_MODELS).collect()
}

fn model(item: &Value, unit: Unit) -> Option<FoundModel> {
    let id = ModelId::parse(item.get("id")?.as_str()?.trim()).ok()?;
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
    if OTHER_KINDS.contains(&kind) || is_deaf(item) {
        return None;
    }
    let mut found = FoundModel::named(id);
    found.name = text(item, NAME);
    found.context_window = tokens(item, WINDOW).or_else(|| best_host(item, "context_length").and_then(count));
    found.max_tokens = tokens(item, ANSWER);
    found.sees = sees(item);
    found.reasoning = thinks(item);
    found.price = price(item, unit);
    Some(found)
}

/// Whether a list says that a model cannot take part in a conversation.
fn is_deaf(item: &Value) -> bool {
    let says_no = |path: &[&str]| at(item, path).and_then(Value::as_bool) == Some(false);
    let outputs = at(item, &["architecture", "output_modalities"]).and_then(Value::as_array);
    let writes = outputs.is_none_or(|kinds| kinds.iter().any(|kind| kind.as_str() == Some("text")));
    says_no(&["capabilities", "completion_chat"]) || says_no(&["active"]) || !writes
}

fn sees(item: &Value) -> bool {
    let flags: [&[&str]; 3] = [
        &["model_spec", "capabilities", "supportsVision"],
        &["capabilities", "vision"],
        &["supports_vision"],
    ];
    let inputs: [&[&str]; 2] = [&["architecture", "input_modalities"], &["input_modalities"]];
    any_flag(item, &flags) || any_word(item, &inputs, &["image"]) || any_word(item, &[&["tags"]], &["vision"])
}

fn thinks(item: &Value) -> bool {
    let flags: [&[&str]; 3] = [
        &["model_spec", "capabilities", "supportsReasoning"],
        &["capabilities", "reasoning"],
        &["supports_reasoning"],
    ];
    let words: [&[&str]; 2] = [&["supported_parameters"], &["tags"]];
    any_flag(item, &flags) || any_word(item, &words, &["reasoning", "include_reasoning"])
}

fn any_flag(item: &Value, paths: &[&[&str]]) -> bool {
    paths.iter().any(|path| at(item, path).and_then(Value::as_bool) == Some(true))
}

fn any_word(item: &Value, paths: &[&[&str]], words: &[&str]) -> bool {
    let lists = paths.iter().filter_map(|path| at(item, path)?.as_array());
    lists.flatten().filter_map(Value::as_str).any(|word| words.contains(&word))
}

/// Routers list one price per host; the dearest is what a call may cost.
fn price(item: &Value, unit: Unit) -> Option<[f64; 4]> {
    let factor = if unit == Unit::Token { MILLION } else { 1.0 };
    let read = |paths: &[&[&str]]| {
        let found = paths.iter().find_map(|path| number(at(item, path)?))?;
        let dollars = found * factor;
        // Rounded, because a price per token has lost digits when it is multiplied.
        (0.0..=MAX_PRICE).contains(&dollars).then(|| (dollars * MILLION).round() / MILLION)
    };
    let [input, output, cache_read, cache_write] = PRICES.map(read);
    let host = |key: &str| dearest(item, key);
    let input = input.or_else(|| host("input"));
    let output = output.or_else(|| host("output"));
    let known = input.is_some() || output.is_some();
    let or_zero = |part: Option<f64>| part.unwrap_or(0.0);
    known.then(|| [or_zero(input), or_zero(output), or_zero(cache_read), or_zero(cache_write)])
}

fn hosts(item: &Value) -> impl Iterator<Item = &Value> {
    let listed = item.get("providers").and_then(Value::as_array);
    listed
        .into_iter()
        .flatten()
        .filter(|host| host.get("status").and_then(Value::as_str).is_none_or(|status| status == "live"))
}

fn dearest(item: &Value, key: &str) -> Option<f64> {
    let prices = hosts(item).filter_map(|host| number(host.get("pricing")?.get(key)?));
    prices.filter(|price| (0.0..=MAX_PRICE).contains(price)).max_by(f64::total_cmp)
}

/// The smallest window of those who may answer: whichever does, the prompt fits.
fn best_host(item: &Value, key: &str) -> Option<u64> {
    hosts(item).filter_map(|host| host.get(key)?.as_u64()).min()
}

fn at<'a>(item: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(item, |value, key| value.get(key))
}

fn text(item: &Value, paths: &[&[&str]]) -> Option<String> {
    let found = paths.iter().find_map(|path| at(item, path)?.as_str());
    let clean = found?.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect::<String>();
    let clean = clean.trim();
    (!clean.is_empty()).then(|| clean.to_owned())
}

fn tokens(item: &Value, paths: &[&[&str]]) -> Option<u32> {
    paths.iter().find_map(|path| count(at(item, path)?.as_u64()?))
}

pub(super) fn count(tokens: u64) -> Option<u32> {
    (1..=MAX_TOKENS).contains(&tokens).then(|| u32::try_from(tokens).ok()).flatten()
}

/// A number, also one written as text.
fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests;
