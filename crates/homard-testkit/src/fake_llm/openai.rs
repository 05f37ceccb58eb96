//! How OpenAI chat completions spell an answer.

use std::fmt::Write as _;

use bytes::Bytes;
use serde_json::{Value, json};

use super::dialect::{Dialect, pieces};
use super::script::Speech;

const ID: &str = "chatcmpl-fake";
const CREATED: u64 = 1_700_000_000;

fn chunk(dialect: &Dialect<'_>, delta: &Value, finish: &Value) -> String {
    let model = Value::from(dialect.model);
    format!(
        "data: {{\"id\":\"{ID}\",\"object\":\"chat.completion.chunk\",\"created\":{CREATED},\"model\":{model},\
         \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

fn delta(dialect: &Dialect<'_>, delta: &Value) -> Bytes {
    Bytes::from(chunk(dialect, delta, &Value::Null))
}

pub(super) fn head(dialect: &Dialect<'_>) -> Bytes {
    delta(dialect, &json!({"role": "assistant", "content": ""}))
}

pub(super) fn content(dialect: &Dialect<'_>, speech: &Speech) -> Vec<Bytes> {
    let mut out = Vec::new();
    if let Some(thinking) = &speech.thinking {
        out.extend(
            pieces(thinking).into_iter().map(|piece| delta(dialect, &json!({"reasoning_content": piece}))),
        );
    }
    out.extend(speech.words.iter().map(|word| delta(dialect, &json!({"content": word}))));
    let call = |index: usize, function: Value, id: Option<String>| {
        let mut call = json!({"index": index, "function": function});
        if let (Some(id), Some(call)) = (id, call.as_object_mut()) {
            call.insert("id".to_owned(), Value::from(id));
            call.insert("type".to_owned(), Value::from("function"));
        }
        delta(dialect, &json!({"tool_calls": [call]}))
    };
    // All calls are opened before the arguments follow, interleaved: the order real servers may use.
    for (index, (name, _)) in speech.calls.iter().enumerate() {
        out.push(call(index, json!({"name": name, "arguments": ""}), Some(dialect.call_id(index))));
    }
    for (index, (_, arguments)) in speech.calls.iter().enumerate() {
        let text = arguments.to_string();
        out.extend(pieces(&text).into_iter().map(|piece| call(index, json!({"arguments": piece}), None)));
    }
    out
}

pub(super) fn tail(dialect: &Dialect<'_>, has_calls: bool, words: usize) -> Bytes {
    let finish = Value::from(if has_calls { "tool_calls" } else { "stop" });
    let mut out = chunk(dialect, &json!({}), &finish);
    let (model, usage) = (Value::from(dialect.model), usage(dialect.prompt_tokens, words));
    let written = write!(
        out,
        "data: {{\"id\":\"{ID}\",\"object\":\"chat.completion.chunk\",\"created\":{CREATED},\"model\":{model},\
         \"choices\":[],\"usage\":{usage}}}\n\ndata: [DONE]\n\n"
    );
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    Bytes::from(out)
}

fn usage(prompt: usize, words: usize) -> Value {
    json!({"prompt_tokens": prompt, "completion_tokens": words, "total_tokens": prompt + words})
}

pub(super) fn whole(dialect: &Dialect<'_>, speech: &Speech) -> Value {
    let call = |(n, (name, arguments)): (usize, &(String, Value))| {
        json!({"id": dialect.call_id(n), "type": "function",
               "function": {"name": name, "arguments": arguments.to_string()}})
    };
    let mut message = json!({"role": "assistant", "content": speech.words.concat()});
    if let (Some(message), false) = (message.as_object_mut(), speech.calls.is_empty()) {
        message.insert("tool_calls".to_owned(), speech.calls.iter().enumerate().map(call).collect());
    }
    let finish = if speech.calls.is_empty() { "stop" } else { "tool_calls" };
    json!({"id": ID, "object": "chat.completion", "created": CREATED, "model": dialect.model,
           "choices": [{"index": 0, "message": message, "finish_reason": finish}],
           "usage": usage(dialect.prompt_tokens, speech.words.len())})
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let (kind, code) = match status {
        401 => ("invalid_request_error", Value::from("invalid_api_key")),
        429 => ("requests", Value::from("rate_limit_exceeded")),
        500..=599 => ("server_error", Value::Null),
        _ => ("invalid_request_error", Value::Null),
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}
