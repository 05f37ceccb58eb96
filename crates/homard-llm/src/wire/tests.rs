//! Recorded-looking streams of each API, as tables; bodies are snapshotted over sockets in `tests/`.

use std::collections::VecDeque;
use std::sync::Arc;

use homard_protocol::{AssistantMessage, ModelId, ProviderId, StopReason};
use proptest::prelude::{any, prop, proptest};

use super::{TABLE, Wire, find};
use crate::call::answer::Draft;
use crate::call::request::{Request, ThinkingLevel};
use crate::error::LlmError;
use crate::provider::StreamEvent;
use crate::spec::ModelSpec;
use crate::transport::framing::Frames;
use crate::transport::sse::SseEvent;

pub(super) fn request(api: &str) -> Request {
    Request {
        model: Arc::new(ModelSpec::new(ProviderId::parse("p").unwrap(), ModelId::parse("m").unwrap(), api)),
        system: Arc::from(""),
        messages: Vec::new(),
        tools: Arc::from([]),
        max_tokens: None,
        sampling: crate::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        program_dir: None,
    }
}

/// Reads a stream and tells what came of it in short words.
pub(super) fn replay(wire: &Wire, stream: &str) -> Result<String, LlmError> {
    Ok(words(&wire.replay(&request(wire.api), stream.as_bytes())?))
}

/// The same, from a stream that arrives in two pieces and ends properly or is cut; with the finished message.
pub(super) fn replay_cut(wire: &Wire, stream: &[u8], at: usize) -> (String, AssistantMessage) {
    let (head, tail) = stream.split_at(at.min(stream.len()));
    let mut decoder = wire.decoder(Draft::new(request(wire.api).model, 0));
    let (mut frames, mut out) = (Frames::new(wire.framing), VecDeque::new());
    let mut sink = |event: SseEvent<'_>| match decoder.draft().finished {
        true => Ok(()),
        false => decoder.event(event, &mut out),
    };
    let read = frames.feed(head, &mut sink).and_then(|()| frames.feed(tail, &mut sink));
    read.and_then(|()| frames.finish(&mut sink)).unwrap();
    let stop = decoder.draft().stop.unwrap_or(StopReason::Error);
    (words(&Vec::from(out)), decoder.draft().take(stop, None))
}

fn words(events: &[StreamEvent]) -> String {
    let word = |event: &StreamEvent| match event {
        StreamEvent::Text(text) => format!("text {text}"),
        StreamEvent::Thinking(text) => format!("think {text}"),
        StreamEvent::ToolCallStart { index, id, name } => format!("start {index} {id} {name}"),
        StreamEvent::ToolCallDelta { index, json } => format!("delta {index} {json}"),
        StreamEvent::ToolCall(call) => format!("call {} {} {}", call.id, call.name, call.arguments),
        StreamEvent::Usage(u) => {
            format!("usage {} {} {} {} {}", u.input, u.output, u.cache_read, u.cache_write, u.total_tokens)
        }
        other => format!("{other:?}"),
    };
    events.iter().map(word).collect::<Vec<_>>().join("; ")
}

#[test]
fn the_table_is_in_alphabetical_order_and_finds_by_name() {
    assert!(TABLE.windows(2).all(|pair| pair[0].api < pair[1].api));
    assert!(find("openai-completions").is_some() && find("x").is_none());
}

#[test]
fn addresses_are_completed() {
    let rows = [
        ("openai-completions", "https://a/v1/", "https://a/v1/chat/completions"),
        ("openai-completions", "https://a/v1/chat/completions", "https://a/v1/chat/completions"),
        ("anthropic-messages", "https://a", "https://a/v1/messages"),
        ("anthropic-messages", "https://a/v1/", "https://a/v1/messages"),
        ("anthropic-messages", "https://a/anthropic", "https://a/anthropic/v1/messages"),
        ("openai-responses", "https://a/v1", "https://a/v1/responses"),
        (
            "openai-responses",
            "https://chatgpt.com/backend-api/codex/",
            "https://chatgpt.com/backend-api/codex/responses",
        ),
        ("openai-responses", "https://a/v1/responses", "https://a/v1/responses"),
        ("ollama", "http://127.0.0.1:11434", "http://127.0.0.1:11434/api/chat"),
        ("ollama", "http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/api/chat"),
        ("ollama", "http://a/prefix/api", "http://a/prefix/api/chat"),
        ("ollama", "http://a/api/chat", "http://a/api/chat"),
    ];
    for (api, base, expected) in rows {
        assert_eq!(find(api).unwrap().endpoint(base, &request(api).model), expected);
    }
}

#[test]
fn openai_streams_are_read() {
    let wire = find("openai-completions").unwrap();
    let rows = [
        (r#"data: {"choices":[{"delta":{"role":"assistant","content":""}}]}"#, ""),
        (r#"data: {"choices":[{"delta":{"content":"hi"}}]}"#, "text hi"),
        (
            r#"data: {"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}"#,
            "text ab",
        ),
        (r#"data: {"choices":[{"delta":{"reasoning_content":"hm","reasoning":"hm"}}]}"#, "think hm"),
        (r#"data: {"choices":[{"delta":{"content":null,"tool_calls":null}}],"usage":null}"#, ""),
        (r#"data: {"choices":null}"#, ""),
        (r#"data: {"object":"something.new","extra":[1]}"#, ""),
        (
            r#"data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4}}}"#,
            "usage 6 2 4 0 12",
        ),
        (r#"data: {"choices":[],"usage":{"prompt_tokens":-4,"completion_tokens":"x"}}"#, "usage 0 0 0 0 0"),
        (r#"data: {"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}"#, "text whole"),
        (
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"\"}},\
             {\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"y\",\"arguments\":\"{}\"}}]}}]}\n\n\
             data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"k\\\":1}\"}}]}}]}\n\n\
             data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\ndata: garbage after the end",
            "start 0 a x; start 1 b y; delta 1 {}; delta 0 {\"k\":1}; call a x {\"k\":1}; call b y {}",
        ),
        // One server repeats the whole text beside each piece.
        (r#"data: {"choices":[{"delta":{"content":"b"},"message":{"content":"ab"}}]}"#, "text b"),
        // One counts thinking beside the answer, the others inside it.
        (
            r#"data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":42,"completion_tokens_details":{"reasoning_tokens":30}}}"#,
            "usage 10 32 0 0 42",
        ),
        (
            r#"data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":32,"total_tokens":42,"completion_tokens_details":{"reasoning_tokens":30}}}"#,
            "usage 10 32 0 0 42",
        ),
        // One gives every call the same number.
        (
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}}]}}]}\n\n\
             data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"x\",\"arguments\":\"{\\\"k\\\":1}\"}}]},\"finish_reason\":\"stop\"}]}",
            "start 0 a x; delta 0 {}; start 1 b x; delta 1 {\"k\":1}; call a x {}; call b x {\"k\":1}",
        ),
        // A call cut by the limit is not complete.
        (
            r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"k"}}]},"finish_reason":"length"}]}"#,
            "start 0 a x; delta 0 {\"k",
        ),
        (
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"x\",\"arguments\":{\"k\":1}}}]},\"finish_reason\":\"stop\"}]}",
            "start 0 call_0_0 x; delta 0 {\"k\":1}; call call_0_0 x {\"k\":1}",
        ),
    ];
    for (stream, expected) in rows {
        assert_eq!(replay(wire, stream).unwrap(), expected, "{stream}");
    }
}

#[test]
fn anthropic_streams_are_read() {
    let wire = find("anthropic-messages").unwrap();
    let rows = [
        (r#"data: {"type":"ping"}"#, ""),
        (r#"data: {"type":"from_the_future","index":3}"#, ""),
        (
            r#"data: {"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":7,"cache_creation_input_tokens":3,"output_tokens":1}}}"#,
            "usage 5 1 7 3 16",
        ),
        (
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n\
             data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n\
             data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"S\"}}\n\n\
             data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n\
             data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}",
            "think hm; text a; text b",
        ),
        (
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"x\",\"input\":{}}}\n\n\
             data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"k\\\"\"}}\n\n\
             data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\":1}\"}}\n\n\
             data: {\"type\":\"content_block_stop\",\"index\":0}",
            "start 0 t x; delta 0 {\"k\"; delta 0 :1}; call t x {\"k\":1}",
        ),
        (
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"x\",\"input\":{\"k\":1}}}\n\n\
             data: {\"type\":\"content_block_stop\",\"index\":0}",
            "start 0 t x; delta 0 {\"k\":1}; call t x {\"k\":1}",
        ),
        (r#"data: {"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":"lost"}}"#, ""),
    ];
    for (stream, expected) in rows {
        assert_eq!(replay(wire, stream).unwrap(), expected, "{stream}");
    }
}

#[test]
fn errors_inside_streams_are_classified() {
    let rows = [
        ("openai-completions", r#"data: {"error":{"message":"Rate limit hit","code":429}}"#, "rate_limit"),
        (
            "openai-completions",
            r#"data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#,
            "content_filter",
        ),
        ("openai-completions", "data: {half", "format"),
        ("openai-completions", r#"data: {"choices":[{"delta":{"content":"ha"#, "timeout"),
        ("anthropic-messages", r#"data: {"type":"content_block_de"#, "timeout"),
        ("openai-completions", "event: error\ndata: {\"message\":\"Rate limit reached\"}", "rate_limit"),
        ("openai-completions", r#"data: {"choices":7}"#, "format"),
        (
            "anthropic-messages",
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
            "overloaded",
        ),
        (
            "anthropic-messages",
            r#"data: {"type":"message_delta","delta":{"stop_reason":"refusal"}}"#,
            "refusal",
        ),
        ("anthropic-messages", "data: \u{0}", "format"),
    ];
    for (api, stream, expected) in rows {
        assert_eq!(replay(find(api).unwrap(), stream).unwrap_err().reason.as_str(), expected, "{stream}");
    }
}

proptest! {
    #[test]
    fn no_stream_makes_a_decoder_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        pieces in prop::collection::vec(prop::sample::select(vec![
            "data: ", "\n\n", "{\"choices\":[{\"delta\":{", "\"content\":\"x\"", "\"tool_calls\":[{\"index\":1,", "}", "}}]}", "]",
            "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\"}}", "[DONE]", "null", ",",
            "{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\"", ",\"name\":\"x\"", "}}",
            "{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\",\"encrypted_content\":\"x\"}}",
            "{\"type\":\"response.function_call_arguments.delta\",\"delta\":", "{\"type\":\"response.completed\",\"response\":",
            "{\"message\":{\"tool_calls\":[{\"function\":", "\n", "{\"done\":true}",
        ]), 0..20),
    ) {
        for wire in TABLE {
            drop(wire.replay(&request(wire.api), &bytes));
            drop(wire.replay(&request(wire.api), pieces.concat().as_bytes()));
        }
    }
}

#[test]
fn how_words_are_chosen_is_spelled_as_each_api_wants_it() {
    let tool = crate::ToolSpec {
        name: "weather".to_owned(),
        description: String::new(),
        parameters: serde_json::json!({"type": "object", "properties": {}}).into(),
    };
    let sampling = crate::Sampling {
        temperature: Some(1.5),
        top_p: Some(0.5),
        top_k: None,
        frequency_penalty: Some(1.0),
        presence_penalty: Some(-1.0),
        seed: Some(7),
        stop: vec!["END".to_owned()],
        tool_choice: crate::ToolChoice::Tool("weather".to_owned()),
    };
    let cases = [
        (
            "anthropic-messages",
            serde_json::json!({"temperature": 1.0, "stop_sequences": ["END"], "tool_choice": {"type": "tool", "name": "weather"}}),
        ),
        (
            "bedrock-converse-stream",
            serde_json::json!({"inferenceConfig": {"temperature": 1.0, "stopSequences": ["END"]}}),
        ),
        (
            "google-generative-ai",
            serde_json::json!({
                "generationConfig": {"temperature": 1.5, "topP": 0.5, "frequencyPenalty": 1.0, "presencePenalty": -1.0,
                    "seed": 7, "stopSequences": ["END"]},
                "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}},
            }),
        ),
        (
            "openai-completions",
            serde_json::json!({"temperature": 1.5, "top_p": 0.5, "frequency_penalty": 1.0, "presence_penalty": -1.0,
                "seed": 7, "stop": ["END"], "tool_choice": {"type": "function", "function": {"name": "weather"}}}),
        ),
        (
            "openai-responses",
            serde_json::json!({"temperature": 1.5, "top_p": 0.5, "tool_choice": {"type": "function", "name": "weather"}}),
        ),
    ];
    for (api, expected) in cases {
        let asked = Request { sampling: sampling.clone(), tools: Arc::from([tool.clone()]), ..request(api) };
        let body: serde_json::Value =
            serde_json::from_slice(&find(api).unwrap().body(&asked).unwrap()).unwrap();
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&body[name], value, "{api} {name}");
        }
        // A request that wants nothing says nothing.
        let silent = String::from_utf8(find(api).unwrap().body(&request(api)).unwrap()).unwrap();
        for word in
            ["temperature", "top_p", "topP", "seed", "stop", "tool_choice", "toolConfig", "toolChoice"]
        {
            assert!(!silent.contains(word), "{api} {word}: {silent}");
        }
    }
}

/// What the owner wants of every call.
fn wished(api: &str) -> Request {
    let written =
        serde_json::json!({"temperature": 0.3, "topK": 20, "maxTokens": 256, "repeat_penalty": 1.3});
    let mut asked = request(api);
    let mut model = ModelSpec::clone(&asked.model);
    (model.params, _) = crate::Params::read(written.as_object().unwrap());
    asked.model = Arc::new(model);
    asked
}

#[test]
fn what_the_owner_wants_of_every_call_is_spelled_as_each_api_wants_it() {
    let cases = [
        (
            "anthropic-messages",
            serde_json::json!({"max_tokens": 256, "temperature": 0.3, "top_k": 20, "repeat_penalty": 1.3}),
        ),
        (
            "bedrock-converse-stream",
            serde_json::json!({"inferenceConfig": {"maxTokens": 256, "temperature": 0.3},
                "additionalModelRequestFields": {"top_k": 20, "repeat_penalty": 1.3}}),
        ),
        (
            "google-generative-ai",
            serde_json::json!({"generationConfig":
                {"maxOutputTokens": 256, "temperature": 0.3, "topK": 20, "repeat_penalty": 1.3}}),
        ),
        (
            "google-gemini-cli",
            serde_json::json!({"request": {"contents": [{"role": "user", "parts": [{"text": "(earlier messages are not shown)"}]}], "generationConfig":
                {"maxOutputTokens": 256, "temperature": 0.3, "topK": 20, "repeat_penalty": 1.3}}}),
        ),
        (
            "ollama",
            serde_json::json!({"options": {"num_predict": 256, "temperature": 0.3, "top_k": 20, "repeat_penalty": 1.3}}),
        ),
        (
            "openai-completions",
            serde_json::json!({"max_tokens": 256, "temperature": 0.3, "top_k": 20, "repeat_penalty": 1.3}),
        ),
        (
            "openai-responses",
            serde_json::json!({"max_output_tokens": 256, "temperature": 0.3, "repeat_penalty": 1.3}),
        ),
    ];
    assert_eq!(cases.len(), TABLE.len());
    for (api, expected) in cases {
        let wire = find(api).unwrap();
        let read = |asked: &Request| -> serde_json::Value {
            serde_json::from_slice(&wire.body(asked).unwrap()).unwrap()
        };
        let body = read(&wished(api));
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&body[name], value, "{api} {name}");
        }
        // What a caller says itself comes first.
        let mut asked = wished(api);
        (asked.max_tokens, asked.sampling.temperature) = (Some(99), Some(0.9));
        let said = read(&asked).to_string();
        assert!(said.contains(":99") && said.contains(":0.9") && !said.contains("256"), "{api}: {said}");
    }
}

#[test]
fn the_limit_goes_into_the_field_the_server_understands() {
    use crate::spec::MaxTokensField::{MaxCompletionTokens, MaxTokens, Neither};
    let rows = [
        ("http://127.0.0.1:8080/v1", None, Some("max_tokens")),
        ("https://api.openai.com/v1", None, Some("max_completion_tokens")),
        ("https://chatgpt.com/backend-api", None, None),
        ("http://127.0.0.1:8080/v1", Some(MaxCompletionTokens), Some("max_completion_tokens")),
        ("https://api.openai.com/v1", Some(MaxTokens), Some("max_tokens")),
        ("https://api.openai.com/v1", Some(Neither), None),
    ];
    for (base_url, written, expected) in rows {
        let mut asked = wished("openai-completions");
        let mut model = ModelSpec::clone(&asked.model);
        model.compat.max_tokens_field = written;
        model.compat = model.compat.resolved(base_url);
        asked.model = Arc::new(model);
        let body: serde_json::Value =
            serde_json::from_slice(&find("openai-completions").unwrap().body(&asked).unwrap()).unwrap();
        for field in ["max_tokens", "max_completion_tokens"] {
            let told = body.get(field).and_then(serde_json::Value::as_u64);
            assert_eq!(told, (expected == Some(field)).then_some(256), "{base_url} {written:?} {field}");
        }
    }
}
