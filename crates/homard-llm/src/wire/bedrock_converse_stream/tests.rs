//! Recorded-looking streams in their frames, and the requests that answer them.

use std::sync::Arc;

use homard_protocol::{AssistantBlock, Message, ModelId, StopReason};
use proptest::prelude::{prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::family::Family;
use crate::call::request::{Request, ThinkingLevel, ToolSpec};
use crate::error::{FailReason, LlmError};
use crate::spec::{InputKind, ModelSpec};
use crate::transport::event_stream::tests::{event, frame};
use crate::wire::tests::{replay_cut, request};
use crate::wire::{BEDROCK_CONVERSE_STREAM, Wire, find};

const CLAUDE: &str = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";

fn wire() -> &'static Wire {
    find(BEDROCK_CONVERSE_STREAM).unwrap()
}

fn model(id: &str) -> ModelSpec {
    let mut model = ModelSpec::clone(&request(BEDROCK_CONVERSE_STREAM).model);
    model.id = ModelId::parse(id).unwrap();
    model.reasoning = true;
    model.input = vec![InputKind::Text, InputKind::Image, InputKind::Document];
    model
}

fn frames(events: &[(&str, &str)]) -> Vec<u8> {
    events.iter().flat_map(|(kind, payload)| event(kind, payload)).collect()
}

fn told(events: &[(&str, &str)]) -> String {
    replay_cut(wire(), &frames(events), 0).0
}

fn failure(bytes: &[u8]) -> LlmError {
    wire().replay(&request(BEDROCK_CONVERSE_STREAM), bytes).unwrap_err()
}

#[test]
fn addresses_hold_whole_resource_names() {
    let base = "https://bedrock-runtime.eu-central-1.amazonaws.com/";
    assert_eq!(
        wire().endpoint(base, &model(CLAUDE)),
        "https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream"
    );
    let profile = model("arn:aws:bedrock:eu-central-1:1:inference-profile/x");
    assert!(wire().endpoint("http://h", &profile).ends_with("%3A1%3Ainference-profile%2Fx/converse-stream"));
}

#[test]
fn streams_are_read() {
    let rows: [(&[(&str, &str)], &str); 7] = [
        (&[("messageStart", r#"{"p":"abc","role":"assistant"}"#)], ""),
        (
            &[
                ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"text":"a"}}"#),
                ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"text":"b"}}"#),
            ],
            "text a; text b",
        ),
        (
            &[
                (
                    "contentBlockStart",
                    r#"{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t","name":"x"}}}"#,
                ),
                ("contentBlockDelta", r#"{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"k\""}}}"#),
                ("contentBlockDelta", r#"{"contentBlockIndex":1,"delta":{"toolUse":{"input":":1}"}}}"#),
                ("contentBlockStop", r#"{"contentBlockIndex":1}"#),
            ],
            "start 0 t x; delta 0 {\"k\"; delta 0 :1}; call t x {\"k\":1}",
        ),
        (
            &[(
                "metadata",
                r#"{"usage":{"inputTokens":5,"outputTokens":1,"cacheReadInputTokens":7,"cacheWriteInputTokens":3,"totalTokens":16},"metrics":{"latencyMs":9}}"#,
            )],
            "usage 5 1 7 3 16",
        ),
        (&[("metadata", r#"{"usage":{"inputTokens":-5,"outputTokens":"x"}}"#)], "usage 0 0 0 0 0"),
        (
            &[
                ("fromTheFuture", "not even json"),
                ("contentBlockStart", r#"{"contentBlockIndex":0,"start":{"image":{}}}"#),
            ],
            "",
        ),
        (
            &[
                ("contentBlockDelta", r#"{"contentBlockIndex":4,"delta":{"toolUse":{"input":"lost"}}}"#),
                ("contentBlockStop", "{}"),
            ],
            "",
        ),
    ];
    for (events, expected) in rows {
        assert_eq!(told(events), expected, "{events:?}");
    }
}

#[test]
fn why_it_stopped_is_understood() {
    let stopped = |reason: &str| frames(&[("messageStop", &format!(r#"{{"stopReason":"{reason}"}}"#))]);
    let rows = [
        ("end_turn", StopReason::Stop),
        ("stop_sequence", StopReason::Stop),
        ("from_the_future", StopReason::Stop),
        ("tool_use", StopReason::ToolUse),
        ("max_tokens", StopReason::Length),
        ("model_context_window_exceeded", StopReason::Length),
    ];
    for (reason, expected) in rows {
        assert_eq!(replay_cut(wire(), &stopped(reason), 0).1.stop_reason, expected, "{reason}");
    }
    let rows = [
        ("guardrail_intervened", FailReason::ContentFilter),
        ("content_filtered", FailReason::ContentFilter),
        ("malformed_tool_use", FailReason::Format),
    ];
    for (reason, expected) in rows {
        assert_eq!(failure(&stopped(reason)).reason, expected, "{reason}");
    }
}

#[test]
fn exceptions_inside_streams_are_classified() {
    let rows = [
        (
            "throttlingException",
            r#"{"message":"Too many tokens, please wait before trying again."}"#,
            FailReason::RateLimit,
            Some(429),
        ),
        (
            "modelStreamErrorException",
            r#"{"message":"The model broke.","originalStatusCode":500}"#,
            FailReason::Overloaded,
            Some(424),
        ),
        ("internalServerException", r#"{"message":"x"}"#, FailReason::Overloaded, Some(500)),
        (
            "serviceUnavailableException",
            r#"{"message":"Bedrock is unable to process your request."}"#,
            FailReason::Overloaded,
            Some(503),
        ),
        ("modelTimeoutException", "{}", FailReason::Timeout, Some(408)),
        (
            "accessDeniedException",
            r#"{"message":"You don't have access to the model"}"#,
            FailReason::Auth,
            Some(403),
        ),
        (
            "validationException",
            r#"{"message":"The text field in the ContentBlock is blank."}"#,
            FailReason::Format,
            Some(400),
        ),
        (
            "validationException",
            r#"{"message":"Input is too long for requested model."}"#,
            FailReason::ContextOverflow,
            Some(400),
        ),
    ];
    for (kind, payload, expected, status) in rows {
        let error =
            failure(&frame(&[(":message-type", "exception"), (":exception-type", kind)], payload.as_bytes()));
        assert_eq!((error.reason, error.status), (expected, status), "{kind}: {error}");
    }
    let unknown = failure(&frame(
        &[(":message-type", "error"), (":error-code", "Odd"), (":error-message", "no idea")],
        b"",
    ));
    assert!(unknown.message.contains("no idea"), "{unknown}");
    assert_eq!(failure(&event("messageStop", "{half")).reason, FailReason::Format);
    assert_eq!(failure(b"data: {\"choices\":[]}\n\n").reason, FailReason::Format);
}

fn thought() -> Vec<u8> {
    frames(&[
        ("messageStart", r#"{"role":"assistant"}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"let me "}}}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"sée"}}}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"S"}}}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":0}"#),
        (
            "contentBlockDelta",
            r#"{"contentBlockIndex":1,"delta":{"reasoningContent":{"redactedContent":"aGlkZGVu"}}}"#,
        ),
        ("contentBlockStop", r#"{"contentBlockIndex":1}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":2,"delta":{"text":"Reading."}}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":2}"#),
        (
            "contentBlockStart",
            r#"{"contentBlockIndex":3,"start":{"toolUse":{"toolUseId":"t1","name":"read"}}}"#,
        ),
        ("contentBlockDelta", r#"{"contentBlockIndex":3,"delta":{"toolUse":{"input":"{\"path\":\"a\"}"}}}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":3}"#),
        ("messageStop", r#"{"stopReason":"tool_use"}"#),
        ("metadata", r#"{"usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3}}"#),
        ("messageStart", "after the end nothing is read"),
    ])
}

proptest! {
    #[test]
    fn where_a_stream_is_cut_does_not_matter(at in 0..2_000_usize) {
        prop_assert_eq!(replay_cut(wire(), &thought(), 0), replay_cut(wire(), &thought(), at));
    }
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&wire().body(request).unwrap()).unwrap()
}

fn conversation(id: &str, messages: Vec<Value>) -> Request {
    let read = |value| Arc::new(serde_json::from_value::<Message>(value).unwrap());
    Request {
        model: Arc::new(model(id)),
        system: Arc::from("You are Homard."),
        messages: messages.into_iter().map(read).collect(),
        ..request(BEDROCK_CONVERSE_STREAM)
    }
}

#[test]
fn thinking_goes_back_to_the_model_that_signed_it_and_to_nobody_else() {
    let (_, mut said) = replay_cut(wire(), &thought(), 0);
    assert!(matches!(
        said.content.as_slice(),
        [
            AssistantBlock::Thinking { .. },
            AssistantBlock::Thinking { .. },
            AssistantBlock::Text { .. },
            AssistantBlock::ToolCall(_)
        ]
    ));
    said.model = CLAUDE.to_owned();
    let user = json!({"role": "user", "content": "hi", "timestamp": 1});
    let said = json!(Message::Assistant(said));
    let mut request = conversation(CLAUDE, vec![user.clone(), said.clone()]);
    request.thinking = ThinkingLevel::Low;
    let own = body(&request);
    assert_eq!(
        own["messages"][1]["content"],
        json!([
        {"reasoningContent": {"reasoningText": {"text": "let me sée", "signature": "S"}}},
        {"reasoningContent": {"redactedContent": "aGlkZGVu"}},
        {"text": "Reading."},
        {"toolUse": {"toolUseId": "t1", "name": "read", "input": {"path": "a"}}}])
    );
    // The call was never answered, and no tool is offered any more: both are mended.
    assert_eq!(own["messages"][2]["content"][0]["toolResult"]["status"], "error");
    assert_eq!(own["toolConfig"]["tools"][0]["toolSpec"]["name"], "read");
    let other = body(&conversation("amazon.nova-pro-v1:0", vec![user, said])).to_string();
    assert!(!other.contains("reasoningContent"), "{other}");
}

#[test]
fn thinking_neither_begins_nor_ends_in_the_middle_of_a_turn() {
    let user = json!({"role": "user", "content": "hi", "timestamp": 1});
    let call = json!({"type": "toolCall", "id": "t1", "name": "read", "arguments": {}});
    let thought = json!({"type": "thinking", "thinking": "hm", "thinkingSignature": "S"});
    let said = |content: Value| {
        json!({"role": "assistant", "content": content, "api": BEDROCK_CONVERSE_STREAM, "provider": "p",
               "model": CLAUDE, "stopReason": "toolUse", "timestamp": 1})
    };
    let result =
        json!({"role": "toolResult", "toolCallId": "t1", "toolName": "read", "content": [], "timestamp": 1});
    let rows = [
        (said(json!([thought, call])), ThinkingLevel::Low, true),
        (said(json!([call])), ThinkingLevel::Low, false),
        (said(json!([thought, call])), ThinkingLevel::Off, false),
    ];
    for (said, level, thinks) in rows {
        let mut request = conversation(CLAUDE, vec![user.clone(), said, result.clone()]);
        request.thinking = level;
        let body = body(&request);
        assert_eq!(body.get("additionalModelRequestFields").is_some(), thinks, "{body}");
        assert_eq!(body.to_string().contains("reasoningContent"), thinks, "{body}");
    }
}

#[test]
fn a_failed_result_is_marked_only_for_models_that_know_the_mark() {
    for (id, expected) in [(CLAUDE, 2), ("amazon.nova-pro-v1:0", 2), ("meta.llama3-3-70b-instruct-v1:0", 0)] {
        let call = |id: &str| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {}});
        let request = conversation(
            id,
            vec![
                json!({"role": "assistant", "content": [call("a"), call("b")], "timestamp": 1}),
                json!({"role": "toolResult", "toolCallId": "a", "toolName": "read", "isError": true,
                       "content": [{"type": "text", "text": "no"}], "timestamp": 1}),
            ],
        );
        assert_eq!(body(&request).to_string().matches(r#""status":"error""#).count(), expected, "{id}");
    }
}

#[test]
fn a_numbered_name_does_not_meet_a_plain_one() {
    let document =
        |name: &str| json!({"type": "document", "data": "aGk=", "mimeType": "application/pdf", "name": name});
    let all = [document("a"), document("a"), document("a (2)"), document("a")];
    let request = conversation(CLAUDE, vec![json!({"role": "user", "timestamp": 1, "content": all})]);
    let content = body(&request)["messages"][0]["content"].clone();
    let mut names: Vec<&str> = content
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|block| block.pointer("/document/name")?.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 4, "{content}");
}

#[test]
fn caches_are_marked_where_they_are_understood() {
    let rows = [
        (CLAUDE, 3),
        ("anthropic.claude-3-haiku-20240307-v1:0", 0),
        ("amazon.nova-pro-v1:0", 2),
        ("meta.llama3-3-70b-instruct-v1:0", 0),
    ];
    for (id, expected) in rows {
        let mut request = conversation(id, vec![json!({"role": "user", "content": "hi", "timestamp": 1})]);
        request.tools = Arc::from([ToolSpec {
            name: "t".to_owned(),
            description: " ".to_owned(),
            parameters: json!({}).into(),
        }]);
        let body = body(&request);
        assert_eq!(body.to_string().matches("cachePoint").count(), expected, "{id}: {body}");
        assert_eq!(
            body["toolConfig"]["tools"][0],
            json!({"toolSpec": {"name": "t", "inputSchema": {"json": {"type": "object", "properties": {}}}}})
        );
    }
}

#[test]
fn thinking_is_asked_for_where_it_is_understood() {
    let rows = [
        (CLAUDE, 8_000, json!(6_976)),
        (CLAUDE, 2_000, Value::Null),
        ("amazon.nova-pro-v1:0", 8_000, Value::Null),
    ];
    for (id, max_tokens, expected) in rows {
        let mut request = conversation(id, vec![json!({"role": "user", "content": "hi", "timestamp": 1})]);
        (request.max_tokens, request.thinking) = (Some(max_tokens), ThinkingLevel::Medium);
        let body = body(&request);
        let budget =
            body.pointer("/additionalModelRequestFields/thinking/budget_tokens").cloned().unwrap_or_default();
        assert_eq!((budget, &body["inferenceConfig"]["maxTokens"]), (expected, &json!(max_tokens)), "{id}");
    }
    let newer = "us.anthropic.claude-opus-4-7-v1";
    let mut request = conversation(newer, vec![json!({"role": "user", "content": "hi", "timestamp": 1})]);
    request.thinking = ThinkingLevel::Medium;
    assert_eq!(
        body(&request)["additionalModelRequestFields"],
        json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "medium"}})
    );
    let silent =
        body(&conversation("meta.llama3", vec![json!({"role": "user", "content": "hi", "timestamp": 1})]));
    assert!(silent.get("inferenceConfig").is_none(), "a limit nobody set is the model's own");
    assert_eq!(Family::of(&model(CLAUDE)), Family::Claude { caches: true });
}

#[test]
fn documents_have_clean_and_unique_names() {
    let document =
        |name: &str| json!({"type": "document", "data": "aGk=", "mimeType": "application/pdf", "name": name});
    let request = conversation(
        CLAUDE,
        vec![
            json!({"role": "user", "timestamp": 1, "content": [document("Qu/arterly_  report.pdf"), document("../../.."),
            {"type": "document", "data": "aGVsbG8=", "mimeType": "text/plain", "name": "a.txt"}]}),
            json!({"role": "user", "timestamp": 1, "content": [document("Qu/arterly_  report.pdf"), {"type": "image", "data": "aGk=", "mimeType": "image/tiff"}]}),
            json!({"role": "user", "timestamp": 1, "content": [{"type": "image", "data": "aGk=", "mimeType": "image/jpeg"}]}),
        ],
    );
    let content = body(&request)["messages"][0]["content"].clone();
    let names: Vec<&str> = content
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|block| block.pointer("/document/name")?.as_str())
        .collect();
    assert_eq!(names, ["Qu arterly report pdf", "document", "Qu arterly report pdf (2)"]);
    let text = content.to_string();
    assert!(text.contains("hello") && text.contains("image/tiff is not supported"), "{text}");
    assert!(text.contains(r#"{"image":{"format":"jpeg","source":{"bytes":"aGk="}}}"#), "{text}");
    let alone = body(&conversation(
        CLAUDE,
        vec![json!({"role": "user", "timestamp": 1, "content": [document("a")]})],
    ));
    assert_eq!(alone["messages"][0]["content"][1], json!({"text": "(see the document)"}));
}
