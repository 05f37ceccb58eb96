//! Where answers may be sent.

use homard_channel::ChatKind;
use homard_protocol::{SessionKey, Word};
use serde_json::{Value, json};

use super::{SendAction, SendPlace, send_policy};
use crate::written;

fn decided(
    policy: &Value,
    key: &str,
    own: Option<&str>,
    channel: Option<&str>,
    chat: Option<ChatKind>,
) -> SendAction {
    let policy = written::config(&json!({ "session": { "sendPolicy": policy } })).session.send_policy;
    let session = SessionKey::parse(key).unwrap();
    let own = own.map(Word::of);
    send_policy(&policy, &SendPlace { own: own.as_ref(), session: &session, channel, chat })
}

#[test]
fn any_rule_that_denies_wins_over_rules_that_allow() {
    let deny = |matching: Value| json!({ "rules": [{ "action": "deny", "match": matching }] });
    let only =
        |matching: Value| json!({ "default": "deny", "rules": [{ "action": "allow", "match": matching }] });
    let group = "agent:main:telegram:group:-100";
    let rows = [
        (json!({}), group, SendAction::Allow),
        (json!({ "default": "deny" }), group, SendAction::Deny),
        (deny(json!({ "channel": "telegram" })), group, SendAction::Deny),
        (deny(json!({ "channel": "Telegram" })), group, SendAction::Deny),
        (deny(json!({ "channel": "irc" })), group, SendAction::Allow),
        (deny(json!({ "chatType": "group" })), group, SendAction::Deny),
        (deny(json!({ "chatType": "direct" })), group, SendAction::Allow),
        (deny(json!({ "chatType": "dm" })), "agent:main:telegram:direct:4", SendAction::Deny),
        (deny(json!({ "chatType": "channel" })), "agent:main:irc:channel:#a", SendAction::Deny),
        (deny(json!({ "channel": "telegram", "chatType": "channel" })), group, SendAction::Allow),
        (deny(json!({ "keyPrefix": "telegram:group:" })), group, SendAction::Deny),
        (deny(json!({ "keyPrefix": "cron:" })), "agent:main:cron:job", SendAction::Deny),
        (deny(json!({ "keyPrefix": "agent:main:telegram" })), group, SendAction::Deny),
        (deny(json!({ "rawKeyPrefix": "telegram:" })), group, SendAction::Allow),
        (deny(json!({ "rawKeyPrefix": "agent:main:" })), group, SendAction::Deny),
        (deny(json!({})), group, SendAction::Deny),
        (only(json!({ "channel": "telegram" })), group, SendAction::Allow),
        (only(json!({ "channel": "telegram" })), "agent:main:irc:channel:#a", SendAction::Deny),
        (
            json!({ "rules": [{ "action": "allow", "match": {} }, { "action": "deny", "match": { "channel": "telegram" } }] }),
            group,
            SendAction::Deny,
        ),
    ];
    for (policy, key, expected) in rows {
        assert_eq!(decided(&policy, key, None, None, None), expected, "{policy} {key}");
    }
}

#[test]
fn what_the_session_says_counts_before_any_rule() {
    let policy = json!({ "rules": [{ "action": "deny", "match": {} }] });
    for (own, expected) in [
        (Some("allow"), SendAction::Allow),
        (Some("on"), SendAction::Allow),
        (Some("deny"), SendAction::Deny),
        (Some("inherit"), SendAction::Deny),
        (None, SendAction::Deny),
    ] {
        assert_eq!(decided(&policy, "agent:main:main", own, None, None), expected, "{own:?}");
    }
    assert_eq!(decided(&json!({}), "agent:main:main", Some("off"), None, None), SendAction::Deny);
}

#[test]
fn a_shared_conversation_is_judged_by_where_the_message_came_from() {
    let policy =
        json!({ "rules": [{ "action": "deny", "match": { "channel": "irc", "chatType": "group" } }] });
    let main = "agent:main:main";
    let found = |channel, chat| decided(&policy, main, None, channel, chat);
    assert_eq!(found(Some("irc"), Some(ChatKind::Group)), SendAction::Deny);
    assert_eq!(found(Some("irc"), Some(ChatKind::Direct)), SendAction::Allow);
    assert_eq!(found(None, Some(ChatKind::Group)), SendAction::Allow);
    assert_eq!(decided(&policy, "global", None, Some("irc"), Some(ChatKind::Group)), SendAction::Deny);
}
