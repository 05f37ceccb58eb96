//! The table of what is refused.

use http::HeaderMap;
use serde_json::{Value, json};

use super::{Api, check};

fn verdict(api: Api, body: &Value) -> String {
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-version", http::HeaderValue::from_static("2023-06-01"));
    check(api, body, &headers).err().unwrap_or_default()
}

#[test]
fn openai_requests_are_judged() {
    let user = json!({"role": "user", "content": "hi"});
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}]});
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "ok"});
    let rows = [
        (json!({"model": "m", "messages": [user, call, result]}), ""),
        (json!({"messages": [user]}), "model"),
        (json!({"model": "m", "messages": []}), "at least one"),
        (json!({"model": "m", "messages": [{"role": "robot", "content": "x"}]}), "robot"),
        (json!({"model": "m", "messages": [user, result]}), "must follow"),
        (json!({"model": "m", "messages": [user, call, user]}), "did not have response"),
        (json!({"model": "m", "messages": [user, call]}), "without a result"),
        (json!({"model": "m", "messages": [user], "mood": "good"}), "mood"),
        (json!({"model": "m", "messages": [{"role": "user", "content": [{"type": "video"}]}]}), "video"),
        (
            json!({"model": "m", "messages": [user], "tools": [{"type": "function", "function": {"name": "a b"}}]}),
            "valid name",
        ),
    ];
    for (body, part) in rows {
        let verdict = verdict(Api::OpenAi, &body);
        assert!(verdict.contains(part) && verdict.is_empty() == part.is_empty(), "{body}: {verdict}");
    }
}

#[test]
fn anthropic_requests_are_judged() {
    let user = json!({"role": "user", "content": "hi"});
    let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {}}]});
    let result =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}]});
    let rows = [
        (json!({"model": "m", "max_tokens": 9, "messages": [user, call, result]}), ""),
        (json!({"model": "m", "messages": [user]}), "max_tokens"),
        (json!({"model": "m", "max_tokens": 9, "messages": [call, result]}), "first message"),
        (json!({"model": "m", "max_tokens": 9, "messages": [user, call, user]}), "without tool_result"),
        (json!({"model": "m", "max_tokens": 9, "messages": [user, result]}), "unexpected tool_use_id"),
        (json!({"model": "m", "max_tokens": 9, "messages": [{"role": "system", "content": "x"}]}), "role"),
        (
            json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]}),
            "non-empty",
        ),
        (
            json!({"model": "m", "max_tokens": 2000, "thinking": {"type": "enabled", "budget_tokens": 2000}, "messages": [user]}),
            "budget",
        ),
        (
            json!({"model": "m", "max_tokens": 2000, "thinking": {"type": "enabled", "budget_tokens": 1024}, "messages": [user, call, result]}),
            "Expected `thinking`",
        ),
        (
            json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": vec![
                json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}); 5]}]}),
            "maximum of 4",
        ),
        (
            json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": "aGk="}}]}]}),
            "media_type",
        ),
    ];
    for (body, part) in rows {
        let verdict = verdict(Api::Anthropic, &body);
        assert!(verdict.contains(part) && verdict.is_empty() == part.is_empty(), "{body}: {verdict}");
    }
    assert!(
        check(Api::Anthropic, &json!({"model": "m", "max_tokens": 9, "messages": [user]}), &HeaderMap::new())
            .is_err()
    );
}
