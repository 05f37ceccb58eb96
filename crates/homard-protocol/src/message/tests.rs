//! The spelling of messages, on lines as existing transcripts hold them.

use serde_json::{Value, json};

use super::{AssistantBlock, Message, StopReason, UserContent};

#[track_caller]
fn round_trips(value: &Value) -> Message {
    let message: Message = serde_json::from_value(value.clone()).expect("reads");
    assert_eq!(&serde_json::to_value(&message).expect("writes"), value);
    message
}

#[test]
fn user_content_is_a_string_or_blocks() {
    let text = round_trips(&json!({"role":"user","content":"hi","timestamp":1}));
    assert_eq!(text.text(), "hi");
    let blocks = round_trips(&json!({"role":"user","content":[
        {"type":"text","text":"look"},{"type":"image","data":"AA==","mimeType":"image/png"}],"timestamp":1}));
    let Message::User(user) = &blocks else { panic!() };
    assert!(matches!(&user.content, UserContent::Blocks(b) if b.len() == 2));
}

#[test]
fn assistant_keeps_order_and_signatures() {
    let message = round_trips(&json!({"role":"assistant","content":[
        {"type":"thinking","thinking":"hm","thinkingSignature":"s"},
        {"type":"text","text":"a"},
        {"type":"toolCall","id":"c1","name":"read","arguments":{"path":"x"}},
        {"type":"text","text":"b"}],
        "api":"anthropic-messages","provider":"p","model":"m",
        "usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,
            "cost":{"input":0.0,"output":0.0,"cacheRead":0.0,"cacheWrite":0.0,"total":0.0}},
        "stopReason":"toolUse","timestamp":5}));
    let Message::Assistant(assistant) = &message else { panic!() };
    assert_eq!(assistant.stop_reason, StopReason::ToolUse);
    assert_eq!(assistant.tool_calls().count(), 1);
    assert_eq!(message.text(), "a\n\nb");
    assert!(matches!(assistant.content[0], AssistantBlock::Thinking { .. }));
}

#[test]
fn roles_of_other_software_are_kept() {
    let line = json!({"role":"bashExecution","command":"ls","exitCode":0});
    assert!(matches!(round_trips(&line), Message::Other(_)));
}
