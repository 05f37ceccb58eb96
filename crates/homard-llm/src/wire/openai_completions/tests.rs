//! Orders of speaking that only some servers accept.

use std::sync::Arc;

use homard_protocol::Message;
use serde_json::{Value, json};

use crate::call::request::{Request, ThinkingLevel};
use crate::spec::{Compat, InputKind, ModelSpec, ThinkingFormat};
use crate::wire::find;
use crate::wire::tests::request;

const API: &str = "openai-completions";

fn roles(base_url: &str, messages: &[Value]) -> Vec<String> {
    let plain = request(API);
    let mut spec = ModelSpec::clone(&plain.model);
    spec.compat = spec.compat.resolved(base_url);
    spec.input.push(InputKind::Image);
    let read = |value: &Value| Arc::new(serde_json::from_value::<Message>(value.clone()).unwrap());
    let messages = messages.iter().map(read).collect();
    let request = Request { model: Arc::new(spec), messages, ..plain };
    let body: Value = serde_json::from_slice(&find(API).unwrap().body(&request).unwrap()).unwrap();
    body["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_model_speaks_between_a_tool_and_a_person_where_the_server_insists() {
    let user = json!({"role": "user", "content": "hi", "timestamp": 1});
    let call = json!({"role": "assistant", "timestamp": 1, "content": [
        {"type": "toolCall", "id": "a", "name": "read", "arguments": {}}]});
    let result = |content: Value| json!({"role": "toolResult", "toolCallId": "a", "toolName": "read", "content": content, "timestamp": 1});
    let text = result(json!([{"type": "text", "text": "x"}]));
    let picture = result(json!([{"type": "image", "data": "aGk=", "mimeType": "image/png"}]));
    let rows = [
        ("https://api.mistral.ai/v1", &text, vec!["user", "assistant", "tool", "assistant", "user"]),
        (
            "https://api.mistral.ai/v1",
            &picture,
            vec!["user", "assistant", "tool", "assistant", "user", "user"],
        ),
        ("https://api.openai.com/v1", &text, vec!["user", "assistant", "tool", "user"]),
    ];
    for (base_url, result, expected) in rows {
        let messages = [user.clone(), call.clone(), result.clone(), user.clone()];
        assert_eq!(roles(base_url, &messages), expected, "{base_url}");
    }
}

/// A request of a thinking model to a server that differs so.
fn asked_of(change: fn(&mut Compat)) -> Value {
    let plain = request(API);
    let mut spec = ModelSpec::clone(&plain.model);
    change(&mut spec.compat);
    spec.compat = spec.compat.resolved("https://models.example/v1");
    spec.reasoning = true;
    let thought = json!([{"type": "thinking", "thinking": "hm", "thinkingSignature": "reasoning_content"},
        {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {}}]);
    let messages = [
        json!({"role": "user", "content": "hi", "timestamp": 1}),
        json!({"role": "assistant", "timestamp": 1, "provider": "p", "model": "m", "content": thought}),
        json!({"role": "toolResult", "toolCallId": "call_1", "toolName": "read", "timestamp": 1,
            "content": [{"type": "text", "text": "x"}]}),
    ];
    let read = |value: &Value| Arc::new(serde_json::from_value::<Message>(value.clone()).unwrap());
    let request = Request {
        model: Arc::new(spec),
        system: Arc::from("be brief"),
        messages: messages.iter().map(read).collect(),
        thinking: ThinkingLevel::High,
        ..plain
    };
    serde_json::from_slice(&find(API).unwrap().body(&request).unwrap()).unwrap()
}

#[test]
fn what_the_owner_says_of_a_server_is_how_it_is_asked() {
    type Row = (fn(&mut Compat), &'static str, Value, Value);
    let rows: [Row; 8] = [
        (|c| c.supports_developer_role = Some(true), "/messages/0/role", json!("system"), json!("developer")),
        (|c| c.supports_reasoning_effort = Some(false), "/reasoning_effort", json!("high"), json!(null)),
        (
            |c| c.supports_usage_in_streaming = Some(false),
            "/stream_options",
            json!({"include_usage": true}),
            json!(null),
        ),
        (
            |c| c.thinking_format = Some(ThinkingFormat::Zai),
            "/thinking",
            json!(null),
            json!({"type": "enabled"}),
        ),
        (|c| c.thinking_format = Some(ThinkingFormat::Qwen), "/enable_thinking", json!(null), json!(true)),
        (|c| c.requires_tool_result_name = Some(true), "/messages/3/name", json!(null), json!("read")),
        (|c| c.requires_thinking_as_text = Some(true), "/messages/2/content", json!(null), json!("hm")),
        (|c| c.supports_store = Some(true), "/store", json!(null), json!(false)),
    ];
    let usual = asked_of(|_| {});
    for (change, place, before, after) in rows {
        let at = |body: &Value| body.pointer(place).cloned().unwrap_or_default();
        assert_eq!((at(&usual), at(&asked_of(change))), (before, after), "{place}");
    }
    let id = |body: &Value| body["messages"][3]["tool_call_id"].as_str().unwrap().to_owned();
    let nine = id(&asked_of(|c| c.requires_mistral_tool_ids = Some(true)));
    assert_eq!((id(&usual).as_str(), nine.len()), ("call_1", 9));
    assert!(nine.chars().all(char::is_alphanumeric), "{nine}");
}
