//! The table of what is refused.

use http::HeaderMap;
use serde_json::{Value, json};

use crate::fake_llm::dialect::Api;
use crate::fake_llm::strict::check;

/// What is said to this input.
fn said(input: &Value) -> String {
    let body = json!({"model": "m", "store": false, "input": input});
    check(Api::Responses, &body, &HeaderMap::new()).err().unwrap_or_default()
}

#[test]
fn inputs_are_judged() {
    let user = json!({"role": "user", "content": [{"type": "input_text", "text": "hi"}]});
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"});
    let call =
        json!({"type": "function_call", "id": "fc_1", "call_id": "a", "name": "read", "arguments": "{}"});
    let result = json!({"type": "function_call_output", "call_id": "a", "output": "ok"});
    let with = |item: &Value, key: &str, value: Value| {
        let mut item = item.clone();
        item[key] = value;
        item
    };
    let rows = [
        (json!("hi"), ""),
        (json!([user, thought, call, result]), ""),
        (json!([]), "input"),
        (json!(7), "input"),
        (json!([{"role": "robot", "content": "x"}]), "robot"),
        (json!([{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}]), "input_text"),
        (json!([{"role": "user", "content": [{"type": "input_image", "image_url": "aGk="}]}]), "input_image"),
        (json!([{"role": "assistant", "id": "m", "content": "x"}]), "msg_"),
        (json!([user, result]), "No tool call found"),
        (json!([user, call]), "No tool output found"),
        (json!([user, call, call]), "duplicate"),
        (json!([with(&call, "id", json!("x")), result]), "fc_"),
        (json!([with(&call, "arguments", json!({})), result]), "arguments"),
        (json!([with(&call, "call_id", json!("")), result]), "call ids"),
        (json!([call, with(&result, "output", json!(1))]), "output"),
        (json!([thought]), "required following"),
        (json!([thought, user]), "required following"),
        (json!([with(&thought, "encrypted_content", Value::Null), call, result]), "not persisted"),
        (json!([with(&thought, "status", Value::Null), call, result]), "status"),
        (json!([with(&thought, "summary", Value::Null), call, result]), "summary"),
        (json!([{"type": "song"}]), "song"),
    ];
    for (input, part) in rows {
        let said = said(&input);
        assert!(said.contains(part) && said.is_empty() == part.is_empty(), "{input}: {said}");
    }
}

#[test]
fn frames_are_judged() {
    let tool = json!({"type": "function", "name": "read", "parameters": {}, "strict": false});
    let rows = [
        ("tools", json!([tool]), ""),
        ("tools", json!([{"type": "function", "name": "a b", "parameters": {}, "strict": false}]), "name"),
        ("tools", json!([{"type": "function", "name": "read", "parameters": {}}]), "strict"),
        ("reasoning", json!({"effort": "high", "summary": "auto"}), ""),
        ("reasoning", json!({"effort": "off"}), "effort"),
        ("include", json!(["everything"]), "include"),
        ("max_output_tokens", json!(15), "max_output_tokens"),
        ("prompt_cache_key", json!("x".repeat(65)), "prompt_cache_key"),
        ("prompt_cache_key", json!(1), "prompt_cache_key"),
        ("instructions", json!(["x"]), "instructions"),
        ("messages", json!([]), "messages"),
    ];
    for (key, value, part) in rows {
        let mut body = json!({"model": "m", "store": false, "input": "hi"});
        body[key] = value;
        let said = check(Api::Responses, &body, &HeaderMap::new()).err().unwrap_or_default();
        assert!(said.contains(part) && said.is_empty() == part.is_empty(), "{body}: {said}");
    }
}
