//! The table of what is refused.

use http::HeaderMap;
use serde_json::json;

use crate::fake_llm::dialect::Api;
use crate::fake_llm::strict::check;

#[test]
fn requests_are_judged() {
    let user = json!({"role": "user", "content": "hi", "images": ["aGk="]});
    let call = json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "read", "arguments": {}}}]});
    let result = json!({"role": "tool", "tool_name": "read", "content": "ok"});
    let rows = [
        (
            json!({"messages": [user, call, result], "think": true, "options": {"num_ctx": 8, "top_p": 0.5}}),
            "",
        ),
        (json!({"messages": [user], "think": "high", "stream": false}), ""),
        (json!({"messages": []}), "at least one"),
        (json!({"messages": [{"role": "developer", "content": "x"}]}), "developer"),
        (json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}), "content"),
        (
            json!({"messages": [{"role": "user", "content": "x", "images": ["data:image/png;base64,aGk="]}]}),
            "base64",
        ),
        (json!({"messages": [user, result]}), "not called"),
        (json!({"messages": [user, call, user]}), "without a result"),
        (json!({"messages": [user, call]}), "without a result"),
        (
            json!({"messages": [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "x", "arguments": "{}"}}]}]}),
            "object",
        ),
        (json!({"messages": [user], "think": "hard"}), "think"),
        (json!({"messages": [user], "stream": "yes"}), "stream"),
        (json!({"messages": [user], "options": {"num_ctx": 1.5}}), "num_ctx"),
        (json!({"messages": [user], "options": {"max_tokens": 5}}), "max_tokens"),
        (json!({"messages": [user], "max_tokens": 5}), "max_tokens"),
        (json!({"messages": [user], "tools": [{"type": "function", "function": {"name": "a b"}}]}), "name"),
    ];
    for (mut body, part) in rows {
        body["model"] = json!("m");
        let said = check(Api::Ollama, &body, &HeaderMap::new()).err().unwrap_or_default();
        assert!(said.contains(part) && said.is_empty() == part.is_empty(), "{body}: {said}");
    }
}
