//! Shape of the `models` section.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::config::models::{MergeMode, WireApi};
use crate::raw::value::SecretText;

/// Prices per million tokens.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cost {
    /// Tokens sent.
    ///
    /// Default: `0`.
    pub input: Option<f64>,
    /// Tokens received.
    ///
    /// Default: `0`.
    pub output: Option<f64>,
    /// Tokens read from the cache.
    ///
    /// Default: `0`.
    pub cache_read: Option<f64>,
    /// Tokens written to the cache.
    ///
    /// Default: `0`.
    pub cache_write: Option<f64>,
}

/// Where a server differs from the API it imitates.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Compat {
    /// Knows the `store` field.
    pub supports_store: Option<bool>,
    /// Knows the developer role.
    pub supports_developer_role: Option<bool>,
    /// Knows the reasoning effort field.
    pub supports_reasoning_effort: Option<bool>,
    /// Reports usage while streaming.
    pub supports_usage_in_streaming: Option<bool>,
    /// Knows strict tool schemas.
    pub supports_strict_mode: Option<bool>,
    /// Name of the field that limits the answer.
    pub max_tokens_field: Option<String>,
    /// How thinking is asked for.
    pub thinking_format: Option<String>,
    /// Wants the tool's name with its result.
    pub requires_tool_result_name: Option<bool>,
    /// Wants an answer after each tool result.
    pub requires_assistant_after_tool_result: Option<bool>,
    /// Wants thinking as plain text.
    pub requires_thinking_as_text: Option<bool>,
    /// Wants nine-character tool call ids.
    pub requires_mistral_tool_ids: Option<bool>,
}

/// One model of a provider.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelEntry {
    /// The provider's name for it.
    pub id: String,
    /// Name shown to people.
    pub name: Option<String>,
    /// API it speaks, when different from its provider's.
    pub api: Option<WireApi>,
    /// Whether it thinks before answering.
    ///
    /// Default: `false`.
    pub reasoning: Option<bool>,
    /// What it takes: `text`, `image`, …
    ///
    /// Default: `["text"]`.
    pub input: Option<Vec<String>>,
    /// Prices.
    pub cost: Option<Cost>,
    /// Context, in tokens.
    ///
    /// Default: `200000`.
    #[schemars(range(min = 1))]
    pub context_window: Option<u64>,
    /// Newer bound for the context, in tokens.
    #[schemars(range(min = 1))]
    pub context_tokens: Option<u64>,
    /// Longest answer, in tokens; the smaller of 8192 and the context when unset.
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// Headers sent with every request.
    pub headers: Option<BTreeMap<String, SecretText>>,
    /// Extra request parameters.
    pub params: Option<Value>,
    /// Where the server differs.
    pub compat: Option<Compat>,
}

/// A place that serves models.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provider {
    /// Its address.
    pub base_url: Option<String>,
    /// Key: the key itself, the NAME of an environment variable, or a `${VAR}` reference.
    pub api_key: Option<SecretText>,
    /// Kind of credential.
    #[schemars(extend("enum" = ["api-key","aws-sdk","oauth","token"]))]
    pub auth: Option<String>,
    /// API it speaks.
    pub api: Option<WireApi>,
    /// Headers sent with every request.
    pub headers: Option<BTreeMap<String, SecretText>>,
    /// Send the key as an Authorization header.
    pub auth_header: Option<bool>,
    /// Its models.
    pub models: Option<Vec<ModelEntry>>,
}

/// Asking a cloud region which models it serves.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BedrockDiscovery {
    /// Turn it on.
    pub enabled: Option<bool>,
    /// Region to ask.
    pub region: Option<String>,
    /// Makers to list.
    pub provider_filter: Option<Vec<String>>,
    /// Seconds between two questions.
    ///
    /// Default: `3600`.
    pub refresh_interval: Option<u64>,
    /// Context assumed, in tokens.
    ///
    /// Default: `32000`.
    pub default_context_window: Option<u64>,
    /// Longest answer assumed, in tokens.
    ///
    /// Default: `4096`.
    pub default_max_tokens: Option<u64>,
}

/// Where models are served.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Models {
    /// Whether these providers are added to the known ones or replace them.
    ///
    /// Default: `merge`.
    pub mode: Option<MergeMode>,
    /// Providers by id.
    pub providers: Option<BTreeMap<String, Provider>>,
    /// Model discovery.
    pub bedrock_discovery: Option<BedrockDiscovery>,
    /// Price list settings.
    pub pricing: Option<Value>,
}
