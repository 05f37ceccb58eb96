//! `/embeddings`: small vectors that depend on the text, so that equal texts are equal and others are not.

use serde_json::{Value, json};

/// Fields the API documents.
const FIELDS: &[&str] = &["dimensions", "encoding_format", "input", "model", "user"];
/// How long a vector is when nobody says.
const LENGTH: usize = 8;
/// Largest length the fake makes.
const MAX_LENGTH: u64 = 4_096;
/// Rough size of a token.
const BYTES_PER_TOKEN: usize = 4;

/// Whether a path is the one.
pub(super) fn is_at(path: &str) -> bool {
    path.ends_with("/embeddings")
}

/// The answer to a request, or why a real server would refuse it.
pub(super) fn answer(body: &Value) -> Result<Value, String> {
    let object = body.as_object().ok_or("the body must be an object")?;
    if let Some(unknown) = object.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        return Err(format!("Unrecognized request argument supplied: {unknown}"));
    }
    let model = body.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
    let model = model.ok_or("you must provide a model parameter")?;
    let texts: Vec<&str> = match body.get("input") {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(texts)) => {
            texts.iter().map(Value::as_str).collect::<Option<_>>().ok_or("input: texts only")?
        }
        _ => return Err("input is required".to_owned()),
    };
    let length = match body.get("dimensions") {
        None => LENGTH,
        Some(wanted) => {
            let wanted = wanted.as_u64().filter(|n| (1..=MAX_LENGTH).contains(n));
            usize::try_from(wanted.ok_or("dimensions: out of range")?).unwrap_or(LENGTH)
        }
    };
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(
            |(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(text, length)}),
        )
        .collect();
    let tokens: usize = texts.iter().map(|text| text.len().div_ceil(BYTES_PER_TOKEN)).sum();
    Ok(json!({"object": "list", "data": data, "model": model,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}))
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
