//! What holds in one place: the closest word counts.

use homard_channel::Conversation;
use homard_protocol::{ChannelId, PeerId, ThreadId};
use serde_json::{Value, json};

use super::super::{AccountRules, GroupPolicy};

fn rules(section: &Value) -> AccountRules {
    let channel = ChannelId::parse("telegram").unwrap();
    AccountRules::of(&channel, None, section, None)
}

fn group(id: &str, thread: Option<&str>) -> Conversation {
    Conversation::Group {
        id: PeerId::parse(id).unwrap(),
        thread: thread.map(|thread| ThreadId::parse(thread).unwrap()),
    }
}

#[test]
fn topics_come_before_groups_before_the_star_before_the_account() {
    let rules = rules(&json!({
        "requireMention": false, "groupPolicy": "allowlist",
        "groups": {
            "*": {"requireMention": true, "systemPrompt": "star", "skills": ["s"], "historyLimit": 1},
            "-1": {
                "groupPolicy": "open", "systemPrompt": "one", "tools": {"deny": ["exec"]}, "users": ["5"],
                "topics": {
                    "7": {"requireMention": false, "systemPrompt": "seven", "allowFrom": ["6"], "historyLimit": 3},
                    "*": {"skills": ["t"], "enabled": true, "historyLimit": 2},
                    "8": {"enabled": false}
                }
            },
            "telegram:-2": {"enabled": false, "topics": {"9": {"enabled": true}}},
            "group:-3": null,
        },
    }));
    let place = |id: &str, thread: Option<&str>| rules.groups.place(&group(id, thread), None);
    let seven = place("-1", Some("7"));
    assert!(seven.is_listed && seven.enabled && !seven.require_mention);
    assert_eq!(seven.policy, GroupPolicy::Open);
    assert_eq!(seven.allow.unwrap().entries(), ["6"]);
    assert_eq!(seven.system_prompt, ["one", "seven"]);
    assert_eq!(seven.skills, Some(&["t".to_owned()][..]));
    assert_eq!(seven.tools, Some(&json!({"deny": ["exec"]})));
    assert_eq!(seven.history_limit, Some(3));
    let other = place("-1", Some("1"));
    assert_eq!(
        (other.require_mention, other.history_limit, other.system_prompt),
        (true, Some(2), vec!["one"])
    );
    assert_eq!(other.allow.unwrap().entries(), ["5"]);
    assert!(!place("-1", Some("8")).enabled);
    let whole = place("-1", None);
    assert_eq!((whole.skills, whole.history_limit), (Some(&["s".to_owned()][..]), Some(1)));
    assert!(!place("-2", None).enabled);
    assert!(!place("-2", Some("9")).enabled, "a topic of a group that is off is off");
    let star = place("-99", None);
    assert_eq!((star.is_listed, star.require_mention, star.policy), (true, true, GroupPolicy::Allowlist));
    assert_eq!(star.system_prompt, ["star"]);
    assert!(place("-3", None).enabled);
}

#[test]
fn a_list_of_groups_is_all_there_is_unless_it_has_a_star() {
    let rows = [
        (json!({}), "-1", true),
        (json!({"groups": {}}), "-1", true),
        (json!({"groups": null}), "-1", true),
        (json!({"groups": {"-1": {}}}), "-1", true),
        (json!({"groups": {"-1": true}}), "-1", true),
        (json!({"groups": {"-1": {}}}), "-2", false),
        (json!({"groups": {"*": {}}}), "-2", true),
        (json!({"groups": {"#Room": {}}}), "#room", true),
        (json!({"groups": {"#room": {}}}), "#ROOM", true),
        (json!({"groups": {"tg:-1": {}}}), "-1", true),
        (json!({"groups": {"irc:-1": {}}}), "-1", false),
        (json!({"rooms": {"!a:b": {}}}), "!a:b", true),
        (json!({"channels": {"C1": {}}}), "c1", true),
        (json!({"channels": {"C1": {}}}), "c2", false),
        (json!({"channels": ["#a"]}), "#b", true),
        (json!({"groups": []}), "-1", false),
    ];
    for (section, id, expected) in rows {
        assert_eq!(
            rules(&section).groups.place(&group(id, None), None).is_listed,
            expected,
            "{section} {id}"
        );
    }
}

#[test]
fn a_thread_that_is_a_room_of_its_own_has_its_parents_rules() {
    let rules =
        rules(&json!({"groups": {"parent": {"requireMention": false}, "child": {"systemPrompt": "x"}}}));
    let parent = PeerId::parse("parent").unwrap();
    let child = rules.groups.place(&group("child", None), Some(&parent));
    assert_eq!((child.is_listed, child.require_mention, child.system_prompt), (true, false, vec!["x"]));
    assert!(rules.groups.place(&group("another", None), Some(&parent)).is_listed);
    assert!(!rules.groups.place(&group("another", None), None).is_listed);
}

#[test]
fn single_people_have_rules_too() {
    let rules = rules(&json!({
        "dmHistoryLimit": 10,
        "dms": {"42": {"historyLimit": 3}, "Bob": {"systemPrompt": "be kind"}},
        "direct": {"43": {"enabled": false}, "*": {"skills": ["a"]}},
    }));
    let directs = &rules.directs;
    assert_eq!((directs.history_limit("42"), directs.history_limit("1")), (Some(3), Some(10)));
    assert_eq!((directs.system_prompt("bob"), directs.system_prompt("42")), (Some("be kind"), None));
    assert_eq!(directs.skills("42"), Some(&["a".to_owned()][..]));
    assert!(directs.is_enabled("42") && !directs.is_enabled("43"));
}
