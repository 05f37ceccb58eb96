//! Recorded-looking streams, and the parts of a request the snapshots do not show.

use std::sync::Arc;

use homard_protocol::{AssistantBlock, Message, ModelId, StopReason};
use proptest::prelude::{any, proptest};
use serde_json::{Value, json};

use super::ENTRY;
use crate::call::request::{Request, ThinkingLevel};
use crate::spec::ModelSpec;
use crate::wire::tests::{replay, replay_cut, request};

/// An answer as the real server sends it: thinking, words, two calls, counts.
const STREAM: &str = r#"{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","thinking":"Hm, "},"done":false}
{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","thinking":"é."},"done":false}
{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"Let me "},"done":false}
{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"look. 👀","images":null},"done":false}
{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{"path":"a"}}},{"id":"call_x","function":{"index":1,"name":"read","arguments":{}}}]},"done":false}
{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"total_duration":9,"load_duration":1,"prompt_eval_count":50,"prompt_eval_cached_count":30,"prompt_eval_duration":2,"eval_count":7,"eval_duration":3}
"#;

const EXPECTED: &str = "think Hm, ; think é.; text Let me ; text look. 👀; \
    start 0 call_0_0 read; delta 0 {\"path\":\"a\"}; call call_0_0 read {\"path\":\"a\"}; \
    start 1 call_x read; delta 1 {}; call call_x read {}; usage 20 7 30 0 57";

#[test]
fn a_whole_answer_is_read() {
    let (events, message) = replay_cut(&ENTRY, STREAM.as_bytes(), 0);
    assert_eq!(events, EXPECTED);
    assert_eq!(message.stop_reason, StopReason::Stop);
    let Some(AssistantBlock::Thinking { thinking, thinking_signature }) = message.content.first() else {
        panic!("{:?}", message.content)
    };
    assert_eq!((thinking.as_str(), thinking_signature.as_deref()), ("Hm, é.", Some("thinking")));
}

#[test]
fn a_stream_that_a_proxy_calls_one_document_is_read_the_same() {
    let mut decoder = ENTRY.decoder(crate::call::answer::Draft::new(request(ENTRY.api).model, 0));
    let mut out = std::collections::VecDeque::new();
    decoder.event(crate::SseEvent { name: b"", data: STREAM.as_bytes() }, &mut out).unwrap();
    assert_eq!(decoder.draft().take(StopReason::Stop, None).text(), "Let me look. 👀");
    assert!(decoder.draft().finished && out.len() == 11, "{out:?}");
}

proptest! {
    #[test]
    fn a_stream_reads_the_same_wherever_it_is_cut(at in any::<proptest::sample::Index>()) {
        let (events, _) = replay_cut(&ENTRY, STREAM.as_bytes(), at.index(STREAM.len()));
        assert_eq!(events, EXPECTED);
    }
}

#[test]
fn single_lines_are_read() {
    let rows = [
        (r#"{"message":{"role":"assistant","content":"hi"},"done":false}"#, "text hi"),
        (r#"{"message":{"role":"assistant","content":null,"thinking":null,"tool_calls":null}}"#, ""),
        (r#"{"message":null,"something":"new"}"#, ""),
        (r#"{"status":"loading model"}"#, ""),
        (r#"{"message":{"tool_calls":[{"function":{"name":"","arguments":{}}},{}]}}"#, ""),
        (
            r#"{"message":{"tool_calls":[{"function":{"name":"x"}}]}}"#,
            "start 0 call_0_0 x; call call_0_0 x {}",
        ),
        (
            r#"{"message":{"tool_calls":[{"function":{"name":"x","arguments":"{\"k\":1}"}}]}}"#,
            r#"start 0 call_0_0 x; delta 0 "{\"k\":1}"; call call_0_0 x {"k":1}"#,
        ),
        (
            r#"{"message":{"tool_calls":[{"id":"a","function":{"name":"x"}},{"id":"a","function":{"name":"y"}}]}}"#,
            "start 0 a x; call a x {}; start 1 call_0_1 y; call call_0_1 y {}",
        ),
        (r#"{"done":true,"done_reason":"stop"}"#, ""),
        (r#"{"done":true,"prompt_eval_count":-3,"eval_count":"x"}"#, "usage 0 0 0 0 0"),
        (r#"{"done":true,"eval_count":4}"#, "usage 0 4 0 0 4"),
        (r#"{"done":true,"prompt_eval_count":4,"prompt_eval_cached_count":9}"#, "usage 0 0 4 0 4"),
        ("{\"done\":true}\nnothing after the end matters", ""),
        ("\n\r\n", ""),
    ];
    for (line, expected) in rows {
        assert_eq!(replay(&ENTRY, line).unwrap(), expected, "{line}");
    }
}

#[test]
fn ways_to_end_are_told_apart() {
    let stops = [
        (r#"{"done":true,"done_reason":"stop"}"#, StopReason::Stop),
        (r#"{"done":true,"done_reason":"load"}"#, StopReason::Stop),
        (r#"{"done":true}"#, StopReason::Stop),
        (r#"{"done":true,"done_reason":"length"}"#, StopReason::Length),
        (r#"{"message":{"content":"half"},"done":false}"#, StopReason::Error),
    ];
    for (stream, expected) in stops {
        assert_eq!(replay_cut(&ENTRY, stream.as_bytes(), 0).1.stop_reason, expected, "{stream}");
    }
    let errors = [
        (r#"{"error":"model 'x' not found"}"#, "model_not_found"),
        (r#"{"error":"model requires more system memory (9 GiB) than is available"}"#, ""),
        (
            "{\"message\":{\"content\":\"a\"}}\n{\"error\":\"an error was encountered while running the model\"}",
            "",
        ),
        ("{half", "format"),
        ("7", "format"),
        (r#"{"message":{"tool_calls":{}}}"#, "format"),
    ];
    for (stream, expected) in errors {
        let error = replay(&ENTRY, stream).unwrap_err();
        assert!(expected.is_empty() || error.reason.as_str() == expected, "{stream}: {error:?}");
    }
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&ENTRY.body(request).unwrap()).unwrap()
}

fn with_model(id: &str, reasoning: bool) -> Request {
    let mut request = request(ENTRY.api);
    let mut model = ModelSpec::clone(&request.model);
    model.id = ModelId::parse(id).unwrap();
    (model.reasoning, model.context_window, model.max_tokens) = (reasoning, Some(8_192), 1_000);
    request.model = Arc::new(model);
    request
}

#[test]
fn thinking_is_asked_for_as_the_model_takes_it() {
    let rows = [
        ("qwen3:8b", false, ThinkingLevel::High, None),
        ("qwen3:8b", true, ThinkingLevel::Off, Some(json!(false))),
        ("qwen3:8b", true, ThinkingLevel::Minimal, Some(json!(true))),
        ("gpt-oss:20b", true, ThinkingLevel::Minimal, Some(json!("low"))),
        ("gpt-oss:20b", true, ThinkingLevel::Medium, Some(json!("medium"))),
        ("gpt-oss:20b", true, ThinkingLevel::XHigh, Some(json!("high"))),
        ("gpt-oss:20b", true, ThinkingLevel::Off, Some(json!(false))),
    ];
    for (model, reasoning, level, expected) in rows {
        let request = Request { thinking: level, ..with_model(model, reasoning) };
        assert_eq!(body(&request).get("think"), expected.as_ref(), "{model} {level:?}");
    }
}

#[test]
fn the_server_is_told_how_much_to_keep_and_when_to_stop() {
    let mut request = with_model("qwen3", false);
    assert_eq!(body(&request)["options"], json!({"num_ctx": 8_192, "num_predict": 1_000}));
    request.max_tokens = Some(77);
    let written = body(&request);
    assert_eq!(written["options"]["num_predict"], json!(77));
    let mut unknown = ModelSpec::clone(&request.model);
    unknown.context_window = None;
    request.model = Arc::new(unknown);
    assert!(
        body(&request)["options"].get("num_ctx").is_none(),
        "what nobody knows is the server's to decide"
    );
    assert!(written.get("keep_alive").is_none(), "how long a model stays loaded is the owner's choice");
}

#[test]
fn thinking_goes_back_only_to_the_model_that_thought_it() {
    let rows = [("p", "qwen3", "ollama", true), ("p", "other", "ollama", false), ("p", "qwen3", "x", false)];
    for (provider, model, api, expected) in rows {
        let mut request = with_model("qwen3", true);
        let said = json!({"role": "assistant", "provider": provider, "model": model, "api": api, "timestamp": 1, "content": [
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "thinking"}, {"type": "text", "text": "a"}]});
        request.messages = vec![Arc::new(serde_json::from_value::<Message>(said).unwrap())];
        let message = &body(&request)["messages"][0];
        assert_eq!(message.get("thinking").is_some(), expected, "{message}");
        assert_eq!(message["content"], json!("a"));
    }
}
