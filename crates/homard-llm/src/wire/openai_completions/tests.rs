//! Orders of speaking that only some servers accept.

use std::sync::Arc;

use homard_protocol::Message;
use serde_json::{Value, json};

use crate::call::request::Request;
use crate::spec::{InputKind, ModelSpec};
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
