//! From the JSON a model sent to a tool's input type, or to words the model can act on.

use homard_runtime::{Clip, json};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The most of a parser's complaint that goes back: it may quote what was sent.
const MAX_COMPLAINT_CHARS: usize = 300;

/// Arguments that do not fit a tool's input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the arguments do not fit: {complaint}. Allowed: {allowed}")]
pub(crate) struct ArgumentError {
    complaint: String,
    allowed: String,
}

impl ArgumentError {
    /// What is wrong, without what would be right.
    pub(crate) fn complaint(&self) -> &str {
        &self.complaint
    }
}

/// Reads arguments; `parameters` is asked for only when they do not fit.
pub(crate) fn parse<T: DeserializeOwned>(
    arguments: Value,
    parameters: impl FnOnce() -> Value,
) -> Result<T, ArgumentError> {
    let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
    if !arguments.is_object() {
        let complaint = "they must be one JSON object".to_owned();
        return Err(ArgumentError { complaint, allowed: allowed(&parameters()) });
    }
    json::from_value(arguments).map_err(|error| {
        let path = error.path();
        let reason = error.reason().clip_chars(MAX_COMPLAINT_CHARS);
        let complaint = if path == "." { reason.to_owned() } else { format!("`{path}`: {reason}") };
        ArgumentError { complaint, allowed: allowed(&parameters()) }
    })
}

/// `path (string, required), offset (integer)`.
fn allowed(parameters: &Value) -> String {
    let required: Vec<&str> = parameters
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let fields = parameters.get("properties").and_then(Value::as_object).into_iter().flatten();
    let fields: Vec<String> = fields
        .map(|(name, schema)| {
            let kind = schema.get("type").and_then(Value::as_str).unwrap_or("any");
            let need = if required.contains(&name.as_str()) { ", required" } else { "" };
            format!("{name} ({kind}{need})")
        })
        .collect();
    if fields.is_empty() { "no arguments".to_owned() } else { fields.join(", ") }
}
