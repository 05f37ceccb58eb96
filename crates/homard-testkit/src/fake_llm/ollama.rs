//! How Ollama spells an answer, and what it tells about itself.

use bytes::Bytes;
use serde_json::{Value, json};

use super::dialect::{Dialect, pieces, with};
use super::script::Speech;

const WHEN: &str = "2026-01-01T00:00:00Z";
/// The one model the server has.
const MODEL: &str = "fake-1";
/// How much of a conversation it reads, in tokens.
const CONTEXT: u32 = 32_768;

fn line(dialect: &Dialect<'_>, message: Value) -> Bytes {
    let message = with(message, "role", "assistant");
    let line = json!({"model": dialect.model, "created_at": WHEN, "message": message, "done": false});
    Bytes::from(format!("{line}\n"))
}

/// Calls come whole and without a name of their own.
fn call((name, arguments): &(String, Value)) -> Value {
    json!({"function": {"name": name, "arguments": arguments}})
}

pub(super) fn content(dialect: &Dialect<'_>, speech: &Speech) -> Vec<Bytes> {
    let thinking = speech.thinking.as_deref().map(pieces).unwrap_or_default();
    let thoughts = thinking.into_iter().map(|piece| json!({"content": "", "thinking": piece}));
    let words = speech.words.iter().map(|word| json!({"content": word}));
    let calls = speech.calls.iter().map(|each| json!({"content": "", "tool_calls": [call(each)]}));
    thoughts.chain(words).chain(calls).map(|message| line(dialect, message)).collect()
}

fn ended(dialect: &Dialect<'_>, message: &Value, words: usize) -> Value {
    json!({"model": dialect.model, "created_at": WHEN, "message": message, "done": true, "done_reason": "stop",
           "total_duration": 5_000_000, "load_duration": 1_000_000, "prompt_eval_count": dialect.prompt_tokens,
           "prompt_eval_duration": 2_000_000, "eval_count": words, "eval_duration": 2_000_000})
}

pub(super) fn tail(dialect: &Dialect<'_>, words: usize) -> Bytes {
    let end = ended(dialect, &json!({"role": "assistant", "content": ""}), words);
    Bytes::from(format!("{end}\n"))
}

pub(super) fn whole(dialect: &Dialect<'_>, speech: &Speech) -> Value {
    let mut message = json!({"role": "assistant", "content": speech.words.concat()});
    if let Some(thinking) = &speech.thinking {
        message = with(message, "thinking", thinking.as_str());
    }
    if !speech.calls.is_empty() {
        message = with(message, "tool_calls", speech.calls.iter().map(call).collect::<Value>());
    }
    ended(dialect, &message, speech.words.len())
}

pub(super) fn error(message: &str) -> Value {
    json!({"error": message})
}

/// What the server answers to questions about itself: a status and a document.
pub(super) fn about(path: &str, body: &[u8]) -> Option<(u16, Value)> {
    let details = json!({"format": "gguf", "family": "fake", "families": ["fake"], "parameter_size": "1B",
                         "quantization_level": "Q4_0"});
    if path.ends_with("/api/version") {
        return Some((200, json!({"version": "0.40.0"})));
    }
    if path.ends_with("/api/tags") {
        let model = json!({"name": MODEL, "model": MODEL, "modified_at": WHEN, "size": 1_000_000,
                           "digest": "0".repeat(64), "details": details});
        return Some((200, json!({"models": [model]})));
    }
    if !path.ends_with("/api/show") {
        return None;
    }
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    let name = ["model", "name"].iter().find_map(|key| asked.get(key).and_then(Value::as_str));
    Some(match name {
        None | Some("") => (400, error("model is required")),
        Some(MODEL) => (
            200,
            json!({"details": details, "capabilities": ["completion", "tools", "thinking", "vision"],
                   "modified_at": WHEN, "parameters": "", "template": "{{ .Prompt }}",
                   "model_info": {"general.architecture": "fake", "fake.context_length": CONTEXT}}),
        ),
        Some(name) => (404, error(&format!("model '{name}' not found"))),
    })
}
