//! Values that may be written in more than one way.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// A model, alone or with others to fall back on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ModelChoice {
    /// `provider/model`.
    One(String),
    /// With fallbacks.
    Many(ModelChain),
}

/// A model and what to try when it fails.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ModelChain {
    /// First choice, as provider/model.
    pub(crate) primary: Option<String>,
    /// Tried in order when the first choice fails.
    pub(crate) fallbacks: Option<Vec<String>>,
}

/// A text that must not be shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct MaskedText(pub String);

impl std::fmt::Debug for MaskedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(crate::secret::MASK)
    }
}

impl JsonSchema for MaskedText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "MaskedText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "x-secret": true })
    }
}

/// A secret: the text itself, or a reference to where it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum SecretText {
    /// The text itself, after `${VAR}` substitution.
    Text(MaskedText),
    /// Where it is kept.
    Reference(SecretReference),
}

/// Where a secret is kept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretReference {
    /// Kind of place: `env`, `file`, `exec` or `store`.
    pub source: String,
    /// Which configured place of that kind.
    pub provider: Option<String>,
    /// Name of the secret there.
    pub id: String,
}

impl JsonSchema for SecretText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SecretText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "x-secret": true,
            "anyOf": [
                { "type": "string", "x-secret": true },
                {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["source", "id"],
                    "properties": {
                        "source": { "type": "string", "enum": ["env", "file", "exec", "store"] },
                        "provider": { "type": "string" },
                        "id": { "type": "string" }
                    }
                }
            ]
        })
    }
}
