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
pub(crate) struct Cost {
    /// Tokens sent.
    ///
    /// Default: `0`.
    pub(crate) input: Option<f64>,
    /// Tokens received.
    ///
    /// Default: `0`.
    pub(crate) output: Option<f64>,
    /// Tokens read from the cache.
    ///
    /// Default: `0`.
    pub(crate) cache_read: Option<f64>,
    /// Tokens written to the cache.
    ///
    /// Default: `0`.
    pub(crate) cache_write: Option<f64>,
}

/// Where a server differs from the API it imitates.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Compat {
    /// Knows the `store` field.
    pub(crate) supports_store: Option<bool>,
    /// Knows the developer role.
    pub(crate) supports_developer_role: Option<bool>,
    /// Knows the reasoning effort field.
    pub(crate) supports_reasoning_effort: Option<bool>,
    /// Reports usage while streaming.
    pub(crate) supports_usage_in_streaming: Option<bool>,
    /// Name of the field that limits the answer.
    pub(crate) max_tokens_field: Option<String>,
    /// How thinking is asked for.
    pub(crate) thinking_format: Option<String>,
    /// Wants the tool's name with its result.
    pub(crate) requires_tool_result_name: Option<bool>,
    /// Wants thinking as plain text.
    pub(crate) requires_thinking_as_text: Option<bool>,
    /// Wants nine-character tool call ids.
    pub(crate) requires_mistral_tool_ids: Option<bool>,
}

/// One model of a provider.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ModelEntry {
    /// The provider's name for it.
    pub(crate) id: String,
    /// Name shown to people.
    pub(crate) name: Option<String>,
    /// API it speaks, when different from its provider's.
    pub(crate) api: Option<WireApi>,
    /// Whether it thinks before answering.
    ///
    /// Default: `false`.
    pub(crate) reasoning: Option<bool>,
    /// What it takes: `text`, `image`, …
    ///
    /// Default: `["text"]`.
    pub(crate) input: Option<Vec<String>>,
    /// Prices.
    pub(crate) cost: Option<Cost>,
    /// Context, in tokens; unset, the server is asked where it is one's own.
    #[schemars(range(min = 1))]
    pub(crate) context_window: Option<u64>,
    /// Longest answer, in tokens; the smaller of 8192 and the context when unset.
    #[schemars(range(min = 1))]
    pub(crate) max_tokens: Option<u64>,
    /// Headers sent with every request.
    pub(crate) headers: Option<BTreeMap<String, SecretText>>,
    /// Where the server differs.
    pub(crate) compat: Option<Compat>,
    /// What every call to it asks for: `temperature`, `topP`, `topK`, `maxTokens`, `seed`, `stop`, penalties, and
    /// whatever else its server understands.
    pub(crate) params: Option<BTreeMap<String, Value>>,
}

/// A place that serves models.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Provider {
    /// Its address.
    pub(crate) base_url: Option<String>,
    /// Key: the key itself, the NAME of an environment variable, or a `${VAR}` reference.
    pub(crate) api_key: Option<SecretText>,
    /// Kind of credential.
    #[schemars(extend("enum" = ["api-key","aws-sdk","oauth","token"]))]
    pub(crate) auth: Option<String>,
    /// API it speaks.
    pub(crate) api: Option<WireApi>,
    /// Headers sent with every request.
    pub(crate) headers: Option<BTreeMap<String, SecretText>>,
    /// Send the key as an Authorization header.
    pub(crate) auth_header: Option<bool>,
    /// Its models.
    pub(crate) models: Option<Vec<ModelEntry>>,
}

/// Asking a cloud region which models it serves.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BedrockDiscovery {
    /// Turn it on.
    pub(crate) enabled: Option<bool>,
    /// Region to ask.
    pub(crate) region: Option<String>,
    /// Makers to list.
    pub(crate) provider_filter: Option<Vec<String>>,
    /// Seconds between two questions.
    ///
    /// Default: `3600`.
    pub(crate) refresh_interval: Option<u64>,
    /// Context assumed, in tokens.
    ///
    /// Default: `32000`.
    pub(crate) default_context_window: Option<u64>,
    /// Longest answer assumed, in tokens.
    ///
    /// Default: `4096`.
    pub(crate) default_max_tokens: Option<u64>,
}

/// Where models are served.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Models {
    /// Whether these providers are added to the known ones or replace them.
    ///
    /// Default: `merge`.
    pub(crate) mode: Option<MergeMode>,
    /// Providers by id.
    pub(crate) providers: Option<BTreeMap<String, Provider>>,
    /// Model discovery.
    pub(crate) bedrock_discovery: Option<BedrockDiscovery>,
}
