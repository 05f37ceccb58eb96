//! What the owner wrote, decided; and what nobody can read is the safe thing.

use homard_channel::{ChunkMode, TableMode};
use homard_protocol::ChannelId;
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Map, Value, json};

use super::super::{
    AccountRules, AllowBots, Coalesce, DmPolicy, GroupPolicy, HeartbeatShown, LoopLimit, NameMatching,
    StreamMode,
};
use crate::reply::ReplyToMode;

#[expect(clippy::needless_pass_by_value, reason = "rows are written where they are used")]
fn of(section: Value) -> AccountRules {
    let channel = ChannelId::parse("telegram").unwrap();
    AccountRules::of(&channel, None, &section, None)
}

#[test]
fn nothing_written_is_the_careful_default() {
    let rules = of(json!({}));
    assert!(rules.problems.is_empty());
    assert_eq!((rules.enabled, rules.config_writes), (true, true));
    assert_eq!((rules.dm_policy, rules.groups.policy), (DmPolicy::Pairing, GroupPolicy::Allowlist));
    assert!(rules.allow.is_empty() && rules.groups.allow.is_empty() && rules.groups.listed.is_none());
    assert_eq!((rules.bots, rules.names), (AllowBots::Never, NameMatching::Never));
    assert_eq!(rules.bot_loops, Some(LoopLimit { most: 8, within_ms: 300_000 }));
    assert_eq!(rules, AccountRules::default());
    assert_eq!(of(Value::Null), rules, "a platform nobody wrote about");
}

#[test]
fn every_shared_key_is_read() {
    let rules = of(json!({
        "name": "Lobster", "dmPolicy": "Allowlist", "allowFrom": [42, "tg:43"], "groupAllowFrom": ["44"],
        "groupPolicy": "open", "historyLimit": 7, "dmHistoryLimit": 9, "mentionPatterns": ["hey"],
        "allowBots": "mentions", "botLoopProtection": {"maxEventsPerWindow": 3, "windowSeconds": 60},
        "replyToMode": "batched", "configWrites": false, "textChunkLimit": 1000, "chunkMode": "newline",
        "blockStreaming": true, "blockStreamingCoalesce": {"minChars": 1, "maxChars": 2, "idleMs": 3},
        "mediaMaxMb": 2.5, "responsePrefix": "", "ackReaction": "👀", "markdown": {"tables": "bullets"},
        "commands": {"native": false, "nativeSkills": "auto"}, "dangerouslyAllowNameMatching": true,
        "streamMode": "block", "heartbeat": {"showOk": true, "showAlerts": false},
        "heartbeatVisibility": {"showAlerts": true, "useIndicator": false},
    }));
    assert_eq!(rules.problems, Vec::<String>::new());
    assert_eq!(rules.name.as_deref(), Some("Lobster"));
    assert_eq!((rules.dm_policy, rules.groups.policy), (DmPolicy::Allowlist, GroupPolicy::Open));
    assert_eq!((rules.allow.entries().len(), rules.groups.allow.entries().len()), (2, 1));
    assert_eq!((rules.history_limit, rules.directs.history_limit("x")), (Some(7), Some(9)));
    assert_eq!(rules.mention_patterns.as_deref(), Some(&["hey".to_owned()][..]));
    assert_eq!((rules.bots, rules.names), (AllowBots::Mentions, NameMatching::Allowed));
    assert_eq!(rules.bot_loops, Some(LoopLimit { most: 3, within_ms: 60_000 }));
    assert_eq!(rules.media_max_bytes, Some(2_621_440));
    assert_eq!((rules.config_writes, rules.native_commands, rules.native_skills), (false, Some(false), None));
    let speaking = &rules.speaking;
    assert_eq!(speaking.heartbeat, HeartbeatShown { ok: true, alerts: true, indicator: false });
    assert_eq!(speaking.reply_to_mode, Some(ReplyToMode::Batched));
    assert_eq!((speaking.text_chunk_limit, speaking.chunk_mode), (Some(1000), Some(ChunkMode::Newline)));
    let coalesce = Coalesce { min_chars: Some(1), max_chars: Some(2), idle_ms: Some(3) };
    assert_eq!((speaking.block_streaming, speaking.coalesce), (Some(true), Some(coalesce)));
    assert_eq!(
        (speaking.response_prefix.as_deref(), speaking.ack_reaction.as_deref()),
        (Some(""), Some("👀"))
    );
    assert_eq!((speaking.tables, speaking.stream_mode), (Some(TableMode::Bullets), Some(StreamMode::Block)));
}

#[test]
fn newer_spellings_win_over_older_ones() {
    let rules = of(json!({
        "dm": {"policy": "open", "allowFrom": ["*"]}, "streamMode": "off", "chunkMode": "length", "blockStreaming": true,
        "streaming": {"mode": "progress", "chunkMode": "newline", "block": {"enabled": false, "coalesce": {"idleMs": 5}}},
        "ackReaction": {"emoji": "🦞", "direct": true}, "botLoopProtection": {"enabled": false},
    }));
    assert_eq!(rules.problems, Vec::<String>::new());
    assert_eq!((rules.dm_policy, rules.allow.has_everybody()), (DmPolicy::Open, true));
    let speaking = &rules.speaking;
    assert_eq!(
        (speaking.stream_mode, speaking.chunk_mode),
        (Some(StreamMode::Progress), Some(ChunkMode::Newline))
    );
    assert_eq!((speaking.block_streaming, speaking.ack_reaction.as_deref()), (Some(false), Some("🦞")));
    assert_eq!((speaking.coalesce.unwrap().idle_ms, rules.bot_loops), (Some(5), None));
    for (streaming, mode) in [
        (json!(true), Some(StreamMode::Partial)),
        (json!(false), Some(StreamMode::Off)),
        (json!("block"), Some(StreamMode::Block)),
        (json!({}), None),
    ] {
        assert_eq!(of(json!({"streaming": streaming})).speaking.stream_mode, mode);
    }
    let both =
        of(json!({"dmPolicy": "disabled", "allowFrom": ["1"], "dm": {"policy": "open", "allowFrom": ["*"]}}));
    assert_eq!((both.dm_policy, both.allow.has_everybody()), (DmPolicy::Disabled, false));
    assert_eq!(of(json!({"dm": {"enabled": false}})).dm_policy, DmPolicy::Disabled);
}

#[test]
fn an_open_door_needs_the_star_that_says_so() {
    assert_eq!(of(json!({"dmPolicy": "open"})).problems.len(), 1);
    assert_eq!(of(json!({"dmPolicy": "open", "allowFrom": ["42"]})).problems.len(), 1);
    assert!(of(json!({"dmPolicy": "open", "allowFrom": ["*"]})).problems.is_empty());
}

/// What is wrong, and whether what is left is safe.
type Case = (Value, fn(&AccountRules) -> bool);

#[test]
fn what_cannot_be_read_is_the_safe_thing_and_a_sentence() {
    let rows: Vec<Case> = vec![
        (json!({"enabled": "yes"}), |rules| !rules.enabled),
        (json!({"dmPolicy": "everyone"}), |rules| rules.dm_policy == DmPolicy::Pairing),
        (json!({"dmPolicy": 1}), |rules| rules.dm_policy == DmPolicy::Pairing),
        (json!({"dm": "open"}), |rules| rules.dm_policy == DmPolicy::Pairing),
        (json!({"dm": {"policy": []}}), |rules| rules.dm_policy == DmPolicy::Pairing),
        (json!({"dm": {"enabled": "no"}}), |rules| rules.dm_policy == DmPolicy::Disabled),
        (json!({"allowFrom": "*"}), |rules| rules.allow.is_empty()),
        (json!({"allowFrom": {"a": "*"}}), |rules| rules.allow.is_empty()),
        (json!({"allowFrom": [["*"]]}), |rules| rules.allow.is_empty()),
        (json!({"allowFrom": [null]}), |rules| rules.allow.is_empty()),
        (json!({"allowFrom": [true]}), |rules| rules.allow.is_empty()),
        (json!({"allowFrom": ["4\u{200b}2"]}), |rules| rules.allow.is_empty()),
        (json!({"allowFrom": ["*"], "groupAllowFrom": 7}), |rules| rules.groups.allow.is_empty()),
        (json!({"groupPolicy": "yes"}), |rules| rules.groups.policy == GroupPolicy::Allowlist),
        (json!({"groupPolicy": null, "groups": []}), |rules| rules.groups.listed == Some([].into())),
        (json!({"groups": "*"}), |rules| rules.groups.listed == Some([].into())),
        (json!({"groups": {"1": "x"}}), |rules| one(rules).enabled == Some(false)),
        (json!({"groups": {"1": {"enabled": 1}}}), |rules| one(rules).enabled == Some(false)),
        (json!({"groups": {"1": {"requireMention": "no"}}}), |rules| {
            one(rules).require_mention == Some(true)
        }),
        (json!({"groups": {"1": {"groupPolicy": 3}}}), |rules| {
            one(rules).policy == Some(GroupPolicy::Allowlist)
        }),
        (json!({"groups": {"1": {"allowFrom": "*"}}}), |rules| one(rules).allow.as_ref().unwrap().is_empty()),
        (json!({"groups": {"1": {"topics": 1}}}), |rules| one(rules).topics.is_empty()),
        (json!({"groups": {"1": {"skills": "all"}}}), |rules| one(rules).skills == Some(Vec::new())),
        (json!({"requireMention": 0}), |rules| rules.groups.require_mention == Some(true)),
        (json!({"allowBots": "yes"}), |rules| rules.bots == AllowBots::Never),
        (json!({"allowBots": 1}), |rules| rules.bots == AllowBots::Never),
        (json!({"botLoopProtection": "off"}), |rules| rules.bot_loops.is_some()),
        (json!({"botLoopProtection": {"enabled": "x"}}), |rules| rules.bot_loops.is_some()),
        (json!({"botLoopProtection": {"maxEventsPerWindow": -1}}), |rules| {
            rules.bot_loops.unwrap().most == 8
        }),
        (json!({"dangerouslyAllowNameMatching": "true"}), |rules| rules.names == NameMatching::Never),
        (json!({"configWrites": "x"}), |rules| !rules.config_writes),
        (json!({"historyLimit": -1}), |rules| rules.history_limit.is_none()),
        (json!({"historyLimit": 1.5}), |rules| rules.history_limit.is_none()),
        (json!({"textChunkLimit": "a"}), |rules| rules.speaking.text_chunk_limit.is_none()),
        (json!({"mediaMaxMb": -3}), |rules| rules.media_max_bytes.is_none()),
        (json!({"mediaMaxMb": "5"}), |rules| rules.media_max_bytes.is_none()),
        (json!({"mentionPatterns": "hey"}), |rules| rules.mention_patterns.is_none()),
        (json!({"replyToMode": "some"}), |rules| rules.speaking.reply_to_mode.is_none()),
        (json!({"chunkMode": 1}), |rules| rules.speaking.chunk_mode.is_none()),
        (json!({"streaming": "fast"}), |rules| rules.speaking.stream_mode.is_none()),
        (json!({"markdown": {"tables": "pretty"}}), |rules| rules.speaking.tables.is_none()),
        (json!({"markdown": 1}), |rules| rules.speaking.tables.is_none()),
        (json!({"commands": 1}), |rules| rules.native_commands.is_none()),
        (json!("telegram"), |rules| rules.allow.is_empty() && rules.dm_policy == DmPolicy::Pairing),
        (json!([]), |rules| rules.allow.is_empty()),
    ];
    for (section, is_safe) in rows {
        let rules = of(section.clone());
        assert!(is_safe(&rules), "{section}");
        assert_eq!(rules.problems.len(), 1, "{section}: {:?}", rules.problems);
    }
}

fn one(rules: &AccountRules) -> &super::super::GroupRules {
    &rules.groups.listed.as_ref().unwrap()["1"]
}

#[test]
fn limits_are_kept_to_what_can_be_counted() {
    let rules =
        of(json!({"botLoopProtection": {"maxEventsPerWindow": 1_000_000_000, "windowSeconds": u64::MAX}}));
    assert!(rules.bot_loops.unwrap().most < 1000);
    assert_eq!(of(json!({"mediaMaxMb": 1e300})).media_max_bytes, Some(u64::MAX));
    assert_eq!(of(json!({"textChunkLimit": 0})).speaking.text_chunk_limit, None);
    let many: Vec<u32> = (0..20_000).collect();
    let rules = of(json!({"allowFrom": many}));
    assert_eq!((rules.allow.entries().len(), rules.problems.len()), (10_000, 1));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof![Just("*".to_owned()), Just("open".to_owned()), ".{0,6}".prop_map(String::from)]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let key = prop_oneof![
            Just("groups".to_owned()),
            Just("allowFrom".to_owned()),
            Just("dmPolicy".to_owned()),
            Just("*".to_owned()),
            Just("topics".to_owned()),
            Just("enabled".to_owned()),
            Just("streaming".to_owned()),
            Just("accounts".to_owned()),
            Just("default".to_owned()),
            Just("dm".to_owned()),
            Just("users".to_owned()),
            "[a-z]{0,4}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn no_section_breaks_it_and_nobody_is_everybody_without_a_star(section in value(), defaults in value()) {
        let channel = ChannelId::parse("irc").unwrap();
        let rules = AccountRules::of(&channel, None, &section, Some(&defaults));
        let has_star = format!("{section}{defaults}").contains("\"*\"");
        assert!(has_star || !(rules.allow.has_everybody() || rules.groups.allow.has_everybody()));
    }
}
