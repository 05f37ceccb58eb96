//! How OpenAI responses spell an answer: items that are announced, grow and are repeated whole.

use bytes::Bytes;
use serde_json::{Value, json};

use super::dialect::{Dialect, pieces, with};
use super::script::Speech;

const CREATED: u64 = 1_700_000_000;
/// What a real server would encrypt reasoning to.
const ENCRYPTED: &str = "gAAAA_fake";
/// The number of the last event; those before it count up from 0 and stay below.
const LAST: u64 = u32::MAX as u64;

/// Events in the making: every one is numbered.
#[derive(Debug)]
struct Writer {
    number: u64,
    out: Vec<Bytes>,
}

impl Writer {
    fn new(number: u64) -> Self {
        Self { number, out: Vec::new() }
    }

    fn event(&mut self, kind: &str, mut data: Value) -> String {
        if let Some(data) = data.as_object_mut() {
            data.insert("type".to_owned(), Value::from(kind));
            data.insert("sequence_number".to_owned(), Value::from(self.number));
        }
        self.number += 1;
        format!("event: {kind}\ndata: {data}\n\n")
    }

    /// One delta per piece; the first brings what comes before it, so that opening is no piece of its own.
    fn deltas<'a>(
        &mut self,
        opening: String,
        kind: &str,
        place: &Value,
        texts: impl Iterator<Item = &'a str>,
    ) {
        let mut before = opening;
        for text in texts {
            let event = self.event(kind, with(place.clone(), "delta", text));
            self.out.push(Bytes::from(std::mem::take(&mut before) + &event));
        }
        if !before.is_empty() {
            self.out.push(Bytes::from(before));
        }
    }

    /// Adds to the last piece.
    fn append(&mut self, text: &str) {
        if let Some(last) = self.out.last_mut() {
            *last = Bytes::from([last, text.as_bytes()].concat());
        }
    }

    fn added(&mut self, index: usize, item: &Value) -> String {
        self.event("response.output_item.added", json!({"output_index": index, "item": item}))
    }

    fn done(&mut self, index: usize, item: &Value) {
        let event = self.event("response.output_item.done", json!({"output_index": index, "item": item}));
        self.append(&event);
    }
}

fn response(dialect: &Dialect<'_>, status: &str, output: &Value, usage: &Value) -> Value {
    json!({"id": format!("resp_fake{:06}", dialect.number), "object": "response", "created_at": CREATED,
           "status": status, "error": null, "incomplete_details": null, "model": dialect.model,
           "output": output, "store": false, "usage": usage})
}

fn usage(prompt: usize, words: usize) -> Value {
    json!({"input_tokens": prompt, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": words,
           "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": prompt + words})
}

fn reasoning(dialect: &Dialect<'_>, thinking: Option<&str>) -> Value {
    let id = format!("rs_fake{:06}", dialect.number);
    match thinking {
        None => json!({"id": id, "type": "reasoning", "summary": []}),
        Some(text) => json!({"id": id, "type": "reasoning", "encrypted_content": ENCRYPTED,
                             "summary": [{"type": "summary_text", "text": text}]}),
    }
}

fn message_id(dialect: &Dialect<'_>) -> String {
    format!("msg_fake{:06}", dialect.number)
}

fn message(dialect: &Dialect<'_>, text: Option<&str>) -> Value {
    let part = |text| json!({"type": "output_text", "text": text, "annotations": []});
    let status = if text.is_some() { "completed" } else { "in_progress" };
    json!({"id": message_id(dialect), "type": "message", "role": "assistant", "status": status,
           "content": text.map(part).into_iter().collect::<Vec<_>>()})
}

fn call(dialect: &Dialect<'_>, n: usize, name: &str, arguments: Option<&str>) -> Value {
    let status = if arguments.is_some() { "completed" } else { "in_progress" };
    json!({"id": call_item(dialect, n), "type": "function_call", "call_id": dialect.call_id(n), "name": name,
           "arguments": arguments.unwrap_or_default(), "status": status})
}

fn call_item(dialect: &Dialect<'_>, n: usize) -> String {
    format!("fc_fake{:06}_{n}", dialect.number)
}

pub(super) fn head(dialect: &Dialect<'_>) -> Bytes {
    let mut writer = Writer::new(0);
    let response = response(dialect, "in_progress", &json!([]), &Value::Null);
    let created = writer.event("response.created", json!({"response": response}));
    Bytes::from(created + &writer.event("response.in_progress", json!({"response": response})))
}

pub(super) fn content(dialect: &Dialect<'_>, speech: &Speech) -> Vec<Bytes> {
    let mut writer = open(dialect, speech);
    let mut index = usize::from(speech.thinking.is_some());
    if !speech.words.is_empty() {
        let text = speech.words.concat();
        let place = json!({"item_id": message_id(dialect), "output_index": index, "content_index": 0});
        let data = with(place.clone(), "text", text.as_str());
        let text_done = writer.event("response.output_text.done", data);
        let part = json!({"type": "output_text", "text": text, "annotations": []});
        let part_done = writer.event("response.content_part.done", with(place, "part", part));
        writer.append(&(text_done + &part_done));
        writer.done(index, &message(dialect, Some(&text)));
        index += 1;
    }
    for (n, (name, arguments)) in speech.calls.iter().enumerate() {
        let text = arguments.to_string();
        let opening = writer.added(index, &call(dialect, n, name, None));
        let place = json!({"item_id": call_item(dialect, n), "output_index": index});
        writer.deltas(opening, "response.function_call_arguments.delta", &place, pieces(&text).into_iter());
        let data = with(place, "arguments", text.as_str());
        let done = writer.event("response.function_call_arguments.done", data);
        writer.append(&done);
        writer.done(index, &call(dialect, n, name, Some(&text)));
        index += 1;
    }
    writer.out
}

/// Reasoning, closed, and the message, still open.
pub(super) fn open_content(dialect: &Dialect<'_>, speech: &Speech) -> Vec<Bytes> {
    open(dialect, speech).out
}

fn open(dialect: &Dialect<'_>, speech: &Speech) -> Writer {
    let mut writer = Writer::new(2);
    let mut index = 0;
    if let Some(thinking) = &speech.thinking {
        let item = reasoning(dialect, None);
        let place = json!({"item_id": item.get("id"), "output_index": index, "summary_index": 0});
        let data = with(place.clone(), "part", json!({"type": "summary_text", "text": ""}));
        let opening =
            writer.added(index, &item) + &writer.event("response.reasoning_summary_part.added", data);
        writer.deltas(opening, "response.reasoning_summary_text.delta", &place, pieces(thinking).into_iter());
        let data = with(place, "text", thinking.as_str());
        let done = writer.event("response.reasoning_summary_text.done", data);
        writer.append(&done);
        writer.done(index, &reasoning(dialect, Some(thinking)));
        index += 1;
    }
    if !speech.words.is_empty() {
        let place = json!({"item_id": message_id(dialect), "output_index": index, "content_index": 0});
        let part = json!({"type": "output_text", "text": "", "annotations": []});
        let data = with(place.clone(), "part", part);
        let opening =
            writer.added(index, &message(dialect, None)) + &writer.event("response.content_part.added", data);
        writer.deltas(opening, "response.output_text.delta", &place, speech.words.iter().map(String::as_str));
    }
    writer
}

/// The real server repeats the whole answer here; callers that listened do not need it.
pub(super) fn tail(dialect: &Dialect<'_>, words: usize) -> Bytes {
    let response = response(dialect, "completed", &json!([]), &usage(dialect.prompt_tokens, words));
    Bytes::from(Writer::new(LAST).event("response.completed", json!({"response": response})))
}

pub(super) fn whole(dialect: &Dialect<'_>, speech: &Speech) -> Value {
    let mut output = Vec::new();
    output.extend(speech.thinking.as_deref().map(|thinking| reasoning(dialect, Some(thinking))));
    if !speech.words.is_empty() {
        output.push(message(dialect, Some(&speech.words.concat())));
    }
    for (n, (name, arguments)) in speech.calls.iter().enumerate() {
        output.push(call(dialect, n, name, Some(&arguments.to_string())));
    }
    let usage = usage(dialect.prompt_tokens, speech.words.len());
    response(dialect, "completed", &Value::from(output), &usage)
}
