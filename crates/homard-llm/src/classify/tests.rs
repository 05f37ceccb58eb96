//! The table of how providers say what went wrong. Bodies have the shape of real ones, in our own words.

use proptest::prelude::{any, prop, proptest};

use super::{classify, looks_like_html, web_page};
use crate::error::FailReason;

#[test]
fn what_providers_say_becomes_one_reason() {
    use FailReason::{
        Auth, Billing, ContentFilter, ContextOverflow, Format, ModelNotFound, Overloaded, RateLimit, Timeout,
        Unknown,
    };
    let rows = [
        (
            401,
            r#"{"error":{"message":"The key you gave is not right.","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            Auth,
        ),
        (401, r#"{"type":"error","error":{"type":"authentication_error","message":"bad x-api-key"}}"#, Auth),
        (403, r#"{"error":{"message":"Your region may not use this.","code":"unsupported_country"}}"#, Auth),
        (401, "", Auth),
        (
            429,
            r#"{"error":{"message":"You ran past your quota, look at your plan and billing.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            Billing,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low for this."}}"#,
            Billing,
        ),
        (402, r#"{"error":{"code":402,"message":"This needs more credits."}}"#, Billing),
        (
            429,
            r#"{"error":{"message":"Rate limit reached for tokens per min.","type":"tokens","code":"rate_limit_exceeded"}}"#,
            RateLimit,
        ),
        (429, r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#, RateLimit),
        (
            429,
            r#"{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"m is rate-limited upstream\"}}","provider_name":"X"}}}"#,
            RateLimit,
        ),
        (429, r#"[{"error":{"code":429,"message":"try later","status":"RESOURCE_EXHAUSTED"}}]"#, RateLimit),
        (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Overloaded),
        (503, "upstream unavailable", Overloaded),
        (500, r#"{"error":{"message":"Something broke on our side.","type":"server_error"}}"#, Overloaded),
        (502, "<html><head><title>Bad Gateway</title></head></html>", Overloaded),
        (504, "", Timeout),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens, you sent 9000.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            ContextOverflow,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            ContextOverflow,
        ),
        (
            413,
            r#"{"type":"error","error":{"type":"request_too_large","message":"too big"}}"#,
            ContextOverflow,
        ),
        (500, r#"{"error":{"message":"the request exceeds the available context size"}}"#, ContextOverflow),
        (400, r#"{"error":{"message":"Filtered.","code":"content_filter"}}"#, ContentFilter),
        (403, r#"{"error":{"code":403,"message":"Your input was flagged"}}"#, ContentFilter),
        (
            404,
            r#"{"error":{"message":"The model `gpt-9` does not exist or is not yours.","code":"model_not_found"}}"#,
            ModelNotFound,
        ),
        (
            404,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}"#,
            ModelNotFound,
        ),
        (404, r#"{"error":"model \"llama9\" not found, try pulling it first"}"#, ModelNotFound),
        (400, r#"{"error":{"code":400,"message":"x/y is not a valid model ID"}}"#, ModelNotFound),
        (404, "404 page not found", Format),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1: tool_use ids need results"}}"#,
            Format,
        ),
        (422, r#"{"detail":"field required"}"#, Format),
        (307, "", Format),
        (418, "", Format),
        (200, r#"{"error":{"message":"odd"}}"#, Unknown),
    ];
    for (status, body, expected) in rows {
        let error = classify(Some(status), body.as_bytes(), &[]);
        assert_eq!(error.reason, expected, "{status} {body}");
        assert_eq!(error.status, Some(status));
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

proptest! {
    #[test]
    fn no_body_makes_it_panic(status in any::<Option<u16>>(), body in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(classify(status, &body, &["key"]));
        drop(web_page(200, &body));
    }
}
