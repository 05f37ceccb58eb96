//! From transcript entries to what the model is told.

use homard_protocol::{
    AssistantMessage, Entry, EntryId, EntryKind, Message, SessionId, StopReason, UserBlock, UserContent,
    UserMessage,
};
use homard_store::Context;
use jiff::tz::TimeZone;

use super::History;

fn entry(kind: EntryKind) -> Entry {
    Entry { id: EntryId::parse("aaaaaaaa").unwrap(), parent_id: None, timestamp: String::new(), kind }
}

fn user(content: UserContent) -> Message {
    Message::User(UserMessage { content, timestamp: 1_794_771_660_000, idempotency_key: None })
}

fn history(kinds: Vec<EntryKind>, summary: Option<&str>) -> History {
    let context = Context {
        summary: summary.map(str::to_owned),
        summary_details: None,
        entries: kinds.into_iter().map(entry).collect(),
        leaf: None,
        last_seq: 7,
    };
    History::new(SessionId::parse("s").unwrap(), context, TimeZone::UTC)
}

fn texts(history: &History) -> Vec<String> {
    history.messages().iter().map(|message| message.text()).collect()
}

#[test]
fn user_messages_carry_their_time_and_bookkeeping_is_left_out() {
    let history = history(
        vec![
            EntryKind::SessionInfo { name: "x".into() },
            EntryKind::Message { message: user(UserContent::Text("hi".into())) },
            EntryKind::Message { message: Message::Other(serde_json::json!({"role": "bashExecution"})) },
            EntryKind::Message {
                message: Message::Assistant(AssistantMessage::injected("note".into(), StopReason::Stop, 1)),
            },
        ],
        None,
    );
    assert_eq!(texts(&history), ["[Sun 2026-11-15 19:41 UTC] hi", "note"]);
}

#[test]
fn a_picture_without_words_still_has_its_time() {
    let image = UserBlock::Image { data: String::new(), mime_type: "image/png".into() };
    let history = history(vec![EntryKind::Message { message: user(UserContent::Blocks(vec![image])) }], None);
    assert_eq!(texts(&history), ["[Sun 2026-11-15 19:41 UTC]"]);
}

#[test]
fn a_summary_comes_first() {
    let history =
        history(vec![EntryKind::Message { message: user(UserContent::Text("hi".into())) }], Some("the past"));
    assert!(texts(&history)[0].ends_with("the past"));
    assert_eq!(history.messages().len(), 2);
}

#[test]
fn a_failed_answer_without_words_is_left_out() {
    let mut failed = AssistantMessage::injected(String::new(), StopReason::Error, 1);
    failed.content.clear();
    assert!(
        texts(&history(vec![EntryKind::Message { message: Message::Assistant(failed) }], None)).is_empty()
    );
}

#[test]
fn a_history_knows_when_the_transcript_moved_on() {
    let mut history = history(vec![], None);
    let session = SessionId::parse("s").unwrap();
    assert!(history.is_at(&session, 8));
    assert!(!history.is_at(&session, 9));
    assert!(!history.is_at(&SessionId::parse("t").unwrap(), 8));
    history.record(user(UserContent::Text("x".into())), 8);
    assert!(history.is_at(&session, 9));
}

#[test]
fn what_the_provider_counted_is_believed_until_a_summary_replaces_it() {
    let mut counted = AssistantMessage::injected("x".repeat(400), StopReason::Stop, 1);
    counted.usage.input = 5_000;
    counted.usage.output = 100;
    let kinds = || {
        let said = EntryKind::Message { message: user(UserContent::Text("hi".into())) };
        vec![said, EntryKind::Message { message: Message::Assistant(counted.clone()) }]
    };
    let mut known = history(kinds(), None);
    assert_eq!(known.estimate(1_000), 5_100);
    assert_eq!(known.guessed(4_000, 1_000), 1_000, "a guess is corrected fourfold at most");
    known.record(user(UserContent::Text("y".repeat(4_000))), 8);
    assert!((6_100..6_150).contains(&known.estimate(1_000)), "{}", known.estimate(1_000));
    let shortened = history(kinds(), Some("the past"));
    assert!(shortened.estimate(1_000) < 1_200, "{}", shortened.estimate(1_000));
    assert_eq!(shortened.guessed(4_000, 1_000), 4_000);
}
