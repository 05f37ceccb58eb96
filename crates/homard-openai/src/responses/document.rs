//! A response as a document, whole or in the making.

use homard_llm::Sampling;
use homard_protocol::{StopReason, ToolCall, Usage};
use homard_relay::{ProgramTool, RunEnd};
use serde_json::{Map, Value, json};

/// What every state of a response has.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) id: String,
    pub(super) created_at: i64,
    pub(super) model: String,
    pub(super) instructions: Option<String>,
    pub(super) metadata: Option<Map<String, Value>>,
    pub(super) previous: Option<String>,
    pub(super) max_output_tokens: Option<u32>,
    pub(super) tool_choice: Option<Value>,
    pub(super) tools: Vec<ProgramTool>,
    pub(super) sampling: Sampling,
}

impl Head {
    /// The response in a state.
    pub(super) fn document(&self, status: &str, output: &[Value]) -> Value {
        let tools: Vec<Value> = self
            .tools
            .iter()
            .map(|tool| {
                json!({"type": "function", "name": tool.name, "description": tool.description,
                    "parameters": tool.parameters, "strict": false})
            })
            .collect();
        json!({
            "id": self.id,
            "object": "response",
            "created_at": self.created_at,
            "status": status,
            "model": self.model,
            "output": output,
            "error": null,
            "incomplete_details": null,
            "instructions": self.instructions,
            "max_output_tokens": self.max_output_tokens,
            "metadata": self.metadata.clone().unwrap_or_default(),
            "parallel_tool_calls": true,
            "previous_response_id": self.previous,
            "temperature": self.sampling.temperature,
            "top_p": self.sampling.top_p,
            "tool_choice": self.tool_choice.clone().unwrap_or_else(|| json!("auto")),
            "tools": tools,
            "usage": null,
        })
    }

    /// The id of the one message a response has.
    pub(super) fn message_id(&self) -> String {
        self.id.replacen("resp_", "msg_", 1)
    }
}

/// Whether the answer was cut at the wanted length.
pub(super) fn is_cut(end: &RunEnd) -> bool {
    end.outcome.calls().is_empty() && end.outcome.model_stopped() == Some(StopReason::Length)
}

/// A finished response.
pub(super) fn finished(head: &Head, end: &RunEnd) -> Value {
    let text = end.reply.clone().filter(|text| !text.is_empty());
    let text = text.or_else(|| end.outcome.calls().is_empty().then(String::new));
    let message = text.map(|text| message(&head.message_id(), &text, item_status(end)));
    let calls = end.outcome.calls().iter().map(|call| function_call(call, "completed"));
    let output: Vec<Value> = message.into_iter().chain(calls).collect();
    closed(head, end, &output)
}

/// The last state of a response with this output.
pub(super) fn closed(head: &Head, end: &RunEnd, output: &[Value]) -> Value {
    let cut = is_cut(end);
    let mut document = head.document(if cut { "incomplete" } else { "completed" }, output);
    if let Some(fields) = document.as_object_mut() {
        fields.insert("usage".to_owned(), usage(&end.outcome.usage()));
        if cut {
            fields.insert("incomplete_details".to_owned(), json!({"reason": "max_output_tokens"}));
        }
    }
    document
}

pub(super) fn item_status(end: &RunEnd) -> &'static str {
    if is_cut(end) { "incomplete" } else { "completed" }
}

pub(super) fn message(id: &str, text: &str, status: &str) -> Value {
    json!({"type": "message", "id": id, "role": "assistant", "status": status, "content": [part(text)]})
}

pub(super) fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}

pub(super) fn function_call(call: &ToolCall, status: &str) -> Value {
    let arguments = if status == "in_progress" { String::new() } else { call.arguments.to_string() };
    json!({
        "type": "function_call",
        "id": format!("fc_{}", call.id),
        "call_id": call.id,
        "name": call.name,
        "arguments": arguments,
        "status": status,
    })
}

fn usage(usage: &Usage) -> Value {
    let input = usage.prompt_tokens();
    json!({
        "input_tokens": input,
        "output_tokens": usage.output,
        "total_tokens": input.saturating_add(usage.output),
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
        // Providers count thinking among the words; how much of them it was is not known.
        "output_tokens_details": {"reasoning_tokens": 0},
    })
}
