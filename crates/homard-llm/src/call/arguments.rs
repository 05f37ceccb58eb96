//! From the text a model sent as a call's arguments to a JSON object.
//!
//! What cannot be read, or is far too long, becomes a small object that says so: every API takes it back in the
//! history, it never weighs more than a few hundred bytes, and whoever runs tools answers the call with
//! [`arguments_fault`] instead of running anything.

use homard_runtime::Clip;
use serde_json::{Map, Value, json};

/// Most bytes of one call's arguments; what is longer is not kept.
pub const MAX_ARGUMENT_BYTES: usize = 1024 * 1024;

/// The only key of an object that stands for arguments that could not be taken.
const FAULT_KEY: &str = "__arguments_not_taken";
/// How much of unreadable arguments is shown back, in characters.
const SHOWN_CHARS: usize = 120;

/// Reads a call's arguments. No text at all means none were needed.
pub(crate) fn read(json: &str) -> Value {
    if json.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(json) {
        Ok(value @ Value::Object(_)) => value,
        Ok(Value::Null) => Value::Object(Map::new()),
        // Some servers encode twice.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(value @ Value::Object(_)) => value,
            Ok(_) | Err(_) => unreadable(json, "they are a text, not a JSON object"),
        },
        Ok(_) => unreadable(json, "they are not a JSON object"),
        Err(error) => unreadable(json, &format!("they are not valid JSON ({error})")),
    }
}

/// Stands for arguments of `bytes` bytes that were not kept.
pub(crate) fn too_long(bytes: usize) -> Value {
    fault(&format!(
        "the arguments are too long ({bytes} bytes, and {MAX_ARGUMENT_BYTES} are the most), so nothing was done: \
         send less at once, for example write a file in several calls"
    ))
}

fn unreadable(json: &str, why: &str) -> Value {
    tracing::warn!(bytes = json.len(), why, "a tool call's arguments could not be read");
    let shown = json.clip_chars(SHOWN_CHARS).to_owned();
    fault(&format!(
        "the arguments could not be read, so nothing was done: {why}. They begin with: {shown} — send one JSON object"
    ))
}

fn fault(words: &str) -> Value {
    json!({ FAULT_KEY: words })
}

/// What to answer a call whose arguments could not be taken; `None` when they could. The call must not be run.
#[must_use]
pub fn arguments_fault(arguments: &Value) -> Option<&str> {
    let object = arguments.as_object().filter(|object| object.len() == 1)?;
    object.get(FAULT_KEY)?.as_str()
}

#[cfg(test)]
mod tests;
