//! Tools in brief: a model is told one line about a tool that is large and rarely used, and the rest when it
//! asks. Every request pays for every schema; this one is paid for only by those who need it.

use serde_json::{Value, json};

use crate::arguments::ArgumentError;
use crate::outcome::ToolOutcome;
use crate::tool::ToolSpec;

/// The argument a model asks with.
const HELP: &str = "help";

impl ToolSpec {
    /// The same tool in one line: the first sentence of its description, and arguments left open.
    #[must_use]
    pub(crate) fn in_brief(&self) -> Self {
        let first = self.description.split_inclusive(". ").next().unwrap_or_default().trim_end();
        Self {
            description: first.to_owned(),
            // Spelled so that every API takes it and none concludes that there are no arguments.
            parameters: json!({"type": "object", "properties": {}, "additionalProperties": true}),
            ..self.clone()
        }
    }

    /// Whether the arguments are left open, so that the model has to ask for them.
    #[must_use]
    pub fn is_brief(&self) -> bool {
        let named = self.parameters.get("properties").and_then(Value::as_object);
        named.is_some_and(serde_json::Map::is_empty)
            && self.parameters.get("additionalProperties") == Some(&Value::Bool(true))
    }
}

/// Whether a call is a question about the tool.
pub(crate) fn asks_for_help(arguments: &Value) -> bool {
    arguments.as_object().is_some_and(|fields| fields.len() == 1)
        && arguments.get(HELP) == Some(&Value::Bool(true))
}

/// Whether a call has no arguments at all: where some are needed, that is a question, too.
pub(crate) fn asks_nothing(arguments: &Value) -> bool {
    arguments.is_null() || arguments.as_object().is_some_and(serde_json::Map::is_empty)
}

/// All there is to know about a tool.
pub(crate) fn explained(spec: &ToolSpec) -> ToolOutcome {
    ToolOutcome::text(format!("{}\nArguments (JSON Schema): {}", spec.description, spec.parameters))
}

/// What did not fit, and what would.
pub(crate) fn misfit(error: &ArgumentError, spec: &ToolSpec) -> ToolOutcome {
    let complaint = error.complaint();
    ToolOutcome::error(format!(
        "the arguments do not fit: {complaint}. {}\nArguments (JSON Schema): {}",
        spec.description, spec.parameters
    ))
}

#[cfg(test)]
mod tests;
