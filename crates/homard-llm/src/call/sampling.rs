//! How a caller wants words to be chosen, in no provider's spelling.

use serde::{Deserialize, Serialize};

/// How words are chosen. Everything is the provider's default unless said; what an API has no word for, or
/// refuses for a model that thinks, is left out of its requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Sampling {
    /// How daring, from 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Out of which share of likely words, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Out of how many likely words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u64>,
    /// How much words that were said often are avoided, from -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    /// How much words that were said at all are avoided, from -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// Makes the same request likelier to get the same answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Texts at which the answer ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Whether a tool must be called.
    #[serde(skip_serializing_if = "ToolChoice::is_free")]
    pub tool_choice: ToolChoice,
}

impl Sampling {
    /// These, with what they leave open taken from `others`. Whether a tool must be called is the caller's alone.
    #[must_use]
    pub fn or(self, others: &Self) -> Self {
        Self {
            temperature: self.temperature.or(others.temperature),
            top_p: self.top_p.or(others.top_p),
            top_k: self.top_k.or(others.top_k),
            frequency_penalty: self.frequency_penalty.or(others.frequency_penalty),
            presence_penalty: self.presence_penalty.or(others.presence_penalty),
            seed: self.seed.or(others.seed),
            stop: if self.stop.is_empty() { others.stop.clone() } else { self.stop },
            tool_choice: self.tool_choice,
        }
    }
}

/// Whether a tool must be called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolChoice {
    /// As the model sees fit.
    #[default]
    Auto,
    Required,
    Tool(String),
}

impl ToolChoice {
    /// Whether the model may answer without a call.
    #[must_use]
    pub fn is_free(&self) -> bool {
        *self == Self::Auto
    }
}
