//! How messages wait.

use std::time::Duration;

use homard_config::config::messages::Queue;
use homard_protocol::Word;
use serde_json::{Value, json};

use super::{MakeRoom, Overflow, QueueDrop, QueueMode, QueueOptions, QueuePolicy, combine, make_room};
use crate::written;

fn settings(written: &Value) -> Queue {
    written::config(&json!({ "messages": { "queue": written } })).messages.queue
}

fn mode(mode: QueueMode) -> QueueOptions {
    QueueOptions { mode: Some(mode), ..QueueOptions::default() }
}

#[test]
fn the_message_decides_before_the_session_the_platform_and_the_rest() {
    let none = QueueOptions::default();
    let rows = [
        (json!({}), none, none, QueueMode::Collect),
        (json!({ "mode": "steer" }), none, none, QueueMode::Steer),
        (json!({ "mode": "steer", "byChannel": { "irc": "interrupt" } }), none, none, QueueMode::Interrupt),
        (json!({ "mode": "steer", "byChannel": { "telegram": "interrupt" } }), none, none, QueueMode::Steer),
        (
            json!({ "byChannel": { "irc": "interrupt" } }),
            mode(QueueMode::Followup),
            none,
            QueueMode::Followup,
        ),
        (json!({}), mode(QueueMode::Followup), mode(QueueMode::SteerBacklog), QueueMode::SteerBacklog),
    ];
    let irc = "irc".parse().unwrap();
    for (written, session, inline, expected) in rows {
        let policy = QueuePolicy::decide(&settings(&written), Some(&irc), &session, &inline);
        assert_eq!(policy.mode, expected, "{written}");
    }
}

#[test]
fn quiet_time_cap_and_drop_are_decided_each_for_itself() {
    let written =
        settings(&json!({ "debounceMs": 100, "debounceMsByChannel": { "irc": 5 }, "cap": 3, "drop": "new" }));
    let irc = "irc".parse().unwrap();
    let session = QueueOptions::kept(Some(&Word::of("nonsense")), Some(7), None, Some(&Word::of("old")));
    let inline = QueueOptions { cap: Some(0), ..QueueOptions::default() };
    let decided = |session: &QueueOptions, inline: &QueueOptions| {
        QueuePolicy::decide(&written, Some(&irc), session, inline)
    };
    let usual = decided(&QueueOptions::default(), &QueueOptions::default());
    assert_eq!((usual.debounce, usual.cap, usual.drop), (Duration::from_millis(5), 3, QueueDrop::New));
    let own = decided(&session, &inline);
    assert_eq!(
        (own.mode, own.debounce, own.cap, own.drop),
        (QueueMode::Collect, Duration::from_millis(7), 1, QueueDrop::Old)
    );
    let nowhere = QueuePolicy::decide(&written, None, &QueueOptions::default(), &QueueOptions::default());
    assert_eq!(nowhere.debounce, Duration::from_millis(100));
    let forever =
        QueueOptions { debounce: Some(Duration::MAX), cap: Some(usize::MAX), ..QueueOptions::default() };
    let bounded = decided(&QueueOptions::default(), &forever);
    assert_eq!((bounded.debounce, bounded.cap), (Duration::from_secs(600), 1_000));
}

#[test]
fn a_full_queue_gives_up_what_it_was_told_to() {
    let policy = |drop| QueuePolicy { mode: QueueMode::Collect, debounce: Duration::ZERO, cap: 2, drop };
    let rows = [
        (QueueDrop::Old, 0, MakeRoom::Enough),
        (QueueDrop::Old, 1, MakeRoom::Enough),
        (QueueDrop::Old, 2, MakeRoom::GiveUpOldest { count: 1, noted: false }),
        (QueueDrop::Summarize, 2, MakeRoom::GiveUpOldest { count: 1, noted: true }),
        (QueueDrop::Summarize, 5, MakeRoom::GiveUpOldest { count: 4, noted: true }),
        (QueueDrop::New, 2, MakeRoom::RefuseNew),
        (QueueDrop::New, 1, MakeRoom::Enough),
    ];
    for (drop, waiting, expected) in rows {
        assert_eq!(make_room(&policy(drop), waiting), expected, "{drop:?} {waiting}");
    }
}

#[test]
fn of_dropped_messages_a_line_each_is_kept_but_no_more_than_may_wait() {
    let mut overflow = Overflow::default();
    assert_eq!(overflow.prompt(), None);
    overflow.note("first\n  message", 1, 2);
    assert_eq!(
        overflow.prompt().unwrap(),
        "[Queue overflow] Dropped 1 message due to cap.\nSummary:\n- first message"
    );
    overflow.note(&"x".repeat(500), 2, 2);
    overflow.note("third", 3, 2);
    assert_eq!((overflow.dropped, overflow.lines.len()), (3, 2));
    assert_eq!((overflow.lines[0].chars().count(), overflow.lines[1].as_str()), (160, "third"));
    assert!(overflow.prompt().unwrap().starts_with("[Queue overflow] Dropped 3 messages due to cap."));
}

#[test]
fn what_is_remembered_of_dropped_messages_stays_in_the_order_in_which_they_were_written() {
    let noted = |lines: &[(&str, i64)]| {
        let mut overflow = Overflow::default();
        lines.iter().for_each(|(line, at)| overflow.note(line, *at, 20));
        overflow
    };
    let mut all = noted(&[("b", 2), ("e", 5)]);
    all.join(&noted(&[("a", 1), ("d", 4)]), 20);
    all.join(&noted(&[("c", 3)]), 20);
    assert_eq!((all.dropped, all.lines.join("")), (5, "abcde".to_owned()));
    all.join(&noted(&[("f", 6)]), 3);
    assert_eq!((all.dropped, all.lines.join("")), (6, "def".to_owned()));
    // As an earlier version kept it.
    let older: Overflow = serde_json::from_str(r#"{"dropped":2,"lines":["x","y"]}"#).unwrap();
    all.join(&older, 20);
    assert_eq!(all.lines.join(""), "xydef");
}

#[test]
fn messages_that_waited_are_told_together_and_one_is_told_as_it_is() {
    let told = |prompts: &[&str], overflow: &Overflow| {
        combine(&prompts.iter().map(|&prompt| prompt.to_owned()).collect::<Vec<_>>(), overflow)
    };
    let mut overflow = Overflow::default();
    let expected = "[Queued messages while agent was busy]\n\n---\nQueued #1\none\n\n---\nQueued #2\ntwo";
    assert_eq!(told(&["one\n", "two"], &overflow), expected);
    assert_eq!(told(&["one"], &overflow), "one");
    overflow.note("lost", 1, 5);
    let text = told(&["one"], &overflow);
    assert!(text.contains("- lost") && text.ends_with("Queued #1\none"), "{text}");
}
