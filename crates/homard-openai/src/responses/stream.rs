//! A response told as it happens.

use bytes::Bytes;
use homard_protocol::ToolCall;
use homard_relay::RunEnd;
use serde_json::{Value, json};

use super::document::{Head, closed, function_call, is_cut, item_status, message, part};
use crate::refusal::ApiError;
use crate::run::{Teller, event};

/// Tells a run as events of a response.
pub(super) struct ResponseTeller {
    head: Head,
    /// What was said, once something was.
    text: Option<String>,
    output: Vec<Value>,
    sequence: u64,
}

impl ResponseTeller {
    pub(super) fn new(head: Head) -> Self {
        Self { head, text: None, output: Vec::new(), sequence: 0 }
    }

    fn event(&mut self, name: &str, mut fields: Value) -> Bytes {
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("type".to_owned(), json!(name));
            fields.insert("sequence_number".to_owned(), json!(self.sequence));
        }
        self.sequence += 1;
        event(name, &fields)
    }

    fn open_message(&mut self) -> Vec<Bytes> {
        let id = self.head.message_id();
        let item =
            json!({"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []});
        let place = json!({"item_id": id, "output_index": 0, "content_index": 0, "part": part("")});
        vec![
            self.event("response.output_item.added", json!({"output_index": 0, "item": item})),
            self.event("response.content_part.added", place),
        ]
    }

    fn close_message(&mut self, status: &str) -> Vec<Bytes> {
        let Some(text) = self.text.clone() else { return Vec::new() };
        let id = self.head.message_id();
        let item = message(&id, &text, status);
        let place = |rest: (&str, Value)| {
            let mut fields = json!({"item_id": id, "output_index": 0, "content_index": 0});
            if let Some(fields) = fields.as_object_mut() {
                fields.insert(rest.0.to_owned(), rest.1);
            }
            fields
        };
        let closing = vec![
            self.event("response.output_text.done", place(("text", json!(text)))),
            self.event("response.content_part.done", place(("part", part(&text)))),
            self.event("response.output_item.done", json!({"output_index": 0, "item": item})),
        ];
        self.output.push(item);
        closing
    }

    fn call(&mut self, call: &ToolCall) -> Vec<Bytes> {
        let at = self.output.len();
        let (open, done) = (function_call(call, "in_progress"), function_call(call, "completed"));
        let id = done.get("id").cloned().unwrap_or_default();
        let arguments = call.arguments.to_string();
        self.output.push(done.clone());
        vec![
            self.event("response.output_item.added", json!({"output_index": at, "item": open})),
            self.event(
                "response.function_call_arguments.delta",
                json!({"item_id": id, "output_index": at, "delta": arguments}),
            ),
            self.event(
                "response.function_call_arguments.done",
                json!({"item_id": id, "output_index": at, "name": call.name, "arguments": arguments}),
            ),
            self.event("response.output_item.done", json!({"output_index": at, "item": done})),
        ]
    }
}

impl Teller for ResponseTeller {
    fn begin(&mut self) -> Vec<Bytes> {
        let document = json!({"response": self.head.document("in_progress", &[])});
        vec![self.event("response.created", document.clone()), self.event("response.in_progress", document)]
    }

    fn text(&mut self, text: String) -> Vec<Bytes> {
        let mut told = if self.text.is_none() { self.open_message() } else { Vec::new() };
        let delta =
            json!({"item_id": self.head.message_id(), "output_index": 0, "content_index": 0, "delta": text});
        told.push(self.event("response.output_text.delta", delta));
        self.text.get_or_insert_default().push_str(&text);
        told
    }

    fn end(&mut self, end: &RunEnd) -> Vec<Bytes> {
        let mut told = Vec::new();
        if self.text.is_none() && end.outcome.calls().is_empty() {
            told.extend(self.open_message());
            self.text = Some(String::new());
        }
        told.extend(self.close_message(item_status(end)));
        for call in end.outcome.calls() {
            told.extend(self.call(call));
        }
        let document = closed(&self.head, end, &self.output);
        let name = if is_cut(end) { "response.incomplete" } else { "response.completed" };
        told.push(self.event(name, json!({"response": document})));
        told
    }

    fn fail(&mut self, error: &ApiError) -> Vec<Bytes> {
        let mut told = self.close_message("incomplete");
        let mut document = self.head.document("failed", &self.output);
        if let Some(fields) = document.as_object_mut() {
            let error = json!({"code": "server_error", "message": error.to_string()});
            fields.insert("error".to_owned(), error);
        }
        told.push(self.event("response.failed", json!({"response": document})));
        told
    }
}
