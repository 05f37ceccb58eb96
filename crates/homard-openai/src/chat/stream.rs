//! An answer in pieces.

use bytes::Bytes;
use homard_relay::RunEnd;
use serde_json::{Value, json};

use super::{Head, call, finish, usage};
use crate::refusal::ApiError;
use crate::run::{Teller, data};

/// Tells a run as chunks.
pub(super) struct ChatTeller {
    head: Head,
    include_usage: bool,
}

impl ChatTeller {
    pub(super) fn new(head: Head, include_usage: bool) -> Self {
        Self { head, include_usage }
    }

    fn chunk(&self, choices: &Value, cost: Option<&Value>) -> Bytes {
        let Head { id, created, model } = &self.head;
        let mut chunk = json!({
            "id": id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": model,
            "choices": choices,
        });
        if let (true, Some(fields)) = (self.include_usage, chunk.as_object_mut()) {
            fields.insert("usage".to_owned(), cost.cloned().unwrap_or_default());
        }
        data(&chunk)
    }

    fn delta(&self, delta: &Value, finish: Option<&str>) -> Bytes {
        self.chunk(&json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]), None)
    }
}

impl Teller for ChatTeller {
    fn begin(&mut self) -> Vec<Bytes> {
        vec![self.delta(&json!({"role": "assistant", "content": ""}), None)]
    }

    fn text(&mut self, text: String) -> Vec<Bytes> {
        vec![self.delta(&json!({"content": text}), None)]
    }

    fn end(&mut self, end: &RunEnd) -> Vec<Bytes> {
        let mut last = Vec::new();
        for (index, one) in end.outcome.calls().iter().enumerate() {
            let mut one = call(one);
            if let Some(fields) = one.as_object_mut() {
                fields.insert("index".to_owned(), json!(index));
            }
            last.push(self.delta(&json!({"tool_calls": [one]}), None));
        }
        last.push(self.delta(&json!({}), Some(finish(end))));
        if self.include_usage {
            last.push(self.chunk(&json!([]), Some(&usage(&end.outcome.usage()))));
        }
        last
    }

    fn fail(&mut self, error: &ApiError) -> Vec<Bytes> {
        vec![data(&json!({"error": error.object()}))]
    }
}
