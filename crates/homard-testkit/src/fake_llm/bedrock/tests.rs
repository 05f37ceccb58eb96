//! The table of what is refused, and a signature whose value others have published.

use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{check, hex, hmac};

fn verdict(body: &Value) -> String {
    let mut headers = HeaderMap::new();
    headers.insert("authorization", HeaderValue::from_static("Bearer k"));
    check(body, &headers).err().unwrap_or_default()
}

#[test]
fn requests_are_judged() {
    let user = json!({"role": "user", "content": [{"text": "hi"}]});
    let call = json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "read", "input": {}}}]});
    let result =
        json!({"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "x"}]}}]});
    let tools =
        json!({"tools": [{"toolSpec": {"name": "read", "inputSchema": {"json": {"type": "object"}}}}]});
    let said = |block: Value| json!({"messages": [{"role": "user", "content": [block]}]});
    let offered = |spec: Value| json!({"messages": [user], "toolConfig": {"tools": [{"toolSpec": spec}]}});
    let document = json!({"document": {"format": "pdf", "name": "a", "source": {"bytes": "aGk="}}});
    let rows = [
        (json!({"messages": [user, call, result], "toolConfig": tools}), ""),
        (json!({"messages": [user, call, result]}), "toolConfig"),
        (json!({"messages": [user, call, user], "toolConfig": tools}), "Expected toolResult"),
        (json!({"messages": [user, call], "toolConfig": tools}), "without toolResult"),
        (json!({"messages": [result]}), "without toolUse"),
        (json!({"messages": []}), "must start"),
        (json!({"messages": [user, user]}), "alternate"),
        (json!({"messages": [user], "mood": 1}), "mood"),
        (said(json!({"text": " "})), "blank"),
        (said(json!({"video": {}})), "video"),
        (said(document.clone()), "text block"),
        (
            json!({"messages": [{"role": "user", "content": [document, document, {"text": "x"}]}]}),
            "duplicate",
        ),
        (offered(json!({"name": "a b"})), "name"),
        (offered(json!({"name": "a", "description": ""})), "min length"),
        (offered(json!({"name": "a", "inputSchema": {"json": {"type": "object", "anyOf": []}}})), "anyOf"),
        (
            json!({"messages": [user], "inferenceConfig": {"maxTokens": 2000},
                   "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2000}}}),
            "budget",
        ),
    ];
    for (body, part) in rows {
        let verdict = verdict(&body);
        assert!(verdict.contains(part) && verdict.is_empty() == part.is_empty(), "{body}: {verdict}");
    }
    assert!(check(&json!({"messages": [user]}), &HeaderMap::new()).is_err());
}

#[test]
fn the_arithmetic_is_the_published_one() {
    // RFC 4231, test case 2.
    assert_eq!(
        hex(&hmac(b"Jefe", b"what do ya want for nothing?")),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
    assert_eq!(hex(&Sha256::digest(b""))[..8], *"e3b0c442");
}
