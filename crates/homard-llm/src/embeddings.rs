//! Vectors for texts, each provider asked in its own spelling: OpenAI's `/embeddings` and its likes, Voyage's variant of it,
//! Gemini's `:batchEmbedContents`, Ollama's `/api/embed`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{FailReason, LlmError};
use crate::spec::{Credential, Headers, ModelSpec};
use crate::transport::http::{Fetch, Http};
use crate::wire;

/// Largest answer accepted, in bytes: 128 vectors of 4096 numbers, written out.
const MAX_ANSWER: usize = 32 * 1024 * 1024;
/// APIs beside which OpenAI's route lies.
const BESIDE: [&str; 2] = ["openai-completions", "openai-responses"];
/// Whose servers refuse what OpenAI's like, by the provider's name and its host.
const VOYAGE: (&str, &str) = ("voyage", "voyageai.com");

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

/// How a provider wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    OpenAi,
    Voyage,
    Gemini,
    Ollama,
}

/// What each of them answers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    /// OpenAI and Voyage, in the order of what was asked or with its number.
    Listed {
        data: Vec<Line>,
        #[serde(default)]
        usage: Counted,
    },
    Gemini {
        embeddings: Vec<Values>,
    },
    Ollama {
        embeddings: Vec<Vec<f32>>,
        #[serde(default)]
        prompt_eval_count: u64,
    },
}

#[derive(Deserialize)]
struct Line {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct Values {
    values: Vec<f32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Counted {
    prompt_tokens: u64,
    total_tokens: u64,
}

/// Asks for the vectors.
pub(crate) async fn ask(
    http: &Http,
    place: EmbeddingPlace,
    request: &EmbedRequest,
) -> Result<Embedded, LlmError> {
    let spelling = Spelling::of(&place.base_url, &request.model)?;
    let url = spelling.address(&place.base_url, &request.model);
    let body = spelling.body(request).to_string().into_bytes();
    let mut fetch = Fetch::post(url, body).with_headers(place.headers);
    fetch.size_limit = MAX_ANSWER;
    let secrets: Vec<&str> = place.secrets.iter().map(String::as_str).collect();
    let answer = http.fetch(fetch).await?.json(&secrets)?;
    read(answer, request.input.len())
}

impl Spelling {
    fn of(base_url: &str, model: &ModelSpec) -> Result<Self, LlmError> {
        match model.api.as_str() {
            api if BESIDE.contains(&api) => {
                let is_voyage = model.provider.as_str() == VOYAGE.0 || base_url.contains(VOYAGE.1);
                Ok(if is_voyage { Self::Voyage } else { Self::OpenAi })
            }
            wire::OLLAMA => Ok(Self::Ollama),
            wire::GOOGLE_GENERATIVE_AI => Ok(Self::Gemini),
            other => Err(LlmError::new(
                FailReason::Format,
                format!(
                    "providers of the API `{other}` are not asked for embeddings; choose one that speaks OpenAI's, \
                     Gemini's or Ollama's"
                ),
            )),
        }
    }

    fn address(self, base_url: &str, model: &ModelSpec) -> String {
        let base = base_url.trim().trim_end_matches('/');
        match self {
            Self::OpenAi | Self::Voyage => format!("{base}/embeddings"),
            Self::Gemini => wire::gemini_address(base, model, "batchEmbedContents"),
            Self::Ollama => format!("{base}/api/embed"),
        }
    }

    fn body(self, request: &EmbedRequest) -> Value {
        let (id, input) = (request.model.id.as_str(), &request.input);
        let (mut body, length) = match self {
            Self::OpenAi => {
                (json!({"model": id, "input": input, "encoding_format": "float"}), Some("dimensions"))
            }
            Self::Voyage => (json!({"model": id, "input": input}), Some("output_dimension")),
            Self::Ollama => (json!({"model": id, "input": input}), Some("dimensions")),
            Self::Gemini => {
                let model = format!("models/{}", id.strip_prefix("models/").unwrap_or(id));
                let one = |text: &String| {
                    let mut one = json!({"model": model, "content": {"parts": [{"text": text}]}});
                    put(&mut one, "outputDimensionality", request.dimensions);
                    one
                };
                (json!({"requests": input.iter().map(one).collect::<Vec<_>>()}), None)
            }
        };
        if let Some(name) = length {
            put(&mut body, name, request.dimensions);
        }
        body
    }
}

fn put(body: &mut Value, name: &str, number: Option<u32>) {
    if let (Some(number), Some(fields)) = (number, body.as_object_mut()) {
        fields.insert(name.to_owned(), json!(number));
    }
}

/// The vectors of an answer, each in its place.
fn read(answer: Value, wanted: usize) -> Result<Embedded, LlmError> {
    let broken = |what: &str| {
        LlmError::new(FailReason::Format, format!("the provider's answer holds no embeddings: {what}"))
    };
    let answer: Answer =
        homard_runtime::json::from_value(answer).map_err(|_unreadable| broken("it has another shape"))?;
    let (lines, tokens): (Vec<(usize, Vec<f32>)>, u64) = match answer {
        Answer::Listed { data, usage } => {
            let tokens = if usage.prompt_tokens == 0 { usage.total_tokens } else { usage.prompt_tokens };
            (data.into_iter().map(|line| (line.index, line.embedding)).collect(), tokens)
        }
        Answer::Gemini { embeddings } => {
            (embeddings.into_iter().map(|one| one.values).enumerate().collect(), 0)
        }
        Answer::Ollama { embeddings, prompt_eval_count } => {
            (embeddings.into_iter().enumerate().collect(), prompt_eval_count)
        }
    };
    let mut vectors = vec![Vec::new(); wanted];
    for (index, vector) in lines {
        let place = vectors.get_mut(index).ok_or_else(|| broken("there are more than were asked for"))?;
        *place = vector;
    }
    if vectors.iter().any(Vec::is_empty) {
        return Err(broken("some are missing"));
    }
    Ok(Embedded { vectors, tokens })
}

#[cfg(test)]
mod tests;
