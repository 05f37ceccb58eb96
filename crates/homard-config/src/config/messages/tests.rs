//! What people write about messages.

use std::time::Duration;

use homard_protocol::ChannelId;
use serde_json::{Value, json};

use super::{Messages, QueueDrop, QueueMode, Resolve};
use crate::env::Environment;
use crate::paths::Paths;

fn decided(written: Value) -> (Messages, Vec<String>) {
    let env = Environment::default();
    let paths = Paths::under(std::path::Path::new("home"));
    let mut cx = Resolve::new(&paths, &env);
    let messages = Messages::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    (messages, cx.issues.iter().map(|issue| issue.path.clone()).collect())
}

#[test]
fn somebody_who_wrote_nothing_gets_the_usual() {
    let (messages, issues) = decided(json!({}));
    assert!(issues.is_empty());
    assert_eq!((messages.queue.mode, messages.queue.cap), (None, 20));
    assert_eq!(
        (messages.queue.debounce, messages.queue.drop),
        (Duration::from_secs(1), QueueDrop::Summarize)
    );
    assert_eq!((messages.inbound.debounce, messages.group_chat.history()), (Duration::ZERO, 50));
}

#[test]
fn what_is_written_counts_per_channel_first() {
    let (messages, issues) = decided(json!({
        "groupChat": { "historyLimit": 0, "mentionPatterns": ["bot"] },
        "queue": { "mode": "steer", "byChannel": { "IRC": "interrupt", "telegram": "nonsense" },
            "debounceMs": 0, "debounceMsByChannel": { "irc": 5 }, "cap": 0, "drop": "old" },
        "inbound": { "debounceMs": 7, "byChannel": { "irc": 9, "a b": 1 } },
    }));
    assert_eq!(issues, ["messages.inbound.byChannel.a b", "messages.queue.byChannel.telegram"]);
    let (irc, telegram) = (ChannelId::parse("irc").unwrap(), ChannelId::parse("telegram").unwrap());
    assert_eq!(
        (messages.queue.mode, messages.queue.by_channel[&irc]),
        (Some(QueueMode::Steer), QueueMode::Interrupt)
    );
    assert_eq!((messages.queue.cap, messages.queue.drop), (1, QueueDrop::Old));
    assert_eq!(messages.inbound.debounce_on(&irc), Duration::from_millis(9));
    assert_eq!(messages.inbound.debounce_on(&telegram), Duration::from_millis(7));
    assert_eq!(messages.group_chat.history(), 0);
}

#[test]
fn modes_and_drops_are_read_in_every_spelling_and_shown_in_one() {
    let modes = [
        ("steer", "steer"),
        ("Queue", "steer"),
        ("queued", "steer"),
        ("steer+backlog", "steer-backlog"),
        ("steer-backlog", "steer-backlog"),
        ("followup", "followup"),
        ("follow-up", "followup"),
        ("collect", "collect"),
        (" INTERRUPT ", "interrupt"),
    ];
    for (word, expected) in modes {
        assert_eq!(QueueMode::parse(word).map(QueueMode::as_str), Some(expected), "{word}");
    }
    for (word, expected) in [("old", "old"), ("newest", "new"), ("Summary", "summarize")] {
        assert_eq!(QueueDrop::parse(word).map(QueueDrop::as_str), Some(expected), "{word}");
    }
    assert_eq!((QueueMode::parse("later"), QueueDrop::parse("all")), (None, None));
}
