//! Embeddings as OpenAI, Voyage, Gemini and Ollama answer for them: small vectors that depend on the text, so that equal
//! texts are equal and others are not. Fields that the vendor does not document are refused.

use http::HeaderMap;
use serde_json::{Map, Value, json};

/// How long a vector is when nobody says.
const LENGTH: usize = 8;
/// Largest length the fake makes.
const MAX_LENGTH: u64 = 4_096;
/// Rough size of a token.
const BYTES_PER_TOKEN: usize = 4;
/// Most texts of one request at Gemini's.
const MAX_GEMINI: usize = 100;
/// The proof of OpenAI's, Voyage's and their likes, and the one of Gemini's.
const BEARER: &str = "authorization";
const GOOG: &str = "x-goog-api-key";

/// Whose route a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    OpenAi,
    Voyage,
    Gemini,
    Ollama,
}

impl Route {
    pub(super) fn at(path: &str) -> Option<Self> {
        match path {
            path if path.ends_with("/voyage/v1/embeddings") => Some(Self::Voyage),
            path if path.ends_with("/embeddings") => Some(Self::OpenAi),
            path if path.ends_with(":batchEmbedContents") => Some(Self::Gemini),
            path if path.ends_with("/api/embed") => Some(Self::Ollama),
            _ => None,
        }
    }

    /// The answer to a request, or why a real server would refuse it.
    pub(super) fn answer(self, body: &Value, headers: &HeaderMap) -> Result<Value, String> {
        let object = body.as_object().ok_or("the body must be an object")?;
        match self {
            Self::OpenAi => {
                only(object, &["dimensions", "encoding_format", "input", "model", "user"])?;
                listed(body, "dimensions", "prompt_tokens")
            }
            Self::Voyage => {
                only(
                    object,
                    &["input", "input_type", "model", "output_dimension", "output_dtype", "truncation"],
                )?;
                proved(headers, BEARER, GOOG)?;
                listed(body, "output_dimension", "total_tokens")
            }
            Self::Gemini => {
                only(object, &["requests"])?;
                proved(headers, GOOG, BEARER)?;
                gemini(body)
            }
            Self::Ollama => {
                only(object, &["dimensions", "input", "keep_alive", "model", "options", "truncate"])?;
                let (model, texts) = (model(body)?, texts(body)?);
                let length = length(body.get("dimensions"))?;
                let vectors: Vec<_> = texts.iter().map(|text| vector(text, length)).collect();
                Ok(json!({"model": model, "embeddings": vectors, "total_duration": 14_143_917,
                    "load_duration": 1_019_500, "prompt_eval_count": tokens(&texts)}))
            }
        }
    }
}

fn only(object: &Map<String, Value>, fields: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !fields.contains(&key.as_str())) {
        Some(unknown) => Err(format!("Unrecognized request argument supplied: {unknown}")),
        None => Ok(()),
    }
}

/// A key where this vendor wants it, and nowhere else.
fn proved(headers: &HeaderMap, wanted: &str, other: &str) -> Result<(), String> {
    match headers.contains_key(wanted) && !headers.contains_key(other) {
        true => Ok(()),
        false => Err(format!("the key belongs into `{wanted}`")),
    }
}

fn model(body: &Value) -> Result<&str, String> {
    let model = body.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
    Ok(model.ok_or("you must provide a model parameter")?)
}

fn texts(body: &Value) -> Result<Vec<&str>, String> {
    match body.get("input") {
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(texts)) => {
            Ok(texts.iter().map(Value::as_str).collect::<Option<_>>().ok_or("input: texts only")?)
        }
        _ => Err("input is required".to_owned()),
    }
}

fn length(wanted: Option<&Value>) -> Result<usize, String> {
    let Some(wanted) = wanted else { return Ok(LENGTH) };
    let wanted = wanted.as_u64().filter(|n| (1..=MAX_LENGTH).contains(n));
    Ok(usize::try_from(wanted.ok_or("dimensions: out of range")?).unwrap_or(LENGTH))
}

fn tokens(texts: &[&str]) -> usize {
    texts.iter().map(|text| text.len().div_ceil(BYTES_PER_TOKEN)).sum()
}

/// A list as OpenAI writes it.
fn listed(body: &Value, dimensions: &str, counted: &str) -> Result<Value, String> {
    let (model, texts) = (model(body)?, texts(body)?);
    let length = length(body.get(dimensions))?;
    let line = |(index, text): (usize, &&str)| json!({"object": "embedding", "index": index, "embedding": vector(text, length)});
    let data: Vec<Value> = texts.iter().enumerate().map(line).collect();
    let tokens = tokens(&texts);
    Ok(json!({"object": "list", "data": data, "model": model,
        "usage": {counted: tokens, "total_tokens": tokens}}))
}

fn gemini(body: &Value) -> Result<Value, String> {
    let requests = body.get("requests").and_then(Value::as_array).ok_or("requests is required")?;
    if requests.is_empty() || requests.len() > MAX_GEMINI {
        return Err(format!("at most {MAX_GEMINI} requests can be in one batch"));
    }
    let one = |request: &Value| {
        let object = request.as_object().ok_or("a request must be an object")?;
        only(object, &["content", "model", "outputDimensionality", "taskType", "title"])?;
        if !request["model"].as_str().is_some_and(|model| model.starts_with("models/")) {
            return Err("model must be named as models/{model}".to_owned());
        }
        let text = request.pointer("/content/parts/0/text").and_then(Value::as_str);
        let text = text.ok_or("content.parts[0].text is required")?;
        Ok(json!({"values": vector(text, length(request.get("outputDimensionality"))?)}))
    };
    let embeddings = requests.iter().map(one).collect::<Result<Vec<_>, String>>()?;
    Ok(json!({"embeddings": embeddings}))
}

fn vector(text: &str, length: usize) -> Vec<f32> {
    let mut state =
        text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Sixteenths, which are the same in every spelling.
            f32::from(u8::try_from(state >> 24).unwrap_or_default()) / 16.0
        })
        .collect()
}
