//! Which limits of the HTTP endpoints hold when nothing, or nonsense, is written.

use std::time::Duration;

use serde_json::json;

use super::HttpEndpoints;

#[test]
fn nothing_is_served_until_the_owner_says_so_and_only_responses_fetch_addresses() {
    let endpoints = HttpEndpoints::resolve(serde_json::from_value(json!({})).unwrap());
    assert!(!endpoints.any());
    assert!(!endpoints.chat.images.allow_url);
    assert!(endpoints.responses.images.allow_url && endpoints.responses.files.allow_url);
    assert_eq!(endpoints.chat.max_body, 20 * 1024 * 1024);
    assert_eq!(endpoints.responses.files.max_bytes, 5 * 1024 * 1024);
}

#[test]
fn what_the_owner_writes_counts() {
    let written = json!({
        "chatCompletions": {"enabled": true, "maxBodyBytes": 100, "images": {"allowUrl": true}},
        "responses": {"files": {"allowedMimes": ["Text/Plain"], "timeoutMs": 5}},
    });
    let endpoints = HttpEndpoints::resolve(serde_json::from_value(written).unwrap());
    assert!(endpoints.any() && endpoints.chat.enabled && !endpoints.responses.enabled);
    assert_eq!(endpoints.chat.max_body, 100);
    assert!(endpoints.chat.images.allow_url);
    assert_eq!(endpoints.responses.files.kinds, ["text/plain"]);
    assert_eq!(endpoints.responses.files.timeout, Duration::from_millis(5));
}
