//! `models`: where models are served and what they can do.

use std::collections::BTreeMap;
use std::time::Duration;

use homard_protocol::{ModelId, ProviderId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Resolve;
use crate::raw::models as raw;
use crate::raw::value::SecretText;
use crate::secret::Secret;

/// Seconds between two questions which models a region serves.
const DEFAULT_REFRESH_SECONDS: u64 = 3_600;
/// Context assumed of a model a region names without describing it, in tokens.
const DEFAULT_FOUND_CONTEXT_WINDOW: u64 = 32_000;
/// Longest answer assumed of it, in tokens.
const DEFAULT_FOUND_MAX_TOKENS: u64 = 4_096;

/// Whether configured providers are added to the known ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MergeMode {
    /// Added.
    #[default]
    Merge,
    /// In place of them.
    Replace,
}

/// The API a model server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireApi {
    /// Chat completions.
    OpenaiCompletions,
    /// Responses.
    OpenaiResponses,
    /// Responses with a subscription sign-in.
    OpenaiChatgptResponses,
    /// Messages.
    AnthropicMessages,
    /// Generative AI.
    GoogleGenerativeAi,
    /// The same in a cloud project.
    GoogleVertex,
    /// Copilot.
    GithubCopilot,
    /// Converse streams.
    BedrockConverseStream,
    /// A local server's own API.
    Ollama,
}

/// Decided `models`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Models {
    /// Added to or in place of the known providers.
    pub mode: MergeMode,
    pub providers: BTreeMap<ProviderId, Provider>,
    /// Asking a cloud region which models it serves.
    pub bedrock_discovery: BedrockDiscovery,
}

/// Asking a cloud region which models it serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BedrockDiscovery {
    /// Whether to ask; `None` means: when there are credentials.
    pub enabled: Option<bool>,
    /// Region to ask; `None` means the environment's.
    pub region: Option<String>,
    /// Makers to list, in lower case; empty means all.
    pub provider_filter: Vec<String>,
    /// Time between two questions; zero means every time.
    pub refresh_interval: Duration,
    /// Context assumed, in tokens.
    pub default_context_window: u64,
    /// Longest answer assumed, in tokens.
    pub default_max_tokens: u64,
}

impl Default for BedrockDiscovery {
    fn default() -> Self {
        Self::resolve(raw::BedrockDiscovery::default())
    }
}

/// A place that serves models.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Provider {
    /// Its address; `None` means the known one.
    pub base_url: Option<String>,
    /// Its key, looked up already when the file names a variable.
    pub api_key: Option<Secret>,
    /// Kind of credential, as written.
    pub auth: Option<String>,
    /// API it speaks; `None` means the known one.
    pub api: Option<WireApi>,
    /// Headers sent with every request; values may be secrets.
    pub headers: BTreeMap<String, Secret>,
    /// Send the key as an Authorization header; `None` means as the API usually does.
    pub auth_header: Option<bool>,
    pub models: Vec<Model>,
}

/// One model of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The provider's name for it.
    pub id: ModelId,
    /// Name shown to people.
    pub name: String,
    /// API it speaks when different from its provider's.
    pub api: Option<WireApi>,
    /// Whether it thinks before answering.
    pub reasoning: bool,
    /// What it takes: `text`, `image`, …
    pub input: Vec<String>,
    /// Prices per million tokens.
    pub cost: Cost,
    /// Context, in tokens, where the file says.
    pub context_window: Option<u64>,
    /// Longest answer, in tokens, where the file says.
    pub max_tokens: Option<u64>,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, Secret>,
    /// Where the server differs from the API it imitates.
    pub compat: Compat,
    /// What every call to it asks for, as written.
    pub params: Map<String, Value>,
}

/// Prices per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    pub input: f64,
    pub output: f64,
    /// Tokens read from the cache.
    pub cache_read: f64,
    /// Tokens written to the cache.
    pub cache_write: f64,
}

/// Where a server differs; `None` means "as the API says".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compat {
    /// Knows the `store` field.
    pub supports_store: Option<bool>,
    /// Knows the developer role.
    pub supports_developer_role: Option<bool>,
    /// Knows the reasoning effort field.
    pub supports_reasoning_effort: Option<bool>,
    /// Reports usage while streaming.
    pub supports_usage_in_streaming: Option<bool>,
    /// Name of the field that limits the answer.
    pub max_tokens_field: Option<String>,
    /// How thinking is asked for.
    pub thinking_format: Option<String>,
    /// Wants the tool's name with its result.
    pub requires_tool_result_name: Option<bool>,
    /// Wants thinking as plain text.
    pub requires_thinking_as_text: Option<bool>,
    /// Wants nine-character tool call ids.
    pub requires_mistral_tool_ids: Option<bool>,
}

impl Models {
    pub(super) fn resolve(raw: raw::Models, cx: &mut Resolve<'_>) -> Self {
        let mut providers = BTreeMap::new();
        for (id, provider) in raw.providers.unwrap_or_default() {
            let path = format!("models.providers.{id}");
            match ProviderId::parse(&id.trim().to_lowercase()) {
                Ok(id) => drop(providers.insert(id, Provider::resolve(provider, &path, cx))),
                Err(error) => cx.issue(path, error.to_string()),
            }
        }
        let bedrock_discovery = BedrockDiscovery::resolve(raw.bedrock_discovery.unwrap_or_default());
        Self { mode: raw.mode.unwrap_or_default(), providers, bedrock_discovery }
    }
}

impl BedrockDiscovery {
    fn resolve(raw: raw::BedrockDiscovery) -> Self {
        let makers = raw.provider_filter.unwrap_or_default().into_iter();
        let seconds = raw.refresh_interval.unwrap_or(DEFAULT_REFRESH_SECONDS);
        Self {
            enabled: raw.enabled,
            region: raw.region.map(|region| region.trim().to_owned()).filter(|region| !region.is_empty()),
            provider_filter: makers.map(|maker| maker.trim().to_lowercase()).collect(),
            refresh_interval: Duration::from_secs(seconds),
            default_context_window: raw.default_context_window.unwrap_or(DEFAULT_FOUND_CONTEXT_WINDOW),
            default_max_tokens: raw.default_max_tokens.unwrap_or(DEFAULT_FOUND_MAX_TOKENS),
        }
    }
}

impl Provider {
    fn resolve(raw: raw::Provider, path: &str, cx: &mut Resolve<'_>) -> Self {
        let base_url = address(raw.base_url, path, cx);
        let key = key(raw.api_key, path, cx);
        let models = raw.models.unwrap_or_default().into_iter().enumerate();
        let models =
            models.filter_map(|(at, m)| Model::resolve(m, &format!("{path}.models[{at}]"), cx)).collect();
        Self {
            base_url,
            api_key: key,
            auth: raw.auth,
            api: raw.api,
            headers: headers(raw.headers, path, cx),
            auth_header: raw.auth_header,
            models,
        }
    }
}

/// The `baseUrl` of a place, checked.
pub(super) fn address(written: Option<String>, path: &str, cx: &mut Resolve<'_>) -> Option<String> {
    let url = written.map(|url| url.trim().trim_end_matches('/').to_owned())?;
    if !url.starts_with("http://") && !url.starts_with("https://") {
        cx.issue(
            format!("{path}.baseUrl"),
            format!("`{url}` is not an address; it must start with https:// or http://"),
        );
    }
    Some(url)
}

/// The `apiKey` of a place.
pub(super) fn key(written: Option<SecretText>, path: &str, cx: &mut Resolve<'_>) -> Option<Secret> {
    cx.secret(&format!("{path}.apiKey"), written).map(|key| by_name(key, cx))
}

/// A key may be written as the NAME of a variable; a name that is not set is taken for the key itself.
fn by_name(key: Secret, cx: &Resolve<'_>) -> Secret {
    let text = key.expose();
    let is_name = text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    match cx.env.get(text).filter(|_| is_name) {
        Some(value) => Secret::new(value),
        None => key,
    }
}

/// The `headers` of a place.
pub(super) fn headers(
    raw: Option<BTreeMap<String, SecretText>>,
    path: &str,
    cx: &mut Resolve<'_>,
) -> BTreeMap<String, Secret> {
    let mut out = BTreeMap::new();
    for (name, value) in raw.unwrap_or_default() {
        if let Some(value) = cx.secret(&format!("{path}.headers.{name}"), Some(value)) {
            out.insert(name, value);
        }
    }
    out
}

impl Model {
    fn resolve(raw: raw::ModelEntry, path: &str, cx: &mut Resolve<'_>) -> Option<Self> {
        let id =
            ModelId::parse(raw.id.trim()).map_err(|e| cx.issue(format!("{path}.id"), e.to_string())).ok()?;
        let cost = raw.cost.unwrap_or_default();
        let context_window = raw.context_window;
        let compat = raw.compat.unwrap_or_default();
        Some(Self {
            name: raw.name.unwrap_or_else(|| id.to_string()),
            id,
            api: raw.api,
            reasoning: raw.reasoning.unwrap_or(false),
            input: raw.input.unwrap_or_else(|| vec!["text".to_owned()]),
            cost: Cost {
                input: cost.input.unwrap_or(0.0),
                output: cost.output.unwrap_or(0.0),
                cache_read: cost.cache_read.unwrap_or(0.0),
                cache_write: cost.cache_write.unwrap_or(0.0),
            },
            context_window,
            max_tokens: raw.max_tokens,
            headers: headers(raw.headers, path, cx),
            compat: Compat {
                supports_store: compat.supports_store,
                supports_developer_role: compat.supports_developer_role,
                supports_reasoning_effort: compat.supports_reasoning_effort,
                supports_usage_in_streaming: compat.supports_usage_in_streaming,
                max_tokens_field: compat.max_tokens_field,
                thinking_format: compat.thinking_format,
                requires_tool_result_name: compat.requires_tool_result_name,
                requires_thinking_as_text: compat.requires_thinking_as_text,
                requires_mistral_tool_ids: compat.requires_mistral_tool_ids,
            },
            params: raw.params.unwrap_or_default().into_iter().collect(),
        })
    }
}
