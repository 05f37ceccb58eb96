//! Recorded-looking streams, what is kept of them, and how it goes back.

use std::sync::Arc;

use homard_protocol::{AssistantBlock, Message, StopReason};
use proptest::prelude::{any, proptest};
use serde_json::{Value, json};

use super::ENTRY;
use super::keepsake::{MessageMark, Reasoning, join_ids, split_ids};
use crate::call::request::{Request, ThinkingLevel};
use crate::spec::{MaxTokensField, ModelSpec};
use crate::wire::tests::{replay, replay_cut, request};

/// An answer as the real server sends it: silent thinking, a summary in two parts, words, two calls.
const STREAM: &str = r#"event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"output":[],"usage":null}}

event: response.in_progress
data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1","status":"in_progress"}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}

event: response.reasoning_summary_part.added
data: {"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"First é"}

event: response.reasoning_summary_part.added
data: {"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":1,"part":{"type":"summary_text","text":""}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":1,"delta":"then."}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"First é"},{"type":"summary_text","text":"then."}],"encrypted_content":"gAAA+/=","status":null}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}

event: response.content_part.added
data: {"type":"response.content_part.added","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Let me ","logprobs":[],"obfuscation":"x"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"look. 👀"}

event: response.output_text.done
data: {"type":"response.output_text.done","item_id":"msg_1","output_index":1,"content_index":0,"text":"Let me look. 👀"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Let me look. 👀","annotations":[]}]}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"read"}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":3,"item":{"id":"fc_2","type":"function_call","status":"in_progress","arguments":"","call_id":"call_2","name":"read"}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\"path\":"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_2","output_index":3,"delta":"{}"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"\"a\"}"}

event: response.function_call_arguments.done
data: {"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":2,"arguments":"{\"path\":\"a\"}"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"path\":\"a\"}","call_id":"call_1","name":"read"}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","status":"completed","arguments":"{}","call_id":"call_2","name":"read"}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","error":null,"incomplete_details":null,"output":[{"type":"message","content":[{"type":"output_text","text":"again"}]}],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":64},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":8},"total_tokens":120}}}

"#;

const EXPECTED: &str = "think First é; think \n\n; think then.; text Let me ; text look. 👀; \
    start 0 call_1|fc_1 read; start 1 call_2|fc_2 read; delta 0 {\"path\":; delta 1 {}; delta 0 \"a\"}; \
    call call_1|fc_1 read {\"path\":\"a\"}; call call_2|fc_2 read {}; usage 36 20 64 0 120";

#[test]
fn a_whole_answer_is_read_and_keeps_what_must_go_back() {
    let (events, message) = replay_cut(&ENTRY, STREAM.as_bytes(), 0);
    assert_eq!(events, EXPECTED);
    assert_eq!(message.stop_reason, StopReason::Stop);
    let [
        AssistantBlock::Thinking { thinking, thinking_signature: Some(proof) },
        AssistantBlock::Text { text, text_signature: Some(mark) },
        AssistantBlock::ToolCall(first),
        AssistantBlock::ToolCall(_),
    ] = message.content.as_slice()
    else {
        panic!("{:?}", message.content)
    };
    assert_eq!((thinking.as_str(), text.as_str()), ("First é\n\nthen.", "Let me look. 👀"));
    assert_eq!((mark.as_str(), first.id.as_str()), ("msg_1", "call_1|fc_1"));
    let proof: Value = serde_json::from_str(proof).unwrap();
    assert_eq!((&proof["id"], &proof["encrypted_content"]), (&json!("rs_1"), &json!("gAAA+/=")));
    assert_eq!(proof["summary"].as_array().unwrap().len(), 2);
    assert_eq!(proof.get("status"), None, "the API refuses it in what goes back");
}

proptest! {
    #[test]
    fn a_stream_reads_the_same_wherever_it_is_cut(at in any::<proptest::sample::Index>()) {
        let (events, _) = replay_cut(&ENTRY, STREAM.as_bytes(), at.index(STREAM.len()));
        assert_eq!(events, EXPECTED);
    }
}

/// One event per row, with what it gives.
#[test]
fn single_events_are_read() {
    let rows = [
        (r#"{"type":"response.queued","response":{}}"#, ""),
        (
            r#"{"type":"response.from_the_future","delta":{"x":1},"item":7,"output_index":"x","response":[]}"#,
            "",
        ),
        (r#"{"type":"keepalive","sequence_number":3}"#, ""),
        (
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"web_search_call","arguments":7,"content":"x"}}"#,
            "",
        ),
        (r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"mcp_call","id":4}}"#, ""),
        (r#"{"type":"response.output_text.delta","output_index":0,"delta":"hi"}"#, "text hi"),
        (r#"{"type":"response.output_text.delta","delta":"hi"}"#, "text hi"),
        (r#"{"type":"response.output_text.delta","output_index":0,"delta":null}"#, ""),
        (r#"{"type":"response.refusal.delta","output_index":0,"delta":"I cannot"}"#, "text I cannot"),
        (r#"{"type":"response.reasoning_text.delta","output_index":0,"delta":"hm"}"#, "think hm"),
        (r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}"#, ""),
        (r#"{"type":"response.function_call_arguments.delta","output_index":5,"delta":"{}"}"#, ""),
        (
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"b"}]}}"#,
            "text ab",
        ),
        (
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":null,"content":[{"type":"reasoning_text","text":"raw"}]}}"#,
            "think raw",
        ),
        (
            r#"{"type":"response.output_item.done","item":{"type":"function_call","id":"other_1","call_id":"c","name":"x","arguments":"{\"k\":1}"}}"#,
            "start 0 c x; delta 0 {\"k\":1}; call c x {\"k\":1}",
        ),
        (
            r#"{"type":"response.output_item.done","item":{"type":"function_call","id":"fc_1","name":"x","arguments":{"k":1}}}"#,
            "start 0 call_0_0 x; delta 0 {\"k\":1}; call call_0_0 x {\"k\":1}",
        ),
        (r#"{"type":"response.completed","response":{"status":"completed"}}"#, ""),
        (r#"{"type":"response.completed","response":{"status":"completed","usage":null}}"#, ""),
        (
            r#"{"type":"response.completed","response":{"usage":{"input_tokens":-4,"output_tokens":"x","input_tokens_details":{"cached_tokens":9}}}}"#,
            "usage 0 0 0 0 0",
        ),
        (
            r#"{"type":"response.completed","response":{"usage":{"input_tokens":10,"output_tokens":1,"input_tokens_details":{"cached_tokens":99,"cache_write_tokens":5}}}}"#,
            "usage 0 1 10 0 11",
        ),
        ("[DONE]", ""),
    ];
    for (event, expected) in rows {
        assert_eq!(replay(&ENTRY, &format!("data: {event}\n\n")).unwrap(), expected, "{event}");
    }
}

#[test]
fn an_event_whose_data_forgot_its_type_goes_by_its_name() {
    let stream = "event: response.output_text.delta\ndata: {\"output_index\":0,\"delta\":\"hi\"}\n\n";
    assert_eq!(replay(&ENTRY, stream).unwrap(), "text hi");
}

#[test]
fn an_answer_in_one_document_is_read_too() {
    let body = json!({"id": "resp_1", "object": "response", "status": "completed", "error": null, "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": "{}"}],
        "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}});
    let stream = format!("data: {body}\n\n");
    let (events, message) = replay_cut(&ENTRY, stream.as_bytes(), 0);
    let expected = "usage 3 2 0 0 5; text hi; start 0 call_1|fc_1 read; delta 0 {}; call call_1|fc_1 read {}";
    assert_eq!((events.as_str(), message.content.len()), (expected, 3), "silent reasoning is kept");
}

#[test]
fn repeated_call_ids_are_told_apart() {
    let call = |index: u32| {
        let item = json!({"type": "function_call", "id": format!("fc_{index}"), "call_id": "same", "name": "x",
                          "arguments": "{}"});
        let done = json!({"type": "response.output_item.done", "output_index": index, "item": item});
        format!("data: {done}\n\n")
    };
    let (_, message) = replay_cut(&ENTRY, (call(0) + &call(1)).as_bytes(), 0);
    let ids: Vec<_> = message.tool_calls().map(|call| split_ids(call.id.as_str()).0).collect();
    assert_eq!(ids, ["same", "call_0_1"]);
}

#[test]
fn ways_to_end_are_told_apart() {
    let ended =
        |kind: &str, response: &str| format!("data: {{\"type\":\"{kind}\",\"response\":{response}}}\n\n");
    let stops = [
        (ended("response.completed", r#"{"status":"completed"}"#), StopReason::Stop),
        (
            ended(
                "response.incomplete",
                r#"{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}"#,
            ),
            StopReason::Length,
        ),
        (ended("response.incomplete", r#"{"status":"incomplete"}"#), StopReason::Length),
        // Cut: nobody said that it was over.
        (r#"data: {"type":"response.output_text.delta","delta":"half"}"#.to_owned(), StopReason::Error),
    ];
    for (stream, expected) in stops {
        assert_eq!(replay_cut(&ENTRY, stream.as_bytes(), 0).1.stop_reason, expected, "{stream}");
    }
    let errors = [
        (
            ended("response.incomplete", r#"{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}"#),
            "content_filter",
        ),
        (
            ended("response.failed", r#"{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}"#),
            "rate_limit",
        ),
        (
            ended("response.failed", r#"{"status":"failed","error":{"code":"server_error","message":"The server had an error"}}"#),
            "overloaded",
        ),
        (ended("response.failed", r#"{"status":"failed","error":null}"#), "unknown"),
        (ended("response.completed", "7"), "format"),
        (r#"data: {"type":"response.completed"}"#.to_owned(), "format"),
        (
            r#"data: {"type":"error","code":"context_length_exceeded","message":"Your input exceeds the context window","param":null}"#.to_owned(),
            "context_overflow",
        ),
        (r#"data: {"type":"error","error":{"type":"usage_limit_reached","message":"The usage limit has been reached"}}"#.to_owned(), "rate_limit"),
        (r#"data: {"error":{"message":"bad key","code":"invalid_api_key"}}"#.to_owned(), "auth"),
        ("data: {half".to_owned(), "format"),
        (r#"data: {"type":"response.output_item.added","item":7}"#.to_owned(), "format"),
    ];
    for (stream, expected) in errors {
        assert_eq!(replay(&ENTRY, &stream).unwrap_err().reason.as_str(), expected, "{stream}");
    }
}

#[test]
fn a_flood_of_empty_items_is_stopped() {
    let item = "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"message\"}}\n\n";
    assert_eq!(replay(&ENTRY, &item.repeat(1_025)).unwrap_err().reason.as_str(), "format");
}

fn thinker() -> Request {
    let mut request = request(ENTRY.api);
    let mut model = ModelSpec::clone(&request.model);
    model.reasoning = true;
    request.model = Arc::new(model);
    request
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&ENTRY.body(request).unwrap()).unwrap()
}

/// The input a request with these messages sends; `from` changes who wrote the answer.
fn input(content: &Value, from: &[(&str, Value)]) -> Vec<Value> {
    let mut answer = json!({"role": "assistant", "content": content, "api": ENTRY.api, "provider": "p", "model": "m",
                            "stopReason": "toolUse", "timestamp": 1});
    for (key, value) in from {
        answer[key] = value.clone();
    }
    let mut request = thinker();
    let user = json!({"role": "user", "content": "go on", "timestamp": 1});
    let message = |value| Arc::new(serde_json::from_value::<Message>(value).unwrap());
    request.messages = [answer, user].map(message).to_vec();
    body(&request)["input"].as_array().unwrap().clone()
}

fn kinds(items: &[Value]) -> String {
    let kind = |item: &Value| {
        let id = item.get("id").and_then(Value::as_str).unwrap_or("-");
        format!("{} {id}", item["type"].as_str().unwrap())
    };
    items.iter().map(kind).collect::<Vec<_>>().join(", ")
}

#[test]
fn items_go_back_only_to_the_model_that_made_them() {
    let proof =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}).to_string();
    let content = json!([
        {"type": "thinking", "thinking": "hm", "thinkingSignature": proof},
        {"type": "text", "text": "Reading.", "textSignature": "msg_1"},
        {"type": "toolCall", "id": "call_1|fc_1", "name": "read", "arguments": {}}]);
    let own = "reasoning rs_1, message msg_1, function_call fc_1, function_call_output -, message -";
    let foreign = "message -, function_call -, function_call_output -, message -";
    let rows: [(&[(&str, Value)], &str); 6] = [
        (&[], own),
        (&[("stopReason", json!("length"))], own),
        (&[("model", json!("other"))], foreign),
        (&[("provider", json!("other"))], foreign),
        (&[("api", json!("openai-completions"))], foreign),
        (&[("stopReason", json!("aborted"))], foreign),
    ];
    for (from, expected) in rows {
        let items = input(&content, from);
        assert_eq!(kinds(&items), expected, "{from:?}");
        let ids = items.iter().filter_map(|item| item.get("call_id")).collect::<Vec<_>>();
        assert_eq!(ids, [&json!("call_1"), &json!("call_1")], "{from:?}");
    }
}

#[test]
fn a_thought_that_cannot_go_back_takes_the_ids_of_what_it_led_to_along() {
    let content = json!([
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "reasoning_content"},
        {"type": "text", "text": "Reading.", "textSignature": "msg_1"},
        {"type": "toolCall", "id": "call_1|fc_1", "name": "read", "arguments": {}}]);
    assert_eq!(kinds(&input(&content, &[])), "message -, function_call -, function_call_output -, message -");
}

#[test]
fn reasoning_that_led_to_nothing_stays_behind() {
    let proof = |n: u8| {
        json!({"type": "reasoning", "id": format!("rs_{n}"), "summary": [], "encrypted_content": "g"})
            .to_string()
    };
    let content = json!([
        {"type": "thinking", "thinking": "", "thinkingSignature": proof(1)},
        {"type": "text", "text": "Well.", "textSignature": "{\"v\":1,\"id\":\"msg_1\",\"phase\":\"commentary\"}"},
        {"type": "thinking", "thinking": "", "thinkingSignature": proof(2)}]);
    let items = input(&content, &[]);
    assert_eq!(kinds(&items), "reasoning rs_1, message msg_1, message -");
    assert_eq!(items[1]["phase"], json!("commentary"));
}

#[test]
fn marks_are_read_as_they_are_kept() {
    let long = format!("msg_{}", "x".repeat(64));
    let rows = [
        ("msg_1", Some(("msg_1", None))),
        (r#"{"v":1,"id":"msg_1","phase":"final_answer"}"#, Some(("msg_1", Some("final_answer")))),
        (r#"{"v":1,"id":7}"#, None),
        ("{broken", None),
        ("sig", None),
        (long.as_str(), None),
    ];
    for (signature, expected) in rows {
        let mark = MessageMark::read(signature);
        let seen = mark.as_ref().map(|mark| (&*mark.id, mark.phase.as_deref()));
        assert_eq!(seen, expected, "{signature}");
        assert!(mark.is_none_or(|mark| mark.keep() == signature), "{signature}");
    }
}

#[test]
fn ids_are_joined_and_split() {
    let long = format!("c|fc_{}", "x".repeat(64));
    let rows = [
        ("call_1|fc_1", ("call_1", Some("fc_1"))),
        ("call_1", ("call_1", None)),
        ("fc|weird id/2", ("fc|weird id/2", None)),
        ("|fc_1", ("|fc_1", None)),
        (long.as_str(), ("c", None)),
    ];
    for (id, expected) in rows {
        assert_eq!(split_ids(id), expected, "{id}");
    }
    let rows = [("c", "fc_1", "c|fc_1"), ("c", "", "c"), ("c", "item_1", "c"), ("", "fc_1", "")];
    for (call, item, expected) in rows {
        assert_eq!(join_ids(call, item), expected);
    }
}

#[test]
fn only_reasoning_that_can_be_proven_is_kept() {
    let rows = [
        (r#"{"type":"reasoning","id":"rs_1","encrypted_content":"g"}"#, true),
        (
            r#"{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"x"}]}"#,
            true,
        ),
        (r#"{"type":"reasoning","id":"rs_1","summary":[]}"#, false),
        (r#"{"type":"reasoning","id":"rs_1","summary":[],"content":[],"encrypted_content":""}"#, false),
        (r#"{"type":"message","encrypted_content":"g"}"#, false),
        (r#"{"type":"reasoning""#, false),
        ("sig", false),
        ("", false),
    ];
    for (json, expected) in rows {
        let kept = Reasoning::read(json).map(|item| item.keep());
        assert_eq!(kept.is_some(), expected, "{json}");
        // Keeping what was kept changes nothing, so a cache of the conversation is met again.
        assert!(kept.is_none_or(|kept| Reasoning::read(&kept).unwrap().keep() == kept), "{json}");
    }
}

#[test]
fn the_frame_of_a_request_says_what_the_server_must_know() {
    let mut request = thinker();
    request.max_tokens = Some(500);
    request.thinking = ThinkingLevel::XHigh;
    request.session = Some(Arc::from("agent:main:main"));
    let written = body(&request);
    assert_eq!(written["store"], json!(false));
    assert_eq!(written["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(written["reasoning"], json!({"effort": "xhigh", "summary": "auto"}));
    assert_eq!(written["max_output_tokens"], json!(500));
    assert_eq!(written["prompt_cache_key"], json!("agent:main:main"));
    assert!(written.get("instructions").is_none() && written.get("tools").is_none());

    request.thinking = ThinkingLevel::Off;
    request.session = Some(Arc::from("x".repeat(100)));
    let mut model = ModelSpec::clone(&request.model);
    model.compat.max_tokens_field = Some(MaxTokensField::Neither);
    request.model = Arc::new(model);
    let written = body(&request);
    assert!(written.get("reasoning").is_none() && written.get("max_output_tokens").is_none());
    assert_eq!(written["prompt_cache_key"].as_str().unwrap().len(), 64);
    assert_eq!(written["include"], json!(["reasoning.encrypted_content"]), "even when not asked to think");
}

#[test]
fn results_are_text_where_they_are_and_parts_where_they_show_something() {
    let mut request = thinker();
    let mut model = ModelSpec::clone(&request.model);
    model.input = vec![crate::InputKind::Text, crate::InputKind::Image, crate::InputKind::Document];
    request.model = Arc::new(model);
    let (text, image) = (
        json!({"type": "text", "text": "a"}),
        json!({"type": "image", "data": "aGk=", "mimeType": "image/png"}),
    );
    let pdf = json!({"type": "document", "data": "aGk=", "mimeType": "application/pdf", "name": "a.pdf"});
    let rows = [
        (json!([]), json!("(no output)")),
        (json!([text]), json!("a")),
        (json!([text, text]), json!("a\n\na")),
        (
            json!([text, image, pdf]),
            json!([{"type": "input_text", "text": "a"},
                   {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "auto"},
                   {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}]),
        ),
    ];
    for (content, expected) in rows {
        let call = json!({"role": "assistant", "timestamp": 1, "content": [
            {"type": "toolCall", "id": "c", "name": "read", "arguments": {}}]});
        let result = json!({"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": content, "timestamp": 1});
        let message = |value| Arc::new(serde_json::from_value::<Message>(value).unwrap());
        request.messages = [call, result].map(message).to_vec();
        assert_eq!(body(&request)["input"][1]["output"], expected, "{content}");
    }
}
