//! From the owner's configuration to models and tools.

use std::collections::BTreeMap;

use homard_config::config::models::{Compat as ConfiguredCompat, Model, Provider, WireApi};
use homard_config::{Config, Paths, Secret};
use homard_exec::BuiltEnv;
use homard_llm::{
    ApiKey, Compat, Headers, Http, InputKind, MaxTokensField, ModelSpec, Models, Price, ProviderSpec,
    ThinkingFormat,
};
use homard_protocol::ProviderId;
use homard_runtime::Clock;
use homard_tools::{ToolOptions, Toolbox};

/// The wire API of a provider that names none.
const DEFAULT_API: WireApi = WireApi::OpenaiCompletions;

/// Everybody who can think.
pub(crate) fn models(config: &Config, http: &Http, clock: &Clock) -> Models {
    let providers = config.models.providers.iter().filter_map(|(id, provider)| spec(id, provider)).collect();
    Models::new(providers, http, clock)
}

fn spec(id: &ProviderId, provider: &Provider) -> Option<ProviderSpec> {
    let Some(base_url) = &provider.base_url else {
        tracing::warn!(provider = %id, "models.providers.{id} has no baseUrl and is not used");
        return None;
    };
    let api = provider.api.unwrap_or(DEFAULT_API);
    let mut spec = ProviderSpec::new(id.clone(), api_name(api), base_url.clone());
    spec.api_key = provider.api_key.as_ref().map(|key| ApiKey::new(key.expose()));
    spec.headers = headers(&provider.headers);
    spec.auth_header = provider.auth_header.unwrap_or(false);
    spec.models = provider.models.iter().map(|model| model_spec(id, model, api)).collect();
    Some(spec)
}

fn model_spec(provider: &ProviderId, model: &Model, api: WireApi) -> ModelSpec {
    let mut spec = ModelSpec::new(provider.clone(), model.id.clone(), api_name(model.api.unwrap_or(api)));
    spec.name.clone_from(&model.name);
    spec.reasoning = model.reasoning;
    spec.input = model.input.iter().filter_map(|kind| InputKind::parse(kind)).collect();
    spec.price = Price {
        input: model.cost.input,
        output: model.cost.output,
        cache_read: model.cost.cache_read,
        cache_write: model.cost.cache_write,
    };
    spec.context_window = u32::try_from(model.context_window).unwrap_or(u32::MAX);
    spec.max_tokens = u32::try_from(model.max_tokens).unwrap_or(u32::MAX);
    spec.headers = headers(&model.headers);
    spec.compat = compat(&model.compat);
    spec
}

fn headers(configured: &BTreeMap<String, Secret>) -> Headers {
    configured.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect()
}

fn compat(configured: &ConfiguredCompat) -> Compat {
    Compat {
        supports_store: configured.supports_store,
        supports_developer_role: configured.supports_developer_role,
        supports_reasoning_effort: configured.supports_reasoning_effort,
        supports_usage_in_streaming: configured.supports_usage_in_streaming,
        max_tokens_field: configured.max_tokens_field.as_deref().and_then(|field| match field {
            "max_tokens" => Some(MaxTokensField::MaxTokens),
            "max_completion_tokens" => Some(MaxTokensField::MaxCompletionTokens),
            _ => None,
        }),
        thinking_format: configured.thinking_format.as_deref().and_then(|format| match format {
            "openai" => Some(ThinkingFormat::OpenAi),
            "zai" => Some(ThinkingFormat::Zai),
            "qwen" => Some(ThinkingFormat::Qwen),
            _ => None,
        }),
        requires_tool_result_name: configured.requires_tool_result_name,
        requires_thinking_as_text: configured.requires_thinking_as_text,
        requires_mistral_tool_ids: configured.requires_mistral_tool_ids,
    }
}

/// The spelling the model layer knows an API by.
fn api_name(api: WireApi) -> String {
    match serde_json::to_value(api) {
        Ok(serde_json::Value::String(name)) => name,
        _ => "openai-completions".to_owned(),
    }
}

/// What the model may do.
pub(crate) fn tools(config: &Config, paths: &Paths) -> Toolbox {
    let base: BTreeMap<String, String> =
        config.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut env = BuiltEnv::from_base(&base);
    if !config.tools.exec.path_prepend.is_empty() {
        let first = config.tools.exec.path_prepend.iter().map(|path| path.display().to_string());
        let rest = base.get("PATH").cloned();
        let path = first.chain(rest).collect::<Vec<_>>().join(":");
        match env.clone().with_explicit("PATH", &path) {
            Ok(changed) => env = changed,
            Err(error) => tracing::warn!(%error, "tools.exec.pathPrepend is not used"),
        }
    }
    Toolbox::new(&ToolOptions {
        home: paths.home.clone(),
        workspace_only: config.tools.fs.workspace_only,
        env,
        exec_timeout: config.tools.exec.timeout,
    })
}
