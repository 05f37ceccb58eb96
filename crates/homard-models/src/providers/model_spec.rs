//! Models as the caller needs them, from the owner's words and from the rows.

use std::collections::{BTreeMap, BTreeSet};

use homard_config::Secret;
use homard_config::config::models::{Compat as ConfiguredCompat, Model, Provider, WireApi};
use homard_llm::{Compat, Headers, InputKind, MaxTokensField, ModelSpec, Params, Price, ThinkingFormat};
use homard_protocol::{ModelId, ProviderId};
use homard_runtime::CollectOrdered as _;
use serde_json::{Map, Value};

use crate::catalogue::{self, ModelRow, Row, folded};
use crate::discovery::FoundModel;

/// The API whose models people name without the word at their end.
const GOOGLE: &str = "google-generative-ai";

/// The API whose servers are told how much to keep.
const OLLAMA: &str = "ollama";

/// The owner's models first, then the row's that the owner did not write, then those that resemble the row's.
pub(super) fn models(
    provider: &ProviderId,
    row: Option<&'static Row>,
    own: Option<&Provider>,
    api: &str,
) -> Vec<ModelSpec> {
    let written = own.into_iter().flat_map(|own| &own.models);
    let mut models: Vec<ModelSpec> = written.map(|model| from_config(provider, row, model, api)).collect();
    let Some(row) = row else { return models };
    let known = row.models.iter().filter_map(|model| from_row(provider, row, model.id, model, api));
    fill(&mut models, known);
    let newer = row
        .templates
        .iter()
        .filter_map(|(new, _)| row.model(new).and_then(|like| from_row(provider, row, new, like, api)));
    fill(&mut models, newer);
    models
}

/// Adds models whose ids are not taken yet. A price is taken from them where nobody had one: servers know
/// theirs.
pub(super) fn fill(models: &mut Vec<ModelSpec>, more: impl IntoIterator<Item = ModelSpec>) {
    let mut taken: BTreeMap<ModelId, usize> =
        models.iter().enumerate().map(|(at, model)| (model.id.clone(), at)).collect_map();
    let written: BTreeSet<usize> = taken.values().copied().collect_set();
    for model in more {
        match taken.get(&model.id) {
            Some(at) => {
                let free = Price::default();
                let known = models.get_mut(*at).filter(|known| written.contains(at) && known.price == free);
                if let Some(known) = known {
                    known.price = model.price;
                }
                // What its server has counts where the owner did not say.
                if let Some(known) = models.get_mut(*at).filter(|known| known.context_window.is_none()) {
                    known.context_window = model.context_window;
                    known.max_tokens = known.max_tokens.min(known.window());
                }
            }
            None => {
                taken.insert(model.id.clone(), models.len());
                models.push(model);
            }
        }
    }
}

/// Servers of one's own that answer to any name with the one model they have: what it can hold holds for each name.
pub(super) fn fill_windows(models: &mut [ModelSpec], found: &[FoundModel]) {
    let Some(only) = found.iter().find(|found| found.any_name) else { return };
    for model in models.iter_mut().filter(|model| model.context_window.is_none()) {
        model.context_window = only.context_window;
        model.max_tokens = model.max_tokens.min(model.window());
    }
}

/// Lays what the owner wants of every call over the models: what stands with the provider, then what stands in the
/// list of models, which may name one nobody has described. Tells of names that have no effect.
pub(super) fn wish(models: &mut Vec<ModelSpec>, wishes: &[ModelParams<'_>], notes: &mut Vec<String>) {
    for wish in wishes {
        let (params, unused) = Params::read(wish.params);
        notes.extend(unused.iter().map(|name| format!("{}.params.{name} has no effect", wish.place)));
        if !models.iter().any(|model| model.id == wish.model) {
            let Some(like) = models.first() else { continue };
            let name = wish.model.to_string();
            models.push(ModelSpec { id: wish.model.clone(), name, ..like.clone() });
        }
        for model in models.iter_mut().filter(|model| model.id == wish.model) {
            model.params = std::mem::take(&mut model.params).under(params.clone());
            if let Some(most) = params.max_tokens {
                model.max_tokens = model.max_tokens.max(most);
            }
            // The context it is to be loaded with.
            let asked = (model.api == OLLAMA).then(|| model.params.extra.remove("num_ctx")).flatten();
            let asked = asked.as_ref().and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
            model.context_window = asked.or(model.context_window);
        }
    }
}

/// What the owner wants of one model's calls.
pub(super) struct ModelParams<'a> {
    pub(super) model: ModelId,
    pub(super) params: &'a Map<String, Value>,
    /// Where it is written.
    pub(super) place: String,
}

fn from_row(provider: &ProviderId, row: &Row, id: &str, like: &ModelRow, api: &str) -> Option<ModelSpec> {
    // The owner moved the provider to another API: what a model says of its own no longer holds.
    let own_api = like.api.filter(|_| row.api == api).unwrap_or(api);
    let mut spec = ModelSpec::new(provider.clone(), ModelId::parse(id).ok()?, own_api);
    spec.name = if id == like.id { like.name.to_owned() } else { id.to_owned() };
    spec.reasoning = like.reasoning;
    spec.input = like.input.to_vec();
    spec.price = like.price;
    spec.context_window = Some(like.context_window);
    spec.max_tokens = like.max_tokens;
    spec.compat = row.compat;
    Some(spec)
}

fn from_config(provider: &ProviderId, row: Option<&Row>, model: &Model, api: &str) -> ModelSpec {
    let api = match model.api {
        Some(own) => api_name(own),
        None => api,
    };
    let mut spec = ModelSpec::new(provider.clone(), own_name(&model.id, api), api);
    spec.name.clone_from(&model.name);
    spec.reasoning = model.reasoning;
    spec.input = model.input.iter().filter_map(|kind| InputKind::parse(kind)).collect();
    spec.price = Price {
        input: model.cost.input,
        output: model.cost.output,
        cache_read: model.cost.cache_read,
        cache_write: model.cost.cache_write,
    };
    spec.context_window = model.context_window.map(|window| u32::try_from(window).unwrap_or(u32::MAX));
    let most = model.max_tokens.map(|most| u32::try_from(most).unwrap_or(u32::MAX));
    spec.max_tokens = most.unwrap_or(spec.max_tokens.min(spec.window()));
    spec.headers = headers(&model.headers);
    spec.compat = compat(&model.compat);
    // A server nobody knows may have no limit of its own.
    spec.params.max_tokens = most.or_else(|| row.is_none().then_some(spec.max_tokens));
    spec
}

/// The name the API wants for what the owner wrote: `gemini-3-pro` is served as `gemini-3-pro-preview`.
fn own_name(id: &ModelId, api: &str) -> ModelId {
    let alias = ROW_OF_GOOGLE.filter(|_| api == GOOGLE).and_then(|row| {
        let wanted = folded(id.as_str());
        row.model_aliases.iter().find(|(alias, _)| folded(alias) == wanted)
    });
    alias.and_then(|(_, name)| ModelId::parse(name).ok()).unwrap_or_else(|| id.clone())
}

/// Looked up by API, so that a proxy under another name profits too.
static ROW_OF_GOOGLE: std::sync::LazyLock<Option<&'static Row>> =
    std::sync::LazyLock::new(|| catalogue::ROWS.iter().find(|row| row.api == GOOGLE));

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
        ..Compat::default()
    }
}

/// The spelling the model layer knows an API by. Two words of the configuration are ways to sign in, not ways
/// to speak.
pub(super) fn api_name(api: WireApi) -> &'static str {
    match api {
        WireApi::OpenaiCompletions | WireApi::GithubCopilot => "openai-completions",
        WireApi::OpenaiResponses | WireApi::OpenaiChatgptResponses => "openai-responses",
        WireApi::AnthropicMessages => "anthropic-messages",
        WireApi::GoogleGenerativeAi => GOOGLE,
        WireApi::GoogleVertex => "google-vertex",
        WireApi::BedrockConverseStream => "bedrock-converse-stream",
        WireApi::Ollama => "ollama",
    }
}
