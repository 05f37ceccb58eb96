//! The table of what is refused.

use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::check;

fn verdict(body: &Value) -> String {
    let mut headers = HeaderMap::new();
    headers.insert("x-goog-api-key", HeaderValue::from_static("k"));
    check(body, &headers).err().unwrap_or_default()
}

#[test]
fn requests_are_judged() {
    let user = json!({"role": "user", "parts": [{"text": "hi"}]});
    let call = json!({"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]});
    let result = json!({"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "x"}}}]});
    let tool = |parameters: Value| json!({"contents": [user], "tools": [{"functionDeclarations": [{"name": "t", "parameters": parameters}]}]});
    let one = |schema: Value| tool(json!({"type": "object", "properties": {"a": schema}}));
    let rows = [
        (json!({"contents": [user, call, result]}), ""),
        (json!({"contents": []}), "not specified"),
        (json!({"contents": [user], "mood": "good"}), "mood"),
        (json!({"contents": [user, user]}), "alternate"),
        (json!({"contents": [call, result]}), "alternate"),
        (json!({"contents": [user, call, user]}), "function response"),
        (json!({"contents": [user, call]}), "nobody answered"),
        (json!({"contents": [{"role": "user", "parts": []}]}), "must not be empty"),
        (json!({"contents": [{"role": "user", "parts": [{"text": " "}]}]}), "must not be empty"),
        (json!({"contents": [{"role": "user", "parts": [{"text": "a", "inlineData": {}}]}]}), "exactly one"),
        (
            json!({"contents": [{"role": "user", "parts": [{"text": "a", "thoughtSignature": "x"}]}]}),
            "not allowed",
        ),
        (tool(json!({"type": "object", "properties": {}})), "non-empty"),
        (one(json!({"type": "string"})), ""),
        (one(json!({})), "type: must be specified"),
        (one(json!({"type": "string", "minLength": 1})), "minLength"),
        (one(json!({"type": "array"})), "items: missing"),
        (one(json!({"type": "integer", "enum": [1]})), "STRING"),
        (one(json!({"type": "object", "properties": {}, "required": ["b"]})), "not defined: b"),
    ];
    for (body, part) in rows {
        let verdict = verdict(&body);
        assert!(verdict.contains(part) && verdict.is_empty() == part.is_empty(), "{body}: {verdict}");
    }
    assert!(check(&json!({"contents": [user]}), &HeaderMap::new()).is_err());
}
