//! What a tool answered, as programs read it.

use homard_protocol::UserBlock;
use homard_tools::ToolOutcome;
use serde_json::{Value, json};

/// The answer whole: what a model would read, and the details.
pub(crate) fn tool_output(outcome: &ToolOutcome) -> Value {
    let mut output = json!({"content": outcome.content});
    if let (Some(details), Some(fields)) = (&outcome.details, output.as_object_mut()) {
        fields.insert("details".to_owned(), details.clone());
    }
    output
}

/// Its words alone, for errors.
pub(crate) fn tool_words(outcome: &ToolOutcome) -> String {
    let words = outcome.content.iter().filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        _other => None,
    });
    words.collect::<Vec<_>>().join("\n")
}
