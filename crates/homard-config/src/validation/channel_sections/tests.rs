//! What is said about the sections of platforms.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::json;

use super::ChannelSections;

static KNOWN: LazyLock<ChannelSections> = LazyLock::new(|| {
    let account = json!({"type": "object", "additionalProperties": false, "properties": {
        "policy": {"type": "string", "enum": ["open", "closed"]},
        "limit": {"type": "integer", "minimum": 0},
        "later": {"x-inert": true},
        "either": {"anyOf": [{"type": "boolean"}, {
            "type": "object", "properties": {"later": {"x-inert": true}}, "additionalProperties": false,
        }]},
    }});
    let mut section = account.clone();
    section["properties"]["accounts"] = json!({"type": "object", "additionalProperties": account});
    ChannelSections { schemas: BTreeMap::from([("chatter", section)]), inert: &["parrot"] }
});

#[test]
fn wrong_sections_are_told_with_place_and_nearest_word() {
    let rows = [
        (
            json!({"chatter": {"policy": "open", "limit": 3, "later": [1]}, "parrot": {"anything": 1}}),
            &[][..],
        ),
        (json!({"chatter": null}), &[]),
        (
            json!({"chatter": {"policy": "opn"}}),
            &[
                "channels.chatter.policy: expected one of \"open\", \"closed\", found \"opn\"; did you mean \"open\"?",
            ],
        ),
        (
            json!({"chatter": {"accounts": {"Work": {"policy2": "open"}}}}),
            &["channels.chatter.accounts.Work.policy2: unknown key; did you mean `policy`?"],
        ),
        (
            json!({"chatter": {"limit": "many"}}),
            &["channels.chatter.limit: expected a whole number, 0 or more, found \"many\""],
        ),
        (json!({"chattter": {}}), &["channels.chattter: unknown platform; did you mean `chatter`?"]),
        (json!({"zebra": {}}), &["channels.zebra: unknown platform; known: chatter, parrot"]),
    ];
    for (channels, expected) in rows {
        let found = KNOWN.issues(&json!({"channels": channels}));
        let found: Vec<String> =
            found.iter().map(|issue| format!("{}: {}", issue.path, issue.message)).collect();
        assert_eq!(found, expected, "{channels}");
    }
}

#[test]
fn what_does_nothing_yet_is_found_at_any_depth() {
    let config = json!({"channels": {
        "parrot": {"token": "x"},
        "chatter": {"later": 1, "policy": "open", "either": {"later": 2}, "accounts": {"a": {"later": true}}},
    }});
    let mut found: Vec<String> = KNOWN.not_yet(&config).iter().map(ToString::to_string).collect();
    found.sort();
    let expected = [
        "channels.chatter.accounts.a.later",
        "channels.chatter.either.later",
        "channels.chatter.later",
        "channels.parrot",
    ];
    assert_eq!(found, expected);
}
