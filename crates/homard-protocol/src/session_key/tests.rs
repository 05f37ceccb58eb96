//! The grammar as a table, and its round trip as a property.

use proptest::prelude::{Strategy, any, prop_oneof, proptest};

use super::{SessionKey, SessionKeyError, SessionScope};
use crate::id::{AccountId, AgentId, ChannelId, PeerId, ThreadId};

fn key(text: &str) -> SessionKey {
    SessionKey::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn scope(text: &str) -> SessionScope {
    match key(text) {
        SessionKey::Agent { scope, .. } => scope,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_source_has_its_shape() {
    let channel = |c: &str| ChannelId::parse(c).unwrap();
    let peer = |p: &str| PeerId::parse(p).unwrap();
    let cases = [
        ("agent:main:main", SessionScope::Main),
        ("agent:main:direct:ada", SessionScope::Peer(peer("ada"))),
        (
            "agent:main:telegram:direct:7",
            SessionScope::Direct { channel: channel("telegram"), account: None, peer: peer("7") },
        ),
        (
            "agent:main:telegram:work:direct:7",
            SessionScope::Direct {
                channel: channel("telegram"),
                account: Some(AccountId::parse("work").unwrap()),
                peer: peer("7"),
            },
        ),
        (
            "agent:main:irc:channel:#rust",
            SessionScope::Channel { channel: channel("irc"), id: peer("#rust") },
        ),
        (
            "agent:main:telegram:group:-100:topic:5",
            SessionScope::Group { channel: channel("telegram"), id: peer("-100:topic:5") },
        ),
        ("agent:main:slack:slash:u1", SessionScope::Slash { channel: channel("slack"), user: peer("u1") }),
        ("agent:main:cron:daily", SessionScope::Cron { job: "daily".into(), run: None }),
        ("agent:main:cron:daily:run:x", SessionScope::Cron { job: "daily".into(), run: Some("x".into()) }),
        ("agent:main:hook:1", SessionScope::Hook("1".into())),
        ("agent:main:subagent:a:subagent:b", SessionScope::Subagent("a:subagent:b".into())),
        ("agent:main:acp:z", SessionScope::Acp("z".into())),
        ("agent:main:openai-user:bob", SessionScope::Http("openai-user:bob".into())),
        ("agent:main:shopping", SessionScope::Named("shopping".into())),
        ("agent:main:a:b", SessionScope::Named("a:b".into())),
    ];
    for (text, expected) in cases {
        assert_eq!(scope(text), expected, "{text}");
        assert_eq!(key(text).to_string(), text);
    }
}

#[test]
fn threads_are_a_suffix_of_any_shape() {
    let threaded = key("agent:main:slack:channel:c1:thread:171.2");
    let SessionKey::Agent { thread, .. } = &threaded else { panic!() };
    assert_eq!(thread.as_ref().map(ThreadId::as_str), Some("171.2"));
    assert_eq!(threaded.parent(), Some(key("agent:main:slack:channel:c1")));
    assert_eq!(key("agent:main:main").parent(), None);
    assert!(!key("agent:main:main:thread:1").is_main());
}

#[test]
fn case_and_bare_keys_are_made_canonical() {
    let ops = AgentId::parse("ops").unwrap();
    assert_eq!(key("Agent:Main:Telegram:Group:ABC"), key("agent:main:telegram:group:abc"));
    assert_eq!(SessionKey::parse_for("main", &ops), Ok(SessionKey::main(ops.clone())));
    assert_eq!(SessionKey::parse_for("Shopping", &ops).unwrap().to_string(), "agent:ops:shopping");
    assert_eq!(SessionKey::parse_for("global", &ops), Ok(SessionKey::Global));
    assert_eq!(SessionKey::parse_for("agent:main:x", &ops).unwrap().to_string(), "agent:main:x");
}

#[test]
fn what_is_not_a_key_is_named() {
    assert!(matches!(SessionKey::parse(""), Err(SessionKeyError::EmptyPart(_))));
    assert!(matches!(SessionKey::parse("agent:main:"), Err(SessionKeyError::EmptyPart(_))));
    assert!(matches!(SessionKey::parse("agent:main"), Err(SessionKeyError::EmptyPart(_))));
    assert!(matches!(SessionKey::parse("agent:main:a::b"), Err(SessionKeyError::EmptyPart(_))));
    assert!(matches!(SessionKey::parse("agent:no way:x"), Err(SessionKeyError::Agent(_))));
    assert!(matches!(SessionKey::parse("shopping"), Err(SessionKeyError::NoAgent(_))));
    assert!(matches!(SessionKey::parse("agent:main:a\u{0}b"), Err(SessionKeyError::BadCharacter('\u{0}'))));
    assert!(matches!(SessionKey::parse(&"x".repeat(513)), Err(SessionKeyError::TooLong)));
}

fn slug() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_-]{0,8}"
}

fn rest() -> impl Strategy<Value = String> {
    let reserved_free = "[a-z0-9#@.+-]{1,12}";
    prop_oneof![
        proptest::strategy::Just("main".to_owned()),
        (slug(), reserved_free).prop_map(|(c, p)| format!("{c}:direct:{p}")),
        (slug(), slug(), reserved_free).prop_map(|(c, a, p)| format!("{c}:{a}:direct:{p}")),
        (slug(), reserved_free).prop_map(|(c, p)| format!("{c}:group:{p}")),
        (slug(), reserved_free).prop_map(|(c, p)| format!("{c}:channel:{p}")),
        (reserved_free, proptest::option::of("[a-f0-9]{8}")).prop_map(|(j, r)| match r {
            Some(r) => format!("cron:{j}:run:{r}"),
            None => format!("cron:{j}"),
        }),
        "[a-z0-9:]{0,30}",
    ]
}

proptest! {
    #[test]
    fn whatever_parses_formats_back_to_itself(agent in slug(), rest in rest(), thread in proptest::option::of("[a-z0-9.]{1,8}")) {
        let text = match thread {
            Some(thread) => format!("agent:{agent}:{rest}:thread:{thread}"),
            None => format!("agent:{agent}:{rest}"),
        };
        if let Ok(key) = SessionKey::parse(&text) {
            assert_eq!(key.to_string(), text);
            assert_eq!(SessionKey::parse(&key.to_string()), Ok(key));
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        if let Ok(key) = SessionKey::parse(&text) {
            assert_eq!(SessionKey::parse(&key.to_string()), Ok(key));
        }
    }
}
