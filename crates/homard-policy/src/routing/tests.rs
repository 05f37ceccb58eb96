//! Where messages belong, as a table of cases, and what holds for any message.

use std::collections::BTreeMap;

use homard_channel::{Conversation, Inbound, Threads};
use homard_protocol::{PeerId, SessionKey};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::{Outcome, RouteRules, Speaker, Tier, destination, destinations, explain};
use crate::written;

const CASES: &str = include_str!("cases.txt");

fn bindings() -> Value {
    json!([
        { "agentId": "work", "match": { "channel": "telegram", "peer": { "kind": "group", "id": "-100" } } },
        { "agentId": "family", "match": { "channel": "telegram", "peer": { "kind": "dm", "id": "42" } } },
        { "agentId": "ops", "match": { "channel": "discord", "guildId": "G1", "roles": ["admin", "mod"] } },
        { "agentId": "work", "match": { "channel": "discord", "guildId": "G1" } },
        { "agentId": "family", "match": { "channel": "slack", "teamId": "T1" } },
        { "agentId": "ops", "match": { "channel": "telegram", "accountId": "biz" } },
        { "agentId": "work", "match": { "channel": "irc", "accountId": "*" } },
        { "agentId": "family", "match": { "channel": "irc" } },
        { "agentId": "ops", "match": { "channel": "irc", "accountId": "*", "peer": { "kind": "channel", "id": "#Ops" } } },
        { "agentId": "ghost", "match": { "channel": "matrix", "accountId": "*" } },
        { "agentId": "work", "match": { "channel": "discord", "guildId": "G2", "peer": { "kind": "channel", "id": "900" } } },
        { "agentId": "family", "match": { "channel": "telegram", "peer": { "kind": "group", "id": "-100:topic:7" } } },
        { "agentId": "ops", "match": { "channel": "telegram", "accountId": "*", "peer": { "kind": "group", "id": "-200" } } },
        { "agentId": "main", "match": { "channel": "telegram", "accountId": "*" } },
        { "agentId": "ops", "match": { "channel": "signal", "roles": ["vip"] } },
        { "agentId": "work", "match": { "channel": "slack", "teamId": "T1", "peer": { "kind": "direct", "id": "U1" } } },
        { "agentId": "main", "match": { "channel": "irc", "accountId": "*", "peer": { "kind": "channel", "id": "#ops" } } },
    ])
}

fn rules(session: &Value, bindings: &Value) -> RouteRules {
    RouteRules::of(&written::config(&json!({
        "agents": { "list": [{ "id": "main" }, { "id": "work" }, { "id": "family" }, { "id": "ops" }] },
        "channels": { "signal": { "accounts": { "phone": {} } } },
        "session": session, "bindings": bindings,
        "broadcast": { "#council": ["work", "ops", "ghost"], "#empty": ["ghost"] },
    })))
}

fn setups() -> BTreeMap<&'static str, RouteRules> {
    let links = json!({ "ada": ["telegram:42", "irc:Ada", "555"], "bob": ["telegram:7", "ada2"], "zoe": ["telegram:42"] });
    let none = || json!([]);
    BTreeMap::from([
        ("bound", rules(&json!({}), &bindings())),
        ("bare", rules(&json!({}), &none())),
        ("peer", rules(&json!({ "dmScope": "per-peer", "identityLinks": links }), &none())),
        ("channel-peer", rules(&json!({ "dmScope": "per-channel-peer", "identityLinks": links }), &none())),
        (
            "account-peer",
            rules(&json!({ "dmScope": "per-account-channel-peer", "identityLinks": links }), &bindings()),
        ),
        ("global", rules(&json!({ "scope": "global" }), &bindings())),
        ("one-room", rules(&json!({ "dmScope": "per-peer", "groupScope": "main" }), &bindings())),
    ])
}

fn conversation(kind: &str, id: &str, thread: Option<&str>) -> Conversation {
    let thread = thread.map(|thread| thread.parse().unwrap());
    let id: PeerId = id.parse().unwrap();
    match kind {
        "direct" => Conversation::Direct { peer: id, thread },
        "group" => Conversation::Group { id, thread },
        _ => Conversation::Room { id, thread },
    }
}

fn said(line: &str) -> (Inbound, Threads) {
    let mut words = line.split_whitespace();
    let (channel, account) = words.next().unwrap().split_once('/').unwrap();
    let (kind, id) = words.next().unwrap().split_once(':').unwrap();
    let words: Vec<&str> = words.collect();
    let named = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let mut message = written::message(channel, account, conversation(kind, id, named("thread")));
    message.details.parent = named("parent").map(|parent| parent.parse().unwrap());
    message.details.space = named("space").map(str::to_owned);
    message.details.roles =
        named("roles").map(|roles| roles.split(',').map(str::to_owned).collect()).unwrap_or_default();
    let threads = match *words.last().unwrap() {
        "topic" => Threads::Topic,
        "suffix" => Threads::Suffix,
        "own" => Threads::OwnRoom,
        _ => Threads::None,
    };
    (message, threads)
}

fn short(tier: Tier) -> &'static str {
    match tier {
        Tier::ParentPeer => "parent",
        other => other.as_str().strip_prefix("binding.").unwrap_or("default"),
    }
}

#[test]
fn every_message_of_the_table_goes_where_the_table_says() {
    let setups = setups();
    let rows: Vec<&str> = CASES.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows.len() >= 150);
    for row in rows {
        let columns: Vec<&str> = row.split(" | ").collect();
        let [setup, line, who, session, parent] = columns.as_slice() else { panic!("{row}") };
        let (message, threads) = said(line);
        let found = destination(&setups[setup], &message, Speaker::Owner, threads);
        let index = found.binding.map_or("-".to_owned(), |index| index.to_string());
        let told = format!("{} {} {index}", found.agent, short(found.tier));
        let above = found.parent.map_or("-".to_owned(), |key| key.to_string());
        assert_eq!(
            (told.as_str(), found.session.to_string().as_str(), above.as_str()),
            (*who, *session, *parent),
            "{row}"
        );
        assert_eq!(SessionKey::parse(&found.session.to_string()).as_ref(), Ok(&found.session), "{row}");
    }
}

#[test]
fn an_agent_nobody_knows_is_replaced_and_the_owner_is_told() {
    let (message, threads) = said("matrix/default channel:!r:x suffix");
    let found = destination(&setups()["bound"], &message, Speaker::Owner, threads);
    assert_eq!(found.agent.as_str(), "main");
    let note = found.note.unwrap();
    assert!(note.contains("bindings[9]") && note.contains("`ghost`"), "{note}");
    let (message, threads) = said("irc/default channel:#rust none");
    assert_eq!(destination(&setups()["bound"], &message, Speaker::Owner, threads).note, None);
}

#[test]
fn a_conversation_an_operator_names_is_taken_as_it_is() {
    let key = SessionKey::parse("agent:work:shopping").unwrap();
    let message = written::message("webchat", "default", Conversation::Session(key.clone()));
    let found = destination(&setups()["bound"], &message, Speaker::Owner, Threads::None);
    assert_eq!((found.agent.as_str(), found.session), ("work", key));
    assert!(explain(&setups()["bound"], &message, Speaker::Owner, Threads::None).considered.is_empty());
}

#[test]
fn several_agents_answer_where_the_owner_wants_it() {
    let setups = setups();
    let keys = |line: &str| -> Vec<String> {
        let (message, threads) = said(line);
        let places = destinations(&setups["bound"], &message, Speaker::Owner, threads);
        places.into_iter().map(|place| place.session.to_string()).collect()
    };
    assert_eq!(
        keys("irc/default channel:#Council none"),
        ["agent:work:irc:channel:#council", "agent:ops:irc:channel:#council"]
    );
    assert_eq!(keys("irc/default channel:#empty none"), ["agent:family:irc:channel:#empty"]);
    assert_eq!(keys("irc/default channel:#other none"), ["agent:family:irc:channel:#other"]);
}

#[test]
fn a_binding_may_keep_its_people_apart_though_others_are_not() {
    let own = json!([{ "agentId": "work", "match": { "channel": "irc" }, "session": { "dmScope": "per-peer", "groupScope": "main" } }]);
    let rules = rules(&json!({}), &own);
    for (line, expected) in [
        ("irc/default direct:ada none", "agent:work:direct:ada"),
        ("irc/default channel:#a none", "agent:work:main"),
        ("irc/other direct:ada none", "agent:main:main"),
        ("irc/other channel:#a none", "agent:main:irc:channel:#a"),
    ] {
        let (message, threads) = said(line);
        assert_eq!(
            destination(&rules, &message, Speaker::Owner, threads).session.to_string(),
            expected,
            "{line}"
        );
    }
}

#[test]
fn every_binding_is_told_why_it_won_or_did_not() {
    let rows = [
        ("irc/default channel:#ops none", 8, Outcome::Won, "names this conversation"),
        ("irc/default channel:#ops none", 16, Outcome::Beaten, "bindings[8] stands before it"),
        ("irc/default channel:#ops none", 6, Outcome::Beaten, "bindings[8] is more specific"),
        ("irc/default channel:#ops none", 0, Outcome::Missed, "for the platform telegram"),
        ("telegram/default group:-100 topic", 5, Outcome::Missed, "for the account biz"),
        ("telegram/default group:-100 topic", 1, Outcome::Missed, "of another kind"),
        ("telegram/default group:-100 topic", 12, Outcome::Missed, "it is for group -200"),
        ("discord/default channel:1 space=G1 own", 2, Outcome::Missed, "none of its roles: admin, mod"),
        ("discord/default channel:1 space=G9 own", 3, Outcome::Missed, "for the server G1"),
        ("slack/default channel:1 space=T9 suffix", 4, Outcome::Missed, "for the team T1"),
        ("discord/default channel:1 space=G1 own", 3, Outcome::Won, "names this server"),
    ];
    for (line, index, outcome, words) in rows {
        let (message, threads) = said(line);
        let told = explain(&setups()["bound"], &message, Speaker::Owner, threads);
        let one = &told.considered[index];
        assert_eq!((one.index, one.outcome), (index, outcome), "{line} {index}: {}", one.why);
        assert!(one.why.contains(words), "{line} {index}: {}", one.why);
    }
}

proptest! {
    #[test]
    fn any_id_makes_a_key_that_can_be_read_again(
        id in "\\PC{1,300}", thread in proptest::option::of("\\PC{1,40}"), kind in 0_usize..3, style in 0_usize..4, scope in any::<bool>(),
    ) {
        let Ok(peer) = id.parse::<PeerId>() else { return Ok(()) };
        let thread = thread.and_then(|thread| thread.parse().ok());
        let conversation = match kind {
            0 => Conversation::Direct { peer, thread },
            1 => Conversation::Group { id: peer, thread },
            _ => Conversation::Room { id: peer, thread },
        };
        let style = [Threads::None, Threads::Suffix, Threads::Topic, Threads::OwnRoom][style];
        let message = written::message("irc", "default", conversation);
        let scope = if scope { "per-account-channel-peer" } else { "main" };
        let mut rules = RouteRules::of(&homard_config::Config::empty(
            &homard_config::Paths::under(std::path::Path::new("home")), &homard_config::Environment::default()));
        rules.dm_scope = serde_json::from_value(json!(scope)).unwrap();
        let found = destination(&rules, &message, Speaker::Owner, style);
        prop_assert!(found.session != SessionKey::Unknown, "{:?}", found);
        prop_assert_eq!(SessionKey::parse(&found.session.to_string()).unwrap(), found.session);
    }
}

#[test]
fn only_the_owner_joins_the_main_conversation_and_a_taken_nick_joins_nobodys() {
    let direct = |channel: &str, id: &str, vouched: Option<&str>| {
        let mut message = Inbound::from_operator(SessionKey::Global, String::new(), String::new(), 0);
        message.channel = homard_protocol::ChannelId::parse(channel).unwrap();
        message.conversation = Conversation::Direct { peer: PeerId::parse(id).unwrap(), thread: None };
        message.details.vouched = vouched.map(|name| vec![name.to_owned()]);
        message
    };
    let key = |rules: &RouteRules, message: &Inbound, speaker| {
        destination(rules, message, speaker, Threads::None).session.to_string()
    };
    let bare = rules(&json!({}), &json!([]));
    let message = direct("telegram", "7", None);
    assert_eq!(key(&bare, &message, Speaker::Owner), "agent:main:main");
    assert_eq!(key(&bare, &message, Speaker::Guest), "agent:main:telegram:direct:7");
    let shared = rules(&json!({"guestDmScope": "main"}), &json!([]));
    assert_eq!(key(&shared, &message, Speaker::Guest), "agent:main:main");
    let bound =
        json!([{ "agentId": "work", "match": { "channel": "telegram" }, "session": { "dmScope": "main" } }]);
    let bound = rules(&json!({"dmScope": "per-peer"}), &bound);
    assert_eq!(key(&bound, &message, Speaker::Guest), "agent:work:telegram:direct:7");

    let links = json!({ "ada": ["irc:ada", "irc:account:ada"] });
    let linked = rules(&json!({ "dmScope": "per-peer", "identityLinks": links }), &json!([]));
    let known = direct("irc", "ada_", Some("account:ada"));
    assert_eq!(key(&linked, &known, Speaker::Guest), "agent:main:direct:ada");
    let taken = rules(
        &json!({ "dmScope": "per-channel-peer", "identityLinks": { "boss": ["irc:ada"] } }),
        &json!([]),
    );
    assert_eq!(
        key(&taken, &direct("irc", "ada", Some("account:mallory")), Speaker::Guest),
        "agent:main:irc:direct:ada",
        "the nick is linked, and nobody vouches for it"
    );
}
