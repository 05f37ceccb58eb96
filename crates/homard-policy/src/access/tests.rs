//! The gates, as a table: `cases.jsonl`, one message a line.
//!
//! `rules` is the platform's section, `in` where it was said (`dm`, `group`, `room`, with id and topic as `group/-1/7`),
//! `expect` the verdict in words: `stranger`, `overheard`, `refused Bot`, or `admitted` and what the sender may: `+cmd`,
//! `+owner`, `+meant`, and what on a list let them in.

use homard_channel::{Conversation, Details, Inbound, Notice, Quoted, Sender};
use homard_protocol::{AccountId, ChannelId, PeerId, SessionKey, ThreadId};
use proptest::prelude::{any, proptest};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    AccountRules, Case, CommandRules, MentionPatterns, PatternSources, Refusal, Verdict, judge, may_be_told,
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "a line of the table, not a thing of the program")]
struct Row {
    why: String,
    rules: Value,
    #[serde(default)]
    defaults: Option<Value>,
    #[serde(default)]
    commands: Value,
    #[serde(rename = "in")]
    place: String,
    #[serde(default = "somebody")]
    from: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    vouched: Option<Vec<String>>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    bot: bool,
    #[serde(default)]
    bots: usize,
    #[serde(default)]
    mentions: Option<bool>,
    #[serde(default)]
    reply: bool,
    #[serde(default)]
    command: bool,
    #[serde(default)]
    native: bool,
    #[serde(default)]
    activation: Option<String>,
    #[serde(default)]
    let_in: Vec<String>,
    #[serde(default)]
    our_name: Option<String>,
    #[serde(default)]
    patterns: Vec<String>,
    expect: String,
}

fn somebody() -> String {
    "42".to_owned()
}

fn place(text: &str) -> Conversation {
    let mut parts = text.split('/');
    let kind = parts.next().unwrap();
    let id = PeerId::parse(parts.next().unwrap_or("-1")).unwrap();
    let thread = parts.next().map(|thread| ThreadId::parse(thread).unwrap());
    match kind {
        "dm" => Conversation::Direct { peer: id, thread },
        "group" => Conversation::Group { id, thread },
        "room" => Conversation::Room { id, thread },
        other => panic!("{other}"),
    }
}

fn message(row: &Row) -> Inbound {
    Inbound {
        channel: ChannelId::parse("telegram").unwrap(),
        account: AccountId::default_account(),
        conversation: place(&row.place),
        sender: Sender::Peer { id: PeerId::parse(&row.from).unwrap(), name: row.name.clone() },
        message_id: "1".to_owned(),
        text: row.text.clone(),
        images: Vec::new(),
        timestamp: 0,
        details: Details {
            username: row.user.clone(),
            also_known_as: row.also.clone(),
            vouched: row.vouched.clone(),
            is_bot: row.bot,
            mentions_us: row.mentions,
            reply_to: row.reply.then(|| Quoted { is_ours: true, ..Quoted::default() }),
            native_command: row.native,
            ..Details::default()
        },
    }
}

fn commands(section: &Value) -> CommandRules {
    let ids = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().map(|id| id.as_str().unwrap().to_owned()).collect()
    };
    let senders = section["allowFrom"].as_object().into_iter().flatten();
    let senders: Vec<(String, Vec<String>)> =
        senders.map(|(channel, list)| (channel.clone(), ids(list))).collect();
    let senders = senders.iter().map(|(channel, ids)| (channel.as_str(), ids.as_slice()));
    CommandRules::new(senders, section["useAccessGroups"] != json!(false), &ids(&section["ownerAllowFrom"]))
}

fn in_words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Stranger => "stranger".to_owned(),
        Verdict::Overheard => "overheard".to_owned(),
        Verdict::Refused(why) => format!("refused {why:?}"),
        Verdict::Admitted(standing) => {
            let flags = [
                (standing.may_command, "+cmd"),
                (standing.is_owner, "+owner"),
                (standing.was_mentioned, "+meant"),
            ];
            let mut words = vec!["admitted"];
            words.extend(flags.into_iter().filter_map(|(is, word)| is.then_some(word)));
            words.extend(standing.matched.map(super::MatchSource::as_str));
            words.join(" ")
        }
    }
}

fn verdict(row: &Row) -> Verdict {
    let message = message(row);
    let rules = AccountRules::of(&message.channel, None, &row.rules, row.defaults.as_ref());
    let sources = PatternSources { everybody: Some(&row.patterns), ..PatternSources::default() };
    judge(&Case {
        message: &message,
        rules: &rules,
        let_in: &row.let_in,
        our_name: row.our_name.as_deref(),
        commands: &commands(&row.commands),
        is_command: row.command,
        patterns: &MentionPatterns::compile(&sources),
        activation: row.activation.as_deref().and_then(|word| word.parse().ok()),
        bots_in_a_row: row.bots,
    })
}

#[test]
fn every_message_of_the_table_is_judged_as_it_says() {
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in include_str!("cases.jsonl").lines().filter(|line| line.starts_with('{')) {
        let row: Row = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let found = in_words(&verdict(&row));
        if found != row.expect {
            wrong.push(format!("{}: {found}, not {}", row.why, row.expect));
        }
        rows += 1;
    }
    assert!(wrong.is_empty(), "{} of {rows}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows >= 120, "{rows}");
}

#[test]
fn an_operator_may_everything_whatever_the_rules() {
    let key = SessionKey::parse("agent:main:main").unwrap();
    let message = Inbound::from_operator(key, "1".to_owned(), "/stop".to_owned(), 0);
    let written = json!({"enabled": false, "dmPolicy": "disabled"});
    let rules = AccountRules::of(&message.channel, None, &written, None);
    let case = Case {
        message: &message,
        rules: &rules,
        let_in: &[],
        our_name: None,
        commands: &CommandRules::default(),
        is_command: true,
        patterns: &MentionPatterns::default(),
        activation: None,
        bots_in_a_row: 0,
    };
    assert_eq!(in_words(&judge(&case)), "admitted +cmd +owner +meant");
}

#[test]
fn what_strangers_do_is_not_told_and_what_others_do_is_whether_we_are_meant_or_not() {
    let channel = ChannelId::parse("telegram").unwrap();
    let section = json!({"allowFrom": ["42"], "groups": {"-1": {}}});
    let rules = AccountRules::of(&channel, None, &section, None);
    let let_in = ["7".to_owned()];
    let rows = [
        ("dm/42", "42", true),
        ("dm/7", "7", true),
        ("dm/8", "8", false),
        ("group/-1", "42", true),
        ("group/-1", "7", false),
        ("group/-2", "42", false),
    ];
    for (at, from, expected) in rows {
        let happening = Notice {
            channel: channel.clone(),
            account: AccountId::default_account(),
            conversation: place(at),
            sender: Sender::Peer { id: PeerId::parse(from).unwrap(), name: None },
            key: "k".to_owned(),
            text: "a reaction".to_owned(),
            timestamp: 0,
        };
        assert_eq!(may_be_told(&happening, &rules, &let_in), expected, "{at} {from}");
    }
}

#[test]
fn refusals_say_which_setting_decided() {
    assert_eq!(Refusal::GroupNotListed.to_string(), "the group is not listed (groups)");
}

proptest! {
    #[test]
    fn whoever_calls_themselves_like_the_owner_stays_a_stranger(
        name in "\\PC{0,12}", at in 0..3_usize, is_command in any::<bool>(), mentions in any::<bool>()
    ) {
        let row = Row {
            why: String::new(),
            rules: json!({"allowFrom": ["42", name, format!("@{name}")], "groupAllowFrom": ["42", name]}),
            defaults: None,
            commands: json!({"ownerAllowFrom": ["42", name]}),
            place: ["dm/777", "group/-1", "room/-1/3"][at].to_owned(),
            from: "777".to_owned(),
            name: Some(name.clone()),
            user: Some(name.clone()),
            also: Vec::new(),
            vouched: None,
            text: String::new(),
            bot: false,
            bots: 0,
            mentions: Some(mentions),
            reply: false,
            command: is_command,
            native: false,
            activation: None,
            let_in: vec![name.clone()],
            our_name: None,
            patterns: Vec::new(),
            expect: String::new(),
        };
        let expected = if at == 0 { Verdict::Stranger } else { Verdict::Refused(Refusal::NotAllowed) };
        if name.trim() != "*" && !name.contains("777") {
            assert_eq!(verdict(&row), expected);
        }
    }
}
