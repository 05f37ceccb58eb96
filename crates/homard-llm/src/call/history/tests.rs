//! Pairs are whole and in order after repair, whatever the transcript looked like.

use std::sync::Arc;

use homard_protocol::{AssistantBlock, AssistantMessage, Message, StopReason};
use proptest::prelude::{Strategy, prop, proptest};
use serde_json::json;

use super::{Step, repaired};

fn user(text: &str) -> Arc<Message> {
    Arc::new(serde_json::from_value(json!({"role": "user", "content": text, "timestamp": 1})).unwrap())
}

fn calls(text: &str, ids: &[&str]) -> Arc<Message> {
    let mut message = AssistantMessage::injected(text.to_owned(), StopReason::ToolUse, 1);
    for id in ids {
        let call = json!({"type": "toolCall", "id": id, "name": "read", "arguments": {}});
        message.content.push(serde_json::from_value::<AssistantBlock>(call).unwrap());
    }
    Arc::new(Message::Assistant(message))
}

/// A line the gateway wrote beside the turn.
fn beside(text: &str) -> Arc<Message> {
    Arc::new(Message::Assistant(AssistantMessage::injected(text.to_owned(), StopReason::Stop, 1)))
}

fn result(id: &str) -> Arc<Message> {
    let value =
        json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": [], "timestamp": 1});
    Arc::new(serde_json::from_value(value).unwrap())
}

fn shape(messages: &[Arc<Message>]) -> String {
    let word = |step: &Step<'_>| match step {
        Step::User(_) => "user".to_owned(),
        Step::Assistant(_) => "assistant".to_owned(),
        Step::Result(result) => format!("result {}", result.tool_call_id),
        Step::Missing(call) => format!("missing {}", call.id),
    };
    repaired(messages).iter().map(word).collect::<Vec<_>>().join(", ")
}

#[test]
fn broken_histories_are_made_whole() {
    let rows = [
        (vec![user("a"), calls("b", &[]), user("c")], "user, assistant, user"),
        (vec![calls("", &["1", "2"]), result("2"), result("1")], "assistant, result 1, result 2"),
        (vec![calls("", &["1", "2"]), result("2"), user("x")], "assistant, missing 1, result 2, user"),
        (vec![calls("", &["1"]), user("steer"), result("1")], "assistant, result 1, user"),
        (vec![calls("", &["1"]), calls("x", &[]), result("1")], "assistant, missing 1, assistant"),
        (vec![calls("", &["1"]), calls("", &[]), result("1")], "assistant, result 1"),
        (vec![calls("", &["1"]), beside("x"), result("1")], "assistant, result 1, assistant"),
        (vec![result("9"), user("a")], "user"),
        (vec![calls("", &["1"]), result("1"), result("1")], "assistant, result 1"),
        (vec![calls("  ", &[]), user("a")], "user"),
        (
            vec![calls("", &["1"]), result("1"), calls("", &["1"])],
            "assistant, result 1, assistant, missing 1",
        ),
        (vec![Arc::new(Message::Other(json!({"role": "custom"})))], ""),
    ];
    for (messages, expected) in rows {
        assert_eq!(shape(&messages), expected);
    }
}

fn any_message() -> impl Strategy<Value = Arc<Message>> {
    let ids = vec!["1", "2", "3"];
    proptest::prop_oneof![
        proptest::strategy::Just(user("hi")),
        prop::sample::subsequence(ids.clone(), 0..3).prop_map(|ids| calls("t", &ids)),
        prop::sample::select(ids).prop_map(result),
    ]
}

proptest! {
    #[test]
    fn every_call_is_answered_right_after_it(messages in prop::collection::vec(any_message(), 0..20)) {
        let steps = repaired(&messages);
        let mut open: Vec<String> = Vec::new();
        for step in &steps {
            match step {
                Step::Assistant(message) => {
                    assert!(open.is_empty());
                    open = message.tool_calls().map(|call| call.id.to_string()).collect();
                }
                Step::Result(result) => assert_eq!(open.remove(0), result.tool_call_id.as_str()),
                Step::Missing(call) => assert_eq!(open.remove(0), call.id.as_str()),
                Step::User(_) => assert!(open.is_empty()),
            }
        }
        assert!(open.is_empty());
    }
}
