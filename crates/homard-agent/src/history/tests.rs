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

#[test]
fn only_the_last_turns_are_told_where_there_is_a_limit() {
    let said = |text: &str| EntryKind::Message { message: user(UserContent::Text(text.into())) };
    let answered = |text: &str| EntryKind::Message {
        message: Message::Assistant(AssistantMessage::injected(text.into(), StopReason::Stop, 1)),
    };
    let kinds = vec![said("a"), answered("A"), said("b"), answered("B"), said("c")];
    let told = |limit: Option<usize>| {
        let mut history = history(kinds.clone(), Some("the past"));
        history.limit_turns(limit);
        history
    };
    let ends = |history: &History| -> Vec<String> {
        texts(history).iter().map(|text| text[text.len() - 1..].to_owned()).collect()
    };
    assert_eq!(ends(&told(None)), ["t", "a", "A", "b", "B", "c"]);
    assert_eq!(ends(&told(Some(0))), ends(&told(None)), "0 is no limit");
    assert_eq!(ends(&told(Some(9))), ends(&told(None)));
    let mut two = told(Some(2));
    assert_eq!(ends(&two), ["b", "B", "c"]);
    assert!(two.size().1 < told(None).size().1);
    two.record(user(UserContent::Text("d".into())), 8);
    assert_eq!(ends(&two), ["c", "d"], "it stays limited");
}

#[test]
fn pictures_are_shown_with_the_last_words() {
    let said = |text: &str| EntryKind::Message { message: user(UserContent::Text(text.into())) };
    let mut history = history(vec![said("a"), said("b")], None);
    history.show(vec![UserBlock::Image { data: "AA==".into(), mime_type: "image/png".into() }]);
    let messages = history.messages();
    let Message::User(last) = &*messages[1] else { panic!("not a user") };
    let UserContent::Blocks(blocks) = &last.content else { panic!("no blocks") };
    assert!(blocks[0].as_text().unwrap().ends_with('b') && blocks.len() == 2, "{blocks:?}");
}
