//! How Anthropic messages spell an answer.

use bytes::Bytes;
use serde_json::{Value, json};

use super::dialect::{Dialect, pieces};
use super::script::Speech;

const ID: &str = "msg_fake";
/// What a real server would sign thinking with.
const SIGNATURE: &str = "sig_fake";

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

fn start(index: usize, block: &Value) -> String {
    event(
        "content_block_start",
        &json!({"type": "content_block_start", "index": index, "content_block": block}),
    )
}

fn delta(index: usize, delta: &Value) -> String {
    event("content_block_delta", &json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stop(index: usize) -> String {
    event("content_block_stop", &json!({"type": "content_block_stop", "index": index}))
}

pub(super) fn head(dialect: &Dialect<'_>) -> Bytes {
    let usage = json!({"input_tokens": dialect.prompt_tokens, "output_tokens": 0});
    let message = json!({"id": ID, "type": "message", "role": "assistant", "model": dialect.model, "content": [],
                         "stop_reason": null, "stop_sequence": null, "usage": usage});
    Bytes::from(event("message_start", &json!({"type": "message_start", "message": message})))
}

pub(super) fn content(dialect: &Dialect<'_>, speech: &Speech) -> Vec<Bytes> {
    let mut out = open_content(speech);
    let mut index = usize::from(speech.thinking.is_some());
    if !speech.words.is_empty() {
        append(&mut out, &stop(index));
        index += 1;
    }
    for (n, (name, arguments)) in speech.calls.iter().enumerate() {
        let text = arguments.to_string();
        let opening = json!({"type": "tool_use", "id": dialect.call_id(n), "name": name, "input": {}});
        out.push(Bytes::from(start(index, &opening)));
        let piece = |piece| delta(index, &json!({"type": "input_json_delta", "partial_json": piece}));
        out.extend(pieces(&text).into_iter().map(piece).map(Bytes::from));
        append(&mut out, &stop(index));
        index += 1;
    }
    out
}

/// Thinking, closed, and text, still open.
pub(super) fn open_content(speech: &Speech) -> Vec<Bytes> {
    let mut out = Vec::new();
    let mut index = 0;
    if let Some(thinking) = &speech.thinking {
        out.push(Bytes::from(start(index, &json!({"type": "thinking", "thinking": "", "signature": ""}))));
        let piece = |piece| delta(index, &json!({"type": "thinking_delta", "thinking": piece}));
        out.extend(pieces(thinking).into_iter().map(piece).map(Bytes::from));
        let signed = delta(index, &json!({"type": "signature_delta", "signature": SIGNATURE}));
        append(&mut out, &format!("{signed}{}", stop(index)));
        index += 1;
    }
    for (n, word) in speech.words.iter().enumerate() {
        let opening = if n == 0 { start(index, &json!({"type": "text", "text": ""})) } else { String::new() };
        out.push(Bytes::from(opening + &delta(index, &json!({"type": "text_delta", "text": word}))));
    }
    out
}

/// Adds to the last piece, so that closing a block is no piece of its own.
fn append(out: &mut [Bytes], text: &str) {
    if let Some(last) = out.last_mut() {
        *last = Bytes::from([last, text.as_bytes()].concat());
    }
}

pub(super) fn tail(has_calls: bool, words: usize) -> Bytes {
    let reason = if has_calls { "tool_use" } else { "end_turn" };
    let ended = json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
                       "usage": {"output_tokens": words}});
    Bytes::from(event("message_delta", &ended) + &event("message_stop", &json!({"type": "message_stop"})))
}

pub(super) fn whole(dialect: &Dialect<'_>, speech: &Speech) -> Value {
    let mut content = Vec::new();
    if let Some(thinking) = &speech.thinking {
        content.push(json!({"type": "thinking", "thinking": thinking, "signature": SIGNATURE}));
    }
    if !speech.words.is_empty() {
        content.push(json!({"type": "text", "text": speech.words.concat()}));
    }
    for (n, (name, arguments)) in speech.calls.iter().enumerate() {
        content.push(json!({"type": "tool_use", "id": dialect.call_id(n), "name": name, "input": arguments}));
    }
    let reason = if speech.calls.is_empty() { "end_turn" } else { "tool_use" };
    json!({"id": ID, "type": "message", "role": "assistant", "model": dialect.model, "content": content,
           "stop_reason": reason, "stop_sequence": null,
           "usage": {"input_tokens": dialect.prompt_tokens, "output_tokens": speech.words.len()}})
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500..=599 => "api_error",
        _ => "invalid_request_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}})
}
