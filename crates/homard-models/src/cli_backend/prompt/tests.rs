//! What a program is told: the newest message, and what its session has not seen.

use std::sync::Arc;

use homard_protocol::{
    AssistantBlock, AssistantMessage, Message, StopReason, ToolCallId, ToolResultMessage, UserBlock,
    UserContent, UserMessage,
};

use super::{MAX_HISTORY_BYTES, NO_TEXT, question};

fn user(text: &str) -> Arc<Message> {
    says(UserContent::Text(text.to_owned()))
}

fn says(content: UserContent) -> Arc<Message> {
    Arc::new(Message::User(UserMessage { content, timestamp: 0, idempotency_key: None }))
}

fn assistant(provider: &str, text: &str) -> Arc<Message> {
    let mut message = AssistantMessage::injected(text.to_owned(), StopReason::Stop, 0);
    message.provider = provider.to_owned();
    Arc::new(Message::Assistant(message))
}

fn tool(text: &str) -> Arc<Message> {
    Arc::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: ToolCallId::parse("c").unwrap(),
        tool_name: "read".to_owned(),
        content: vec![UserBlock::text(text)],
        details: None,
        is_error: false,
        timestamp: 0,
    }))
}

fn told(messages: &[Arc<Message>], remembers: bool) -> String {
    question(messages, "cli", remembers).text
}

#[test]
fn a_session_that_remembers_gets_the_newest_message_alone() {
    let messages = [user("one"), assistant("cli", "two"), user("three")];
    assert_eq!(told(&messages, true), "three");
    assert_eq!(told(&[user("one")], false), "one");
}

#[test]
fn a_new_session_is_told_the_conversation() {
    let messages = [user("one"), assistant("cli", "two\nthree"), tool("four"), user("five")];
    let text = told(&messages, false);
    let order = [r#"{"user":"one"}"#, r#"{"assistant":"two\nthree"}"#, r#""answered":"four""#, "five"];
    let places: Vec<_> = order.iter().map(|part| text.find(part).unwrap()).collect();
    assert!(places.is_sorted() && text.ends_with("five"), "{text}");
}

#[test]
fn a_session_is_told_what_others_did_in_between() {
    let messages =
        [user("one"), assistant("cli", "two"), user("three"), assistant("other", "four"), user("five")];
    let text = told(&messages, true);
    assert!(!text.contains(r#""one""#) && !text.contains(r#""two""#));
    assert!(text.contains("three") && text.contains("four") && text.ends_with("five"));
}

#[test]
fn work_begun_by_another_model_is_told_after_the_question() {
    let text = told(&[user("one"), assistant("other", "working"), tool("found")], false);
    assert!(text.starts_with("one\n\n") && text.contains("working") && text.contains("found"));
}

#[test]
fn a_long_conversation_keeps_its_end() {
    let messages: Vec<_> = (0..200).map(|n| user(&format!("{n} {}", "z".repeat(2_000)))).collect();
    let text = told(&messages, false);
    assert!(text.len() < MAX_HISTORY_BYTES + 10_000);
    assert!(text.contains("earlier messages are left out") && text.contains("\"198 z"));
    assert!(!text.contains("{\"user\":\"0 z"));
}

#[test]
fn pictures_and_documents_of_the_newest_message_are_seen() {
    let image = |mime: &str| UserBlock::Image { data: "aGk=".to_owned(), mime_type: mime.to_owned() };
    let document =
        UserBlock::Document { data: String::new(), mime_type: "application/pdf".to_owned(), name: None };
    let old = says(UserContent::Blocks(vec![image("image/gif")]));
    let new = says(UserContent::Blocks(vec![image("image/jpeg"), document, image("image/x")]));
    let asked = question(&[old, new], "cli", true);
    let extensions: Vec<_> = asked.images.iter().map(|image| image.extension).collect();
    assert_eq!(extensions, ["jpg", "png"]);
    assert!(asked.text.contains("the document `application/pdf`"));
}

#[test]
fn nothing_said_is_still_a_question() {
    assert_eq!(told(&[], false), NO_TEXT);
    assert_eq!(told(&[user("  ")], false), NO_TEXT);
    let silent = AssistantMessage {
        content: vec![AssistantBlock::text("")],
        ..AssistantMessage::injected(String::new(), StopReason::Stop, 0)
    };
    let messages = [Arc::new(Message::Assistant(silent)), user("hi")];
    assert_eq!(told(&messages, false), "hi");
}
