//! The table of how providers say what went wrong, one line each; where rows are from is in the streams' README.

use std::collections::BTreeMap;

use homard_runtime::millis;
use proptest::prelude::{any, prop, prop_assert, proptest};
use serde::Deserialize;

use super::{classify, looks_like_html, web_page};
use crate::error::{FailReason, MAX_MESSAGE};

const RECORDED: &str = include_str!("../../tests/recorded/errors.jsonl");

/// One recorded refusal. What the headers mean is tested over sockets, in `tests/calls`.
#[derive(Deserialize)]
struct Row {
    provider: String,
    status: Option<u16>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: String,
    reason: String,
    wait_ms: Option<u64>,
}

fn rows() -> impl Iterator<Item = Row> {
    RECORDED.lines().map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn what_providers_say_becomes_one_reason() {
    let mut wrong = Vec::new();
    for row in rows() {
        let Row { provider, status, headers, body, reason, wait_ms } = row;
        let page = status.filter(|_| looks_like_html(body.as_bytes()));
        let kind =
            headers.get("x-amzn-errortype").and_then(|kind| kind.split(':').next()).unwrap_or_default();
        let error = match page {
            Some(status) => web_page(status, body.as_bytes()),
            None => super::classify_named(status, kind, body.as_bytes(), &[]),
        };
        assert_eq!(error.status, status, "{body}");
        let from_header = headers.keys().any(|name| name.contains("reset"));
        let wait = error.retry_after.map(millis);
        if error.reason.as_str() != reason || (!from_header && wait != wait_ms) {
            wrong
                .push(format!("{provider} {status:?} {body}\n  is {} after {wait:?}", error.reason.as_str()));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows().count(), wrong.join("\n"));
}

#[test]
fn the_table_is_large_and_covers_every_reason_a_server_can_give() {
    use FailReason::{
        Auth, Billing, ContentFilter, ContextOverflow, Format, ModelNotFound, Overloaded, RateLimit, Timeout,
    };
    assert!(rows().count() >= 120);
    for reason in
        [Auth, Billing, RateLimit, Overloaded, Timeout, ContextOverflow, ContentFilter, Format, ModelNotFound]
    {
        let providers = rows().filter(|row| row.reason == reason.as_str()).count();
        assert!(providers >= 8, "{reason:?} has {providers} rows");
    }
}

#[test]
fn errors_inside_a_stream_have_no_status() {
    let body = br#"{"type":"error","error":{"type":"overloaded_error","message":"Busy"}}"#;
    let error = classify(None, body, &[]);
    assert_eq!(
        (error.reason, error.message.as_str()),
        (FailReason::Overloaded, "the provider reported an error: Busy")
    );
}

#[test]
fn an_echoed_key_is_scrubbed() {
    let error =
        classify(Some(401), br#"{"error":{"message":"no such key my-own-key-1"}}"#, &["my-own-key-1"]);
    assert_eq!(error.message, "the provider answered 401: no such key ••••");
}

#[test]
fn a_web_page_is_named_by_its_title() {
    let error = web_page(200, b"<!DOCTYPE html><title> Sign\n in </title>");
    assert_eq!(error.reason, FailReason::Format);
    assert!(error.message.contains("titled \"Sign in\""), "{}", error.message);
    assert!(looks_like_html(b"\n <HTML>"));
    assert!(!looks_like_html(b"data: <html>"));
}

#[test]
fn errors_wrapped_too_deep_end_in_the_status() {
    let mut body = r#"{"message":"insufficient balance"}"#.to_owned();
    for _ in 0..9 {
        body = serde_json::json!({ "error": body }).to_string();
    }
    assert_eq!(classify(Some(500), body.as_bytes(), &[]).reason, FailReason::Overloaded);
    let nested = "[".repeat(100_000);
    assert_eq!(classify(Some(500), nested.as_bytes(), &[]).reason, FailReason::Overloaded);
}

proptest! {
    #[test]
    fn no_body_makes_it_panic(status in any::<Option<u16>>(), body in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(classify(status, &body, &["key"]));
        drop(web_page(200, &body));
    }

    #[test]
    fn no_message_is_long_or_tells_a_secret(
        status in any::<Option<u16>>(),
        secret in "[A-Za-z0-9_-]{8,40}",
        before in any::<String>(),
        after in ".{0,600}",
        shape in 0..5_usize,
    ) {
        let said = format!("{before}{secret} {after}");
        let body = match shape {
            0 => serde_json::json!({"error": {"message": said, "code": secret}}).to_string(),
            1 => serde_json::json!({"error": {"message": "x", "metadata": {"raw": said}}}).to_string(),
            2 => serde_json::json!([{"detail": [{"msg": said}]}]).to_string(),
            3 => serde_json::json!({"error": serde_json::json!({"message": said}).to_string()}).to_string(),
            _ => said,
        };
        let error = classify(status, body.as_bytes(), &[&secret]);
        prop_assert!(!error.message.contains(&secret), "{}", error.message);
        prop_assert!(error.message.chars().count() <= MAX_MESSAGE + 1, "{}", error.message.len());
    }
}
