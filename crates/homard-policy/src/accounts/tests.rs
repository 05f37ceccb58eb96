//! Whose word counts about an account: its own, its platform's, everybody's.

use homard_channel::{SHARED_KEYS, Takes};
use homard_config::config::RawChannels;
use homard_protocol::{AccountId, ChannelId};
use serde_json::{Value, json};

use super::ChannelAccounts;
use crate::access::{DmPolicy, GroupPolicy};

fn channel() -> ChannelId {
    ChannelId::parse("chatter").unwrap()
}

fn account(name: &str) -> AccountId {
    AccountId::parse(name).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "rows are written where they are used")]
fn accounts(channels: Value) -> ChannelAccounts {
    let sections = channels.as_object().unwrap().iter();
    let sections = sections.map(|(id, section)| (ChannelId::parse(id).unwrap(), section.clone()));
    ChannelAccounts::resolve(&sections.collect::<RawChannels>())
}

#[test]
fn an_accounts_values_lie_over_the_section_and_the_section_over_the_defaults() {
    let accounts = accounts(json!({
        "defaults": {"groupPolicy": "open", "historyLimit": 1, "dmPolicy": "disabled"},
        "chatter": {
            "dmPolicy": "open", "allowFrom": ["*"], "historyLimit": 5, "token": "platform's",
            "accounts": {
                "Work Bot": {"dmPolicy": "allowlist", "allowFrom": ["7"], "token": "own"},
                "off": {"enabled": false}, "bad": 3,
            },
        },
        "quiet": {"enabled": false, "accounts": {"a": {"enabled": true}}},
    }));
    let rules = |name: &str| &accounts.get(&channel(), &account(name)).rules;
    let work = rules("work-bot");
    assert_eq!(
        (work.dm_policy, work.allow.entries(), work.history_limit),
        (DmPolicy::Allowlist, &["7".to_owned()][..], Some(5))
    );
    assert_eq!((work.groups.policy, work.groups.allow.entries().len()), (GroupPolicy::Open, 1));
    assert_eq!((rules("default").dm_policy, rules("default").allow.has_everybody()), (DmPolicy::Open, true));
    assert!(rules("default").enabled && !rules("off").enabled);
    assert_eq!(rules("bad").problems.len(), 1);
    let quiet = ChannelId::parse("quiet").unwrap();
    assert!(!accounts.get(&quiet, &account("a")).rules.enabled, "a platform that is off is off");
    assert_eq!(accounts.platforms_on().collect::<Vec<_>>(), [&channel()]);
    let elsewhere = ChannelId::parse("elsewhere").unwrap();
    assert_eq!(accounts.get(&elsewhere, &account("default")).rules.dm_policy, DmPolicy::Disabled);
}

#[test]
fn an_account_is_found_however_its_name_is_written() {
    let accounts = accounts(json!({"chatter": {
        "token": "platform's", "allowFrom": ["1"], "accounts": {"Work Bot": {"token": "own", "allowFrom": ["2"]}},
    }}));
    let found: Vec<_> = accounts.of_platform(&channel()).collect();
    assert_eq!(found.len(), 1);
    let (id, work) = &found[0];
    assert_eq!(id.as_str(), "work-bot");
    assert_eq!(work.section.get("token"), Some(&json!("own")));
    assert!(!work.section.contains_key("accounts"));
    assert_eq!((work.list("allowFrom"), work.list("groupAllowFrom")), (vec!["2".to_owned()], vec![]));
    assert_eq!(work.path("allowFrom"), "channels.chatter.accounts.Work Bot.allowFrom");
    assert_eq!(accounts.usual(&channel()).as_str(), "work-bot");
}

#[test]
fn the_account_that_is_meant_when_none_is_named() {
    let rows = [
        (json!({}), "default"),
        (json!({"accounts": {}}), "default"),
        (json!({"accounts": {"work": {}, "default": {}}}), "default"),
        (json!({"accounts": {"work": {}, "home": {}}}), "home"),
        (json!({"accounts": {"work": {}}, "defaultAccount": "Work"}), "work"),
        (json!({"accounts": 7, "defaultAccount": 7}), "default"),
        (json!(null), "default"),
    ];
    for (section, expected) in rows {
        let accounts = accounts(json!({"chatter": section}));
        assert_eq!(accounts.usual(&channel()).as_str(), expected, "{section}");
    }
}

#[test]
fn the_owner_can_turn_single_acts_on_and_off() {
    let rows = [
        (json!({}), true, Ok(())),
        (json!({}), false, Err("stickers")),
        (json!({"actions": {"stickers": true}}), false, Ok(())),
        (json!({"actions": {"other": true}}), false, Err("stickers")),
        (json!({"actions": {"messages": true}}), false, Ok(())),
        (json!({"actions": {"messages": false}}), true, Err("messages")),
        (json!({"actions": {"stickers": true, "messages": false}}), true, Err("messages")),
        (json!({"actions": {"other": false}}), true, Ok(())),
    ];
    for (written, usual, expected) in rows {
        let accounts = accounts(json!({"chatter": written}));
        let account = accounts.get(&channel(), &account("default"));
        assert_eq!(account.allows(&["stickers", "messages"], usual), expected, "{written}");
    }
}

#[test]
fn the_most_particular_history_limit_holds() {
    let accounts = accounts(json!({"chatter": {
        "dmHistoryLimit": 20,
        "dms": {"42": {"historyLimit": 5}, "43": {"historyLimit": 0}},
        "accounts": {"work": {"dmHistoryLimit": 7, "dms": {"44": {"historyLimit": 3}}}},
    }}));
    let rows = [
        ("default", "1", Some(20)),
        ("default", "42", Some(5)),
        ("default", "43", Some(0)),
        ("work", "1", Some(7)),
        ("work", "44", Some(3)),
        ("other", "42", Some(5)),
    ];
    for (name, peer, expected) in rows {
        let directs = &accounts.get(&channel(), &account(name)).rules.directs;
        assert_eq!(directs.history_limit(peer), expected, "{name} {peer}");
    }
}

#[test]
fn where_values_are_cut_is_said_by_the_closest_layer() {
    let rows = [
        (json!({"defaults": {"textChunkLimit": 10}, "chatter": {}}), 10),
        (json!({"defaults": {"textChunkLimit": 10}, "chatter": {"textChunkLimit": 20}}), 20),
        (
            json!({
                "defaults": {"textChunkLimit": 10},
                "chatter": {"textChunkLimit": 20, "accounts": {"default": {"textChunkLimit": 30}}},
            }),
            30,
        ),
        (json!({"defaults": {"textChunkLimit": 10}}), 10),
    ];
    for (channels, expected) in rows {
        let accounts = accounts(channels.clone());
        let limit = accounts.get(&channel(), &account("default")).rules.speaking.text_chunk_limit;
        assert_eq!(limit, Some(expected), "{channels}");
    }
}

/// The words a shared key takes are those the rules know.
#[test]
fn every_word_the_schema_allows_is_understood() {
    let mut tried = 0;
    for key in SHARED_KEYS {
        let Takes::Word(words) = key.takes else { continue };
        for word in words {
            let section = json!({key.name: word, "allowFrom": ["*"]});
            let accounts = accounts(json!({"chatter": section}));
            assert_eq!(accounts.problems(), Vec::<&str>::new(), "{}: {word}", key.name);
            tried += 1;
        }
    }
    assert!(tried >= 15, "{tried}");
}
