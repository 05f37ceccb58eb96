//! `/v1/embeddings`: vectors of texts, made by the owner's embedding provider.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_llm::{FailReason, Resolved};
use homard_models::budget::Spender;
use homard_models::embed::{EmbedTexts, NotEmbedded};
use homard_models::router::{ModelRouter, Run};
use homard_protocol::{AgentId, ModelId, ModelRef, ProviderId, SessionKey};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::refusal::ApiError;
use super::wanted::Asker;
use homard_http::answers::{Answer, json_answer};

/// Largest body.
pub(super) const MAX_BODY: usize = 5 * 1024 * 1024;
/// Most texts of one request.
const MAX_INPUTS: usize = 128;
/// Longest text, in characters.
const MAX_CHARS: usize = 8_192;
/// Most characters of all texts.
const MAX_TOTAL_CHARS: usize = 65_536;
/// Bytes of a text that stand for a token, where nobody counts.
const BYTES_PER_TOKEN: usize = 4;
/// Who is asked when the owner says nothing, or says only the provider.
const USUAL: [(&str, &str); 2] = [("openai", "text-embedding-3-small"), ("voyage", "voyage-4-large")];

/// A request.
#[derive(Debug, Deserialize)]
pub(super) struct EmbeddingsRequest {
    model: String,
    input: Input,
    dimensions: Option<Value>,
    encoding_format: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "`input` must be a text or a list of texts")]
enum Input {
    One(String),
    Many(Vec<String>),
}

/// Answers with vectors.
pub(super) async fn answer(asker: &Asker<'_>, asked: EmbeddingsRequest) -> Result<Answer, ApiError> {
    let chosen = asker.agent(&asked.model)?;
    let in_base64 = match asked.encoding_format.as_deref() {
        None | Some("float") => false,
        Some("base64") => true,
        Some(_) => return Err(ApiError::at("encoding_format", "`encoding_format` is float or base64")),
    };
    let dimensions = dimensions(asked.dimensions.as_ref())?;
    let input = checked(asked.input)?;
    let router = asker.api.relay.router();
    let model = backend(asker, &router)?;
    let bytes: usize = input.iter().map(String::len).sum();
    let wanted = EmbedTexts { model, input, dimensions };
    let run = on_behalf(asker, chosen.agent);
    let cancel = CancellationToken::new();
    // A caller that hangs up drops this, and with it the question.
    let found = router.embed(&wanted, &run, &cancel).await.map_err(refused)?;
    let tokens = if found.tokens == 0 {
        u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
    } else {
        found.tokens
    };
    let data: Vec<Value> = found
        .vectors
        .iter()
        .enumerate()
        .map(|(index, vector)| {
            let embedding = if in_base64 { json!(packed(vector)) } else { json!(vector) };
            json!({"object": "embedding", "index": index, "embedding": embedding})
        })
        .collect();
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    let body = json!({"object": "list", "data": data, "model": asked.model, "usage": usage});
    Ok(json_answer(StatusCode::OK, &body))
}

fn dimensions(value: Option<&Value>) -> Result<Option<u32>, ApiError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let count = value.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0);
    let bad = || ApiError::at("dimensions", "`dimensions` must be a positive integer");
    count.map(Some).ok_or_else(bad)
}

fn checked(input: Input) -> Result<Vec<String>, ApiError> {
    let bad = |message: String| ApiError::at("input", message);
    let input = match input {
        Input::One(text) => vec![text],
        Input::Many(texts) => texts,
    };
    if input.is_empty() || input.len() > MAX_INPUTS {
        return Err(bad(format!("`input` must have 1 to {MAX_INPUTS} texts")));
    }
    let mut total = 0_usize;
    for text in &input {
        let chars = text.chars().count();
        total += chars;
        if chars == 0 || chars > MAX_CHARS {
            return Err(bad(format!("every text must have 1 to {MAX_CHARS} characters")));
        }
    }
    match total > MAX_TOTAL_CHARS {
        true => Err(bad(format!("the texts together are longer than {MAX_TOTAL_CHARS} characters"))),
        false => Ok(input),
    }
}

/// Who makes the vectors: as the header says, else as the owner, else whoever is known to.
fn backend(asker: &Asker<'_>, router: &ModelRouter) -> Result<ModelRef, ApiError> {
    if let Some(named) = asker.backend()? {
        let (provider, model) = named
            .split_once('/')
            .ok_or_else(|| ApiError::invalid("Invalid `x-openclaw-model`: write it as `provider/model`"))?;
        return reference(provider, model);
    }
    let config = asker.api.config.current();
    if let Some(wanted) = &config.agents.defaults.memory_search.embeddings {
        let usual = USUAL.iter().find(|(provider, _)| *provider == wanted.provider).map(|&(_, model)| model);
        let model = wanted.model.as_deref().or(usual).ok_or_else(|| {
            ApiError::invalid("no embedding model is chosen: set agents.defaults.memorySearch.model")
        })?;
        return reference(&wanted.provider, model);
    }
    for (provider, model) in USUAL {
        let model = reference(provider, model)?;
        if router
            .models()
            .resolve(&model)
            .is_ok_and(|Resolved { provider, .. }| *provider.id() == model.provider)
        {
            return Ok(model);
        }
    }
    Err(ApiError::invalid(
        "no embedding provider is configured: set agents.defaults.memorySearch.provider and .model to one of \
         models.providers, or name one in the header x-openclaw-model",
    ))
}

fn reference(provider: &str, model: &str) -> Result<ModelRef, ApiError> {
    let bad = |error: homard_protocol::IdError| ApiError::invalid(error.to_string());
    Ok(ModelRef {
        provider: ProviderId::parse(provider).map_err(bad)?,
        model: ModelId::parse(model).map_err(bad)?,
    })
}

/// Who pays.
fn on_behalf(asker: &Asker<'_>, agent: AgentId) -> Run {
    let session = SessionKey::main(agent.clone());
    Run {
        spender: Spender { agent: agent.clone(), session: session.clone(), job: None },
        pinned: None,
        meter: asker.api.relay.setup().meter(agent, session),
    }
}

/// A provider that does not know the model or the dimensions says so with a refusal of the request.
fn refused(error: NotEmbedded) -> ApiError {
    match error {
        NotEmbedded::Failed(failed)
            if matches!(failed.reason, FailReason::Format | FailReason::ModelNotFound)
                && failed.status.is_none_or(|status| (400..500).contains(&status)) =>
        {
            ApiError::invalid(failed.message)
        }
        other => ApiError::Embed(other),
    }
}

/// Numbers as the bytes the API's own clients ask for.
fn packed(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests;
