//! Parameters of sending, and what they become.

use homard_protocol::methods::channels::sending::{MessageActionParams, SendParams};
use homard_tools::MessageVerb;
use serde_json::{Value, json};

use super::{post_of, wish_of};

fn send(more: &Value) -> SendParams {
    let mut params = json!({"to": "x", "idempotencyKey": "k"});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(params).unwrap()
}

#[test]
fn a_message_needs_words_or_a_file() {
    for (params, words) in [
        (json!({}), "text or media is required"),
        (json!({"message": " "}), "text or media is required"),
        (json!({"mediaUrl": ""}), "text or media is required"),
        (json!({"buffer": "%%%"}), "at /buffer"),
    ] {
        let error = post_of(&send(&params)).unwrap_err();
        assert!(error.message().contains(words), "{params}: {error:?}");
    }
    let both = post_of(&send(&json!({"message": "a", "mediaUrls": ["b", "c"], "buffer": "aGk="}))).unwrap();
    assert_eq!((both.text.as_str(), both.files.len()), ("a", 3));
}

#[test]
fn the_action_and_the_platform_stand_beside_the_parameters() {
    let params: MessageActionParams = serde_json::from_value(json!({
        "channel": "telegram", "action": "react", "idempotencyKey": "k", "accountId": "work",
        "params": {"to": 12, "messageId": 7, "emoji": "👍", "action": "send", "channel": "irc"},
        "reply": {"replyToId": "9", "source": "explicit"},
    }))
    .unwrap();
    let wish = wish_of("telegram", "react", &params.params, &params).unwrap();
    assert_eq!((wish.action, wish.channel.as_deref()), (MessageVerb::React, Some("telegram")));
    assert_eq!((wish.account_id.as_deref(), wish.target.as_deref()), (Some("work"), Some("12")));
    assert_eq!(wish.reply_to.as_deref(), Some("9"));
    assert!(wish_of("telegram", "fly", &params.params, &params).unwrap_err().is_none());
    let bad: MessageActionParams = serde_json::from_value(json!({
        "channel": "telegram", "action": "send", "idempotencyKey": "k", "params": {"silent": "yes"},
    }))
    .unwrap();
    assert!(wish_of("telegram", "send", &bad.params, &bad).unwrap_err().is_some());
}
