//! What is written about looking around, and what it means.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Heartbeat, HeartbeatTarget};
use crate::config::{Config, Resolve};
use crate::env::Environment;
use crate::paths::Paths;

/// What holds, with the places that were complained about.
fn read(written: Value) -> (Config, Vec<String>) {
    let (paths, env) = (Paths::under(std::path::Path::new("/home/x")), Environment::default());
    let mut cx = Resolve::new(&paths, &env);
    let config = Config::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    let told = cx.issues.iter().chain(&cx.warnings).map(|issue| issue.path.clone()).collect();
    (config, told)
}

fn beat(heartbeat: &Value) -> (Heartbeat, Vec<String>) {
    let (config, told) = read(json!({"agents": {"defaults": {"heartbeat": heartbeat}}}));
    (config.agents.default_agent().heartbeat.clone().unwrap(), told)
}

#[test]
fn an_owner_who_says_nothing_gets_one_every_half_hour_where_they_last_spoke() {
    let (beat, told) = beat(&json!({}));
    assert_eq!((beat.every, beat.every_text.as_str()), (Some(Duration::from_secs(30 * 60)), "30m"));
    assert_eq!((beat.target, beat.ack_max_chars, beat.active_hours), (HeartbeatTarget::Last, 300, None));
    assert_eq!(beat.session.to_string(), "agent:main:main");
    assert!(beat.prompt.contains("HEARTBEAT_OK") && told.is_empty(), "{told:?}");
}

#[test]
fn intervals_are_read_with_minutes_as_their_unit_and_nought_is_off() {
    let rows = [
        ("90s", Some(90)),
        ("15", Some(900)),
        ("2h", Some(7_200)),
        ("0m", None),
        ("0", None),
        ("1d", Some(86_400)),
    ];
    for (text, seconds) in rows {
        let (beat, told) = beat(&json!({"every": text}));
        assert_eq!((beat.every, told.len()), (seconds.map(Duration::from_secs), 0), "{text}");
    }
    let (beat, told) = beat(&json!({"every": "soon"}));
    assert_eq!((beat.every, told), (None, vec!["agents.defaults.heartbeat.every".to_owned()]));
}

#[test]
fn hours_that_cannot_be_read_are_all_day_and_are_told() {
    let hours = |start: &str, end: &str| beat(&json!({"activeHours": {"start": start, "end": end}}));
    for (start, end) in [("8", "22:00"), ("08:60", "22:00"), ("08:00", "24:01"), ("", "")] {
        let (beat, told) = hours(start, end);
        assert_eq!((beat.active_hours, told.len()), (None, 1), "{start} {end}");
    }
    let (beat, told) = hours("09:00", "09:00");
    assert_eq!((beat.active_hours, told.len()), (None, 0), "as long as the day");
    let night = hours("22:00", "06:00").0.active_hours.unwrap();
    assert!(night.contains(23 * 60) && night.contains(0) && !night.contains(6 * 60));
}

#[test]
fn another_agent_than_the_default_one_may_look_around() {
    let who = |id: &str, own: Value| {
        let b = json!({"id": "b", "heartbeat": own});
        let (config, told) =
            read(json!({"agents": {"defaults": {"heartbeat": {"every": "1h", "agentId": id}},
            "list": [{"id": "a", "default": true}, b, {"id": "c"}]}}));
        let beats = config.agents.list.iter().filter(|agent| agent.heartbeat.is_some());
        (beats.map(|agent| agent.id.to_string()).collect::<Vec<_>>().join(" "), told.len())
    };
    assert_eq!(who("C", Value::Null), ("c".to_owned(), 0));
    assert_eq!(who("nobody", Value::Null), ("a".to_owned(), 1), "and it is told");
    assert_eq!(who("c", json!({})), ("b".to_owned(), 0), "whoever has its own looks");
}

#[test]
fn where_any_agent_has_its_own_only_those_look_and_what_they_leave_out_is_as_for_all() {
    let (config, _) = read(json!({"agents": {"defaults": {"heartbeat": {"every": "1h", "target": "none"}},
        "list": [{"id": "a", "default": true}, {"id": "b", "heartbeat": {"target": "telegram", "to": "7", "session": "diary"}}]}}));
    let [a, b] = config.agents.list.as_slice() else { panic!() };
    assert_eq!(a.heartbeat, None);
    let beat = b.heartbeat.clone().unwrap();
    assert_eq!(
        (beat.every_text.as_str(), beat.target.as_str(), beat.to.as_deref()),
        ("1h", "telegram", Some("7"))
    );
    assert_eq!(beat.session.to_string(), "agent:b:diary");
    let (config, _) = read(json!({"agents": {"list": [{"id": "a"}, {"id": "b", "default": true}]}}));
    let looking: Vec<_> = config.agents.list.iter().map(|agent| agent.heartbeat.is_some()).collect();
    assert_eq!(looking, [false, true], "the default agent alone");
}

#[test]
fn a_conversation_of_another_agent_is_refused() {
    let (beat, told) = beat(&json!({"session": "agent:other:main"}));
    assert_eq!((beat.session.to_string().as_str(), told.len()), ("agent:main:main", 1));
}

#[test]
fn credentials_of_a_subscription_are_used_sparingly() {
    for (mode, every) in [("oauth", "1h"), ("token", "1h"), ("api_key", "30m")] {
        let (config, _) = read(json!({"auth": {"profiles": {"anthropic:me": {"mode": mode}}}}));
        assert_eq!(config.agents.default_agent().heartbeat.clone().unwrap().every_text, every, "{mode}");
    }
}
