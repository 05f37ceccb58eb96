//! What a wish asks to be done.

use homard_tools::MessageArgs;
use serde_json::{Value, json};

use super::{MessageAction, deed_of};

fn wish(value: &Value) -> MessageArgs {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn every_action_says_what_it_needs() {
    let rows = [
        (json!({"action": "send"}), "message or media is needed"),
        (json!({"message": " "}), "message or media is needed"),
        (json!({"action": "sendAttachment"}), "media is needed"),
        (json!({"action": "reply", "message": "x"}), "replyTo is needed"),
        (json!({"action": "react", "emoji": "👍"}), "messageId is needed"),
        (json!({"action": "react", "messageId": 1}), "emoji is needed"),
        (json!({"action": "edit", "messageId": 1}), "message is needed"),
        (json!({"action": "delete"}), "messageId is needed"),
        (json!({"action": "pin"}), "messageId is needed"),
        (json!({"action": "poll", "pollOption": ["a", "b"]}), "pollQuestion is needed"),
        (json!({"action": "thread-create"}), "threadName is needed"),
        (json!({"action": "thread-reply", "message": "x"}), "threadId is needed"),
        (json!({"message": "x", "buttons": [[{"text": " "}]]}), "a button needs a text"),
        (
            json!({"message": "x", "buttons": [[{"text": "Tea", "callback_data": "approval:1:allow-once"}]]}),
            "may not begin",
        ),
        (json!({"buffer": "not base64!"}), "base64"),
    ];
    for (arguments, words) in rows {
        let error = deed_of(&wish(&arguments)).unwrap_err().to_string();
        assert!(error.contains(words), "{arguments}: {error}");
    }
}

#[test]
fn wishes_become_deeds() {
    let rows = [
        (json!({"message": "x"}), "send"),
        (json!({"action": "react", "messageId": 1, "remove": true}), "react"),
        (json!({"action": "unsend", "messageId": "7"}), "delete"),
        (json!({"action": "unpin", "messageId": "7"}), "unpin"),
        (json!({"action": "sticker", "media": "a.webp"}), "sticker"),
        (json!({"action": "thread-create", "name": "x"}), "thread-create"),
        (json!({"action": "poll", "question": "?", "options": ["a", "b"], "pollDurationHours": 1}), "poll"),
    ];
    for (arguments, name) in rows {
        assert_eq!(deed_of(&wish(&arguments)).unwrap().name(), name, "{arguments}");
    }
    let MessageAction::Poll(ballot) = deed_of(&wish(
        &json!({"action": "poll", "question": "?", "options": ["a", "b", "c"], "pollDurationHours": 2, "pollMulti": true}),
    ))
    .unwrap() else {
        panic!("a poll")
    };
    assert_eq!((ballot.open_seconds, ballot.max_selections, ballot.anonymous), (Some(7_200), 3, true));
}
