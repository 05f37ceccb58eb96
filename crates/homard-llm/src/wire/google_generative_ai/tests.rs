//! Recorded-looking streams and the requests that answer them.

use std::sync::Arc;

use homard_protocol::{AssistantBlock, Message, ModelId, StopReason};
use proptest::prelude::{prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::thinking::config;
use crate::call::request::{Request, ThinkingLevel, ToolSpec};
use crate::error::FailReason;
use crate::spec::{InputKind, ModelSpec};
use crate::wire::tests::{replay, replay_cut, request};
use crate::wire::{GOOGLE_GENERATIVE_AI, Wire, find};

fn wire() -> &'static Wire {
    find(GOOGLE_GENERATIVE_AI).unwrap()
}

fn model(id: &str) -> ModelSpec {
    let mut model = ModelSpec::clone(&request(GOOGLE_GENERATIVE_AI).model);
    model.id = ModelId::parse(id).unwrap();
    model.reasoning = true;
    model
}

#[test]
fn addresses_name_the_model() {
    let rows = [
        (
            "https://generativelanguage.googleapis.com/v1beta/",
            "gemini-2.5-pro",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
        ),
        (
            "https://generativelanguage.googleapis.com",
            "models/gemini-2.5-pro",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
        ),
        (
            "http://127.0.0.1:1/x",
            "a/b?c",
            "http://127.0.0.1:1/x/models/a%2Fb%3Fc:streamGenerateContent?alt=sse",
        ),
    ];
    for (base, id, expected) in rows {
        assert_eq!(wire().endpoint(base, &model(id)), expected);
    }
}

#[test]
fn streams_are_read() {
    let rows = [
        (
            r#"data: {"candidates":[{"content":{"parts":[{"text":"hi"}],"role":"model"},"index":0}]}"#,
            "text hi",
        ),
        (
            r#"data: {"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"},{"text":"b"}]}}]}"#,
            "think hm; text a; text b",
        ),
        (r#"data: {"candidates":[{"content":{"role":"model"}}],"modelVersion":"x"}"#, ""),
        (r#"data: {"candidates":[{"content":{"parts":[{"executableCode":{"code":"1"}},{"text":""}]}}]}"#, ""),
        (r#"data: {"candidates":[]}"#, ""),
        (r#"data: {"candidates":null,"promptFeedback":{}}"#, ""),
        (
            r#"data: {"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":2,"thoughtsTokenCount":5,"totalTokenCount":17}}"#,
            "usage 6 7 4 0 17",
        ),
        (
            r#"data: {"usageMetadata":{"promptTokenCount":-1,"candidatesTokenCount":"many"}}"#,
            "usage 0 0 0 0 0",
        ),
        (
            r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":{"k":1}}},{"functionCall":{"id":"theirs","name":"y"}}]},"finishReason":"STOP"}]}"#,
            "start 0 call_0_0 x; delta 0 {\"k\":1}; call call_0_0 x {\"k\":1}; start 1 theirs y; call theirs y {}",
        ),
        (
            "data: [{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]},{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}]}]",
            "text a; text b",
        ),
    ];
    for (stream, expected) in rows {
        assert_eq!(replay(wire(), stream).unwrap(), expected, "{stream}");
    }
}

#[test]
fn what_goes_wrong_has_a_reason() {
    let finish = |reason: &str| format!(r#"data: {{"candidates":[{{"finishReason":"{reason}"}}]}}"#);
    let rows = [
        (finish("SAFETY"), FailReason::ContentFilter),
        (finish("RECITATION"), FailReason::ContentFilter),
        (finish("BLOCKLIST"), FailReason::ContentFilter),
        (finish("PROHIBITED_CONTENT"), FailReason::ContentFilter),
        (finish("MALFORMED_FUNCTION_CALL"), FailReason::Format),
        (finish("OTHER"), FailReason::Unknown),
        (r#"data: {"promptFeedback":{"blockReason":"SAFETY"}}"#.to_owned(), FailReason::ContentFilter),
        (r#"data: {"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}"#.to_owned(), FailReason::RateLimit),
        (r#"data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#.to_owned(), FailReason::Overloaded),
        (r#"data: [{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#.to_owned(), FailReason::Auth),
        ("data: {half".to_owned(), FailReason::Format),
        (r#"data: {"candidates":7}"#.to_owned(), FailReason::Format),
    ];
    for (stream, expected) in rows {
        assert_eq!(replay(wire(), &stream).unwrap_err().reason, expected, "{stream}");
    }
    for (reason, expected) in
        [("MAX_TOKENS", StopReason::Length), ("STOP", StopReason::Stop), ("NEW_REASON", StopReason::Stop)]
    {
        let stream = format!(
            r#"data: {{"candidates":[{{"content":{{"parts":[{{"text":"a"}}]}},"finishReason":"{reason}"}}]}}"#
        );
        assert_eq!(replay_cut(wire(), stream.as_bytes(), 0).1.stop_reason, expected, "{reason}");
    }
}

const SIGNED: &str = concat!(
    r#"data: {"candidates":[{"content":{"parts":[{"text":"let me ","thought":true}]}}]}"#,
    "\r\n\r\n",
    r#"data: {"candidates":[{"content":{"parts":[{"text":"see","thought":true}]}}]}"#,
    "\r\n\r\n",
    r#"data: {"candidates":[{"content":{"parts":[{"text":"Réading "}]}}]}"#,
    "\r\n\r\n",
    r#"data: {"candidates":[{"content":{"parts":[{"text":"two."},{"text":"","thoughtSignature":"T1"}]}}]}"#,
    "\r\n\r\n",
    r#"data: {"candidates":[{"content":{"parts":[{"text":"More.","thoughtSignature":"T2"},{"text":"Rest."}]}}]}"#,
    "\r\n\r\n",
    r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"path":"a"}},"thoughtSignature":"C1"}]}}]}"#,
    "\r\n\r\n",
    r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"path":"b"}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7}}"#,
    "\r\n\r\n",
);

#[test]
fn signatures_stay_with_what_they_sign() {
    let (_, message) = replay_cut(wire(), SIGNED.as_bytes(), 0);
    let told: Vec<String> = message
        .content
        .iter()
        .map(|block| match block {
            AssistantBlock::Text { text, text_signature } => format!("{text} {text_signature:?}"),
            AssistantBlock::Thinking { thinking, thinking_signature } => {
                format!("({thinking}) {thinking_signature:?}")
            }
            AssistantBlock::ToolCall(call) => format!("{} {:?}", call.arguments, call.thought_signature),
        })
        .collect();
    assert_eq!(
        told,
        [
            "(let me see) None",
            "Réading two. Some(\"T1\")",
            "More. Some(\"T2\")",
            "Rest. None",
            "{\"path\":\"a\"} Some(\"C1\")",
            "{\"path\":\"b\"} None",
        ]
    );
}

proptest! {
    #[test]
    fn where_a_stream_is_cut_does_not_matter(at in 0..SIGNED.len()) {
        let (whole, cut) = (replay_cut(wire(), SIGNED.as_bytes(), 0), replay_cut(wire(), SIGNED.as_bytes(), at));
        prop_assert_eq!(whole, cut);
    }
}

/// A conversation with `id`, in which the model of the stream above has spoken.
fn answering(id: &str, provider: &str) -> Request {
    let (_, mut said) = replay_cut(wire(), SIGNED.as_bytes(), 0);
    said.model = id.to_owned();
    said.provider = provider.to_owned();
    let result = |n: usize, text: &str| {
        let call = said.tool_calls().nth(n).unwrap().id.to_string();
        json!({"role": "toolResult", "toolCallId": call, "toolName": "read", "timestamp": 1,
               "content": [{"type": "text", "text": text}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]})
    };
    let mut messages = vec![
        json!({"role": "user", "content": "read both", "timestamp": 1}),
        json!(Message::Assistant(said.clone())),
    ];
    messages.extend([
        result(1, "two"),
        result(0, "one"),
        json!({"role": "user", "content": "thanks", "timestamp": 1}),
    ]);
    let mut model = model(id);
    model.input = vec![InputKind::Text, InputKind::Image];
    let read = |value| Arc::new(serde_json::from_value::<Message>(value).unwrap());
    Request {
        model: Arc::new(model),
        messages: messages.into_iter().map(read).collect(),
        ..request(GOOGLE_GENERATIVE_AI)
    }
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&wire().body(request).unwrap()).unwrap()
}

#[test]
fn the_model_gets_its_own_signatures_back() {
    let contents = body(&answering("gemini-3-flash", "p"))["contents"].clone();
    assert_eq!(
        contents,
        json!([
        {"role": "user", "parts": [{"text": "read both"}]},
        {"role": "model", "parts": [
            {"thought": true, "text": "let me see"},
            {"text": "Réading two.", "thoughtSignature": "T1"},
            {"text": "More.", "thoughtSignature": "T2"},
            {"text": "Rest."},
            {"functionCall": {"name": "read", "args": {"path": "a"}}, "thoughtSignature": "C1"},
            {"functionCall": {"name": "read", "args": {"path": "b"}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "read", "response": {"output": "one"}}},
            {"functionResponse": {"name": "read", "response": {"output": "two"}}},
            {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
            {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
            {"text": "thanks"}]}])
    );
}

#[test]
fn another_model_gets_none_of_them() {
    let older = body(&answering("gemini-2.5-pro", "other"))["contents"].to_string();
    assert!(!older.contains("thoughtSignature") && !older.contains("let me see"), "{older}");
    // The newer generation wants something in the place of a signature it never gave.
    let newer = body(&answering("gemini-3-pro", "other"))["contents"][1]["parts"].clone();
    let signatures: Vec<&Value> =
        newer.as_array().unwrap().iter().filter_map(|part| part.get("thoughtSignature")).collect();
    assert_eq!(signatures, ["skip_thought_signature_validator"]);
}

#[test]
fn thinking_is_asked_for_as_each_generation_wants() {
    let rows = [
        ("gemini-3-pro", ThinkingLevel::Off, json!({"thinkingLevel": "LOW"})),
        ("gemini-3-pro", ThinkingLevel::Medium, json!({"includeThoughts": true, "thinkingLevel": "HIGH"})),
        ("gemini-3-flash", ThinkingLevel::Off, json!({"thinkingLevel": "MINIMAL"})),
        (
            "gemini-3-flash",
            ThinkingLevel::Medium,
            json!({"includeThoughts": true, "thinkingLevel": "MEDIUM"}),
        ),
        ("gemini-2.5-pro", ThinkingLevel::Off, json!({"thinkingBudget": 128})),
        ("gemini-2.5-pro", ThinkingLevel::XHigh, json!({"includeThoughts": true, "thinkingBudget": 32_768})),
        ("gemini-2.5-flash", ThinkingLevel::Off, json!({"thinkingBudget": 0})),
        ("gemini-2.5-flash", ThinkingLevel::Low, json!({"includeThoughts": true, "thinkingBudget": 2_048})),
        ("gemini-2.5-flash", ThinkingLevel::High, json!({"includeThoughts": true, "thinkingBudget": 24_576})),
    ];
    for (id, level, expected) in rows {
        assert_eq!(
            serde_json::to_value(config(&model(id), level, None)).unwrap(),
            expected,
            "{id} {level:?}"
        );
    }
    let short =
        serde_json::to_value(config(&model("gemini-2.5-flash"), ThinkingLevel::High, Some(4_096))).unwrap();
    assert_eq!(short["thinkingBudget"], 3_072);
    assert_eq!(config(&request(GOOGLE_GENERATIVE_AI).model, ThinkingLevel::High, None), None);
}

#[test]
fn tools_are_cleaned_and_empty_ones_take_nothing() {
    let mut request = request(GOOGLE_GENERATIVE_AI);
    let tool = |parameters: Value| ToolSpec {
        name: "t".to_owned(),
        description: "d".to_owned(),
        parameters: parameters.into(),
    };
    request.tools = Arc::from([
        tool(json!({})),
        tool(json!({"properties": {"a": {"const": "x", "minLength": 1}}, "additionalProperties": false})),
    ]);
    assert_eq!(
        body(&request)["tools"],
        json!([{"functionDeclarations": [
        {"name": "t", "description": "d"},
        {"name": "t", "description": "d", "parameters": {"type": "object", "properties": {"a": {"type": "string", "enum": ["x"]}}}}]}])
    );
}
