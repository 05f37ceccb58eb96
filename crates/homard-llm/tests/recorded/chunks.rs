//! The smallest streams each API can send, part by part, for tests that make them hostile and benchmarks
//! that make them long. A new API is a new arm in each function here.

use serde_json::{Value, json};

/// A part of an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    /// What comes before the first word.
    Open,
    Text(&'a str),
    /// A whole call, the `n`th of the answer; the arguments need not be JSON.
    Call {
        n: usize,
        id: &'a str,
        name: &'a str,
        arguments: &'a str,
    },
    /// The end, with a count of tokens where the API has one.
    Close {
        tokens: i64,
    },
    /// A document of a kind nobody knows.
    Raw(&'a str),
}

/// The part as the API sends it.
pub(crate) fn bytes(api: &str, part: Part<'_>) -> Vec<u8> {
    match (api, part) {
        ("bedrock-converse-stream", Part::Raw(text)) => frame("fromTheFuture", text),
        ("ollama", Part::Raw(text)) => format!("{text}\n").into_bytes(),
        (_, Part::Raw(text)) => format!("data: {text}\n\n").into_bytes(),
        ("bedrock-converse-stream", part) => {
            bedrock(part).iter().flat_map(|(kind, event)| frame(kind, &event.to_string())).collect()
        }
        ("ollama", part) => ollama(part).iter().flat_map(|event| format!("{event}\n").into_bytes()).collect(),
        ("anthropic-messages", part) => sse(&anthropic(part), ""),
        ("google-generative-ai", part) => sse(&google(part), ""),
        ("google-gemini-cli", part) => {
            let enveloped: Vec<_> =
                google(part).into_iter().map(|event| json!({"response": event})).collect();
            sse(&enveloped, "")
        }
        ("openai-responses", part) => sse(&responses(part), ""),
        ("openai-completions", part) => {
            let done = if matches!(part, Part::Close { .. }) { "data: [DONE]\n\n" } else { "" };
            sse(&completions(part), done)
        }
        (api, _) => panic!("`{api}` has no stream here yet"),
    }
}

fn sse(events: &[Value], after: &str) -> Vec<u8> {
    let mut text = String::new();
    for event in events {
        text.push_str("data: ");
        text.push_str(&event.to_string());
        text.push_str("\n\n");
    }
    text.push_str(after);
    text.into_bytes()
}

/// A binary frame around one event.
pub(crate) fn frame(kind: &str, payload: &str) -> Vec<u8> {
    let mut headers = Vec::new();
    for (name, value) in [(":message-type", "event"), (":event-type", kind)] {
        headers.push(u8::try_from(name.len()).unwrap());
        headers.extend_from_slice(name.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let total = u32::try_from(headers.len() + payload.len() + 16).unwrap();
    let mut out = Vec::with_capacity(headers.len() + payload.len() + 16);
    out.extend_from_slice(&total.to_be_bytes());
    out.extend_from_slice(&u32::try_from(headers.len()).unwrap().to_be_bytes());
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out.extend_from_slice(&headers);
    out.extend_from_slice(payload.as_bytes());
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out
}

/// Arguments for APIs that send them as a document; what is none is sent as text.
fn document(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments))
}

fn anthropic(part: Part<'_>) -> Vec<Value> {
    match part {
        Part::Open => vec![
            json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
                   "content": [], "usage": {"input_tokens": 3, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ],
        Part::Text(text) => vec![
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        ],
        Part::Call { n, id, name, arguments } => vec![
            json!({"type": "content_block_start", "index": n + 1,
                   "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}),
            json!({"type": "content_block_delta", "index": n + 1,
                   "delta": {"type": "input_json_delta", "partial_json": arguments}}),
            json!({"type": "content_block_stop", "index": n + 1}),
        ],
        Part::Close { tokens } => vec![
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": tokens}}),
            json!({"type": "message_stop"}),
        ],
        Part::Raw(_) => Vec::new(),
    }
}

fn completions(part: Part<'_>) -> Vec<Value> {
    let delta = |delta: Value| {
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
               "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
    };
    match part {
        Part::Open => vec![delta(json!({"role": "assistant", "content": ""}))],
        Part::Text(text) => vec![delta(json!({"content": text}))],
        Part::Call { n, id, name, arguments } => vec![
            delta(json!({"tool_calls": [{"index": n, "id": id, "type": "function",
                                         "function": {"name": name, "arguments": ""}}]})),
            delta(json!({"tool_calls": [{"index": n, "function": {"arguments": arguments}}]})),
        ],
        Part::Close { tokens } => vec![
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": tokens}}),
        ],
        Part::Raw(_) => Vec::new(),
    }
}

fn responses(part: Part<'_>) -> Vec<Value> {
    match part {
        Part::Open => vec![
            json!({"type": "response.created", "sequence_number": 0, "response": {"id": "resp_1", "status": "in_progress"}}),
            json!({"type": "response.output_item.added", "output_index": 0,
                   "item": {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []}}),
            json!({"type": "response.content_part.added", "item_id": "msg_1", "output_index": 0, "content_index": 0,
                   "part": {"type": "output_text", "text": "", "annotations": []}}),
        ],
        Part::Text(text) => {
            vec![json!({"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0,
                          "content_index": 0, "sequence_number": 9, "delta": text})]
        }
        Part::Call { n, id, name, arguments } => {
            let item = |arguments: &str, status: &str| {
                json!({"type": "function_call", "id": format!("fc_{n}"), "call_id": id, "name": name,
                       "arguments": arguments, "status": status})
            };
            let at = n + 1;
            vec![
                json!({"type": "response.output_item.added", "output_index": at, "item": item("", "in_progress")}),
                json!({"type": "response.function_call_arguments.delta", "item_id": format!("fc_{n}"),
                       "output_index": at, "delta": arguments}),
                json!({"type": "response.function_call_arguments.done", "item_id": format!("fc_{n}"),
                       "output_index": at, "arguments": arguments}),
                json!({"type": "response.output_item.done", "output_index": at, "item": item(arguments, "completed")}),
            ]
        }
        Part::Close { tokens } => {
            vec![json!({"type": "response.completed", "response": {"id": "resp_1", "status": "completed",
                        "usage": {"input_tokens": 3, "output_tokens": tokens}}})]
        }
        Part::Raw(_) => Vec::new(),
    }
}

fn google(part: Part<'_>) -> Vec<Value> {
    let parts =
        |parts: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]});
    match part {
        Part::Open => vec![parts(json!([{"text": ""}]))],
        Part::Text(text) => vec![parts(json!([{"text": text}]))],
        Part::Call { id, name, arguments, .. } => {
            vec![parts(json!([{"functionCall": {"id": id, "name": name, "args": document(arguments)}}]))]
        }
        Part::Close { tokens } => vec![json!({"candidates": [{"finishReason": "STOP", "index": 0}],
                   "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": tokens}})],
        Part::Raw(_) => Vec::new(),
    }
}

fn ollama(part: Part<'_>) -> Vec<Value> {
    let said = |message: Value| json!({"model": "m", "created_at": "t", "message": message, "done": false});
    match part {
        Part::Open => Vec::new(),
        Part::Text(text) => vec![said(json!({"role": "assistant", "content": text}))],
        Part::Call { name, arguments, .. } => vec![said(json!({"role": "assistant", "content": "",
            "tool_calls": [{"function": {"name": name, "arguments": document(arguments)}}]}))],
        Part::Close { tokens } => {
            vec![json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true,
            "done_reason": "stop", "prompt_eval_count": 3, "eval_count": tokens})]
        }
        Part::Raw(_) => Vec::new(),
    }
}

fn bedrock(part: Part<'_>) -> Vec<(&'static str, Value)> {
    match part {
        Part::Open => vec![("messageStart", json!({"role": "assistant"}))],
        Part::Text(text) => {
            vec![("contentBlockDelta", json!({"contentBlockIndex": 0, "delta": {"text": text}}))]
        }
        Part::Call { n, id, name, arguments } => vec![
            (
                "contentBlockStart",
                json!({"contentBlockIndex": n + 1, "start": {"toolUse": {"toolUseId": id, "name": name}}}),
            ),
            (
                "contentBlockDelta",
                json!({"contentBlockIndex": n + 1, "delta": {"toolUse": {"input": arguments}}}),
            ),
            ("contentBlockStop", json!({"contentBlockIndex": n + 1})),
        ],
        Part::Close { tokens } => vec![
            ("messageStop", json!({"stopReason": "end_turn"})),
            ("metadata", json!({"usage": {"inputTokens": 3, "outputTokens": tokens}})),
        ],
        Part::Raw(_) => Vec::new(),
    }
}
