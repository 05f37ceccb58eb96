//! Vectors for texts: one small call of the `/embeddings` route that OpenAI's API and its likes share.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{FailReason, LlmError};
use crate::spec::{Credential, Headers, ModelSpec};
use crate::transport::http::{Fetch, Http};
use crate::wire;

/// Largest answer accepted, in bytes: 128 vectors of 4096 numbers, written out.
const MAX_ANSWER: usize = 32 * 1024 * 1024;
/// APIs beside which the route lies.
const BESIDE: [&str; 2] = ["openai-completions", "openai-responses"];

/// Texts that are to become vectors.
#[derive(Debug, Clone)]
pub struct EmbedRequest {
    pub model: Arc<ModelSpec>,
    pub input: Vec<String>,
    /// How long vectors are to be; the model's own length when absent.
    pub dimensions: Option<u32>,
    /// What to call with; the provider's configured key when absent.
    pub credential: Option<Arc<Credential>>,
}

/// Vectors, in the order of the texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// One for each text.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens of all texts, as the provider counted them; 0 when it did not.
    pub tokens: u64,
}

/// Where and with what a provider is asked.
pub(crate) struct EmbeddingPlace {
    pub(crate) base_url: String,
    pub(crate) headers: Headers,
    pub(crate) secrets: Vec<String>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Line>,
    #[serde(default)]
    usage: Option<Counted>,
}

#[derive(Deserialize)]
struct Line {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    prompt_tokens: u64,
}

/// Asks for the vectors.
pub(crate) async fn ask(
    http: &Http,
    place: EmbeddingPlace,
    request: &EmbedRequest,
) -> Result<Embedded, LlmError> {
    let url = address(&place.base_url, &request.model)?;
    let mut fetch = Fetch::post(url, body(request).to_string().into_bytes()).with_headers(place.headers);
    fetch.size_limit = MAX_ANSWER;
    let secrets: Vec<&str> = place.secrets.iter().map(String::as_str).collect();
    let answer = http.fetch(fetch).await?.json(&secrets)?;
    read(answer, request.input.len())
}

fn address(base_url: &str, model: &ModelSpec) -> Result<String, LlmError> {
    let base = base_url.trim().trim_end_matches('/');
    match model.api.as_str() {
        api if BESIDE.contains(&api) => Ok(format!("{base}/embeddings")),
        // Beside its imitation of the others, not its own calls.
        wire::OLLAMA => Ok(format!("{base}/v1/embeddings")),
        other => Err(LlmError::new(
            FailReason::Format,
            format!(
                "providers of the API `{other}` are not asked for embeddings; choose one that speaks OpenAI's"
            ),
        )),
    }
}

fn body(request: &EmbedRequest) -> Value {
    let mut body =
        json!({"model": request.model.id.as_str(), "input": request.input, "encoding_format": "float"});
    if let (Some(dimensions), Some(fields)) = (request.dimensions, body.as_object_mut()) {
        fields.insert("dimensions".to_owned(), json!(dimensions));
    }
    body
}

/// The vectors of an answer, each in its place.
fn read(answer: Value, wanted: usize) -> Result<Embedded, LlmError> {
    let broken = |what: &str| {
        LlmError::new(FailReason::Format, format!("the provider's answer holds no embeddings: {what}"))
    };
    let answer: Answer =
        homard_runtime::json::from_value(answer).map_err(|_unreadable| broken("it has another shape"))?;
    let mut vectors = vec![Vec::new(); wanted];
    for Line { index, embedding } in answer.data {
        let place = vectors.get_mut(index).ok_or_else(|| broken("there are more than were asked for"))?;
        *place = embedding;
    }
    if vectors.iter().any(Vec::is_empty) {
        return Err(broken("some are missing"));
    }
    Ok(Embedded { vectors, tokens: answer.usage.map_or(0, |usage| usage.prompt_tokens) })
}

#[cfg(test)]
mod tests;
