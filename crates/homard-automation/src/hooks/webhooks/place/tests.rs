//! Where calls go.

use std::path::Path;

use homard_config::config::hooks::HookSessions;
use homard_config::{Config, Environment, Paths};

use super::{place, place_of_wake};
use crate::hooks::webhooks::call::{HookTarget, NamedKey};

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::empty(&Paths::under(Path::new("home")), &Environment::default());
    change(&mut config);
    config
}

fn keyed(key: NamedKey) -> HookTarget {
    HookTarget { agent: None, key: Some(key) }
}

fn callers(key: &str) -> HookTarget {
    keyed(NamedKey::Callers(key.to_owned()))
}

fn owners(key: &str) -> HookTarget {
    keyed(NamedKey::Owners(key.to_owned()))
}

#[test]
fn a_call_without_a_name_gets_a_conversation_of_its_own_or_the_usual_one() {
    let found = place(&config(|_| {}), &HookTarget::default(), "f-1").unwrap();
    assert_eq!((found.key.to_string().as_str(), found.is_hooks_own), ("agent:main:hook:f-1", true));
    let usual = config(|config| config.hooks.sessions.default_key = Some("inbox".to_owned()));
    let found = place(&usual, &HookTarget::default(), "f-1").unwrap();
    assert_eq!((found.key.to_string().as_str(), found.is_hooks_own), ("agent:main:inbox", false));
    assert_eq!(place_of_wake(&usual, &HookTarget::default()).unwrap().to_string(), "agent:main:main");
}

#[test]
fn who_may_name_a_conversation_and_which() {
    let chooses = HookSessions { callers_choose: true, ..HookSessions::default() };
    let prefixed = |callers_choose| HookSessions {
        callers_choose,
        prefixes: Some(vec!["hook:".to_owned(), "agent:main:team".to_owned()]),
        default_key: None,
    };
    let rows = [
        (HookSessions::default(), callers("hook:x"), Err("callers may not name the conversation")),
        (HookSessions::default(), owners("hook:x"), Ok("agent:main:hook:x")),
        (chooses.clone(), callers("Hook:X"), Ok("agent:main:hook:x")),
        (chooses.clone(), callers("main"), Ok("agent:main:main")),
        (chooses, callers("a::b"), Err("session key")),
        (prefixed(true), callers("hook:x"), Ok("agent:main:hook:x")),
        (prefixed(true), callers("agent:main:team:a"), Ok("agent:main:team:a")),
        (prefixed(true), callers("main"), Err("sessionKey must start with one of: hook:, agent:main:team")),
        (prefixed(false), owners("main"), Err("sessionKey must start with one of")),
        (prefixed(true), callers("agent:other:hook:x"), Ok("agent:other:hook:x")),
    ];
    for (sessions, target, expected) in rows {
        let config = config(|config| config.hooks.sessions = sessions.clone());
        let found =
            place(&config, &target, "f").map(|place| place.key.to_string()).map_err(|e| e.to_string());
        match expected {
            Ok(key) => assert_eq!(found.as_deref(), Ok(key), "{target:?}"),
            Err(words) => {
                assert!(found.as_ref().is_err_and(|said| said.contains(words)), "{target:?}: {found:?}");
            }
        }
    }
}

#[test]
fn only_agents_the_owner_listed_are_reached_by_any_road() {
    let named = |agent: &str| HookTarget { agent: Some(agent.to_owned()), key: None };
    let rows = [
        (None, named("main"), true),
        (None, named("MAIN"), true),
        (None, named("nobody"), false),
        (None, named("../x"), false),
        (Some(vec![]), HookTarget::default(), false),
        (Some(vec!["main".to_owned()]), named("main"), true),
        (Some(vec!["other".to_owned()]), named("main"), false),
        (Some(vec!["main".to_owned()]), callers("agent:other:hook:x"), false),
    ];
    for (allowed, target, expected) in rows {
        let config = config(|config| {
            config.hooks.allowed_agents = allowed.clone();
            config.hooks.sessions.callers_choose = true;
        });
        assert_eq!(place(&config, &target, "f").is_ok(), expected, "{allowed:?} {target:?}");
    }
}
