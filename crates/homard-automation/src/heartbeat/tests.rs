//! When agents look around: by whose clock, on which grid, through restarts and a clock that is set.

use homard_config::{Config, ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_protocol::AgentId;
use homard_runtime::Clock;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{Beats, is_active};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

fn config(agents: &Value) -> Config {
    written(&json!({"agents": agents}))
}

fn written(config: &Value) -> Config {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::under(dir.path());
    std::fs::create_dir_all(paths.config_source().parent().unwrap()).unwrap();
    std::fs::write(paths.config_source(), config.to_string()).unwrap();
    let source = ConfigSource::isolated(paths, Environment::default(), Clock::system());
    let snapshot = Snapshot::load(&source, &Overrides::default());
    let issues = snapshot.issues;
    (*snapshot.config.unwrap_or_else(|| panic!("{issues:?}"))).clone()
}

fn at(text: &str) -> i64 {
    text.parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

/// The moments at which somebody looks between two, with who.
fn looks(beats: &mut Beats, config: &Config, from: i64, to: i64) -> Vec<(String, i64)> {
    let (mut now, mut seen) = (from, Vec::new());
    beats.take_over(config, now);
    while let Some(next) = beats.next().filter(|next| *next < to) {
        now = next.max(now);
        beats.take_over(config, now);
        seen.extend(beats.take_due(now).into_iter().map(|agent| (agent.to_string(), now)));
    }
    seen
}

#[test]
fn hours_are_those_of_the_owner_the_machine_or_a_named_zone() {
    let rows = [
        // start, end, zone, moment, is it active
        ("08:00", "22:00", "user", "2026-11-18T06:59:00Z", false),
        ("08:00", "22:00", "user", "2026-11-18T07:00:00Z", true),
        ("08:00", "22:00", "user", "2026-11-18T20:59:00Z", true),
        ("08:00", "22:00", "user", "2026-11-18T21:00:00Z", false),
        ("08:00", "22:00", "Asia/Tokyo", "2026-11-17T23:00:00Z", true),
        ("08:00", "22:00", "Asia/Tokyo", "2026-11-18T13:00:00Z", false),
        ("08:00", "22:00", "America/New_York", "2026-11-18T13:00:00Z", true),
        ("08:00", "22:00", "America/New_York", "2026-11-18T12:59:00Z", false),
        ("08:00", "22:00", "Asia/Kathmandu", "2026-11-18T02:15:00Z", true),
        ("08:00", "22:00", "Asia/Kathmandu", "2026-11-18T02:14:00Z", false),
        ("22:00", "06:00", "user", "2026-11-18T21:00:00Z", true),
        ("22:00", "06:00", "user", "2026-11-18T04:59:00Z", true),
        ("22:00", "06:00", "user", "2026-11-18T05:00:00Z", false),
        ("00:00", "24:00", "user", "2026-11-18T22:59:00Z", true),
        ("20:00", "24:00", "user", "2026-11-18T23:00:00Z", false),
        // The hour that is not there in spring, and the one that is there twice in autumn.
        ("02:30", "03:30", "user", "2026-03-29T01:00:00Z", true),
        ("02:30", "03:30", "user", "2026-03-29T00:59:00Z", false),
        ("02:00", "03:00", "user", "2026-10-25T00:30:00Z", true),
        ("02:00", "03:00", "user", "2026-10-25T01:30:00Z", true),
        ("08:00", "22:00", "Atlantis/Nowhere", "2026-11-18T07:00:00Z", true),
    ];
    let owner = TimeZone::get("Europe/Berlin").unwrap();
    for (start, end, zone, moment, active) in rows {
        let hours = json!({"start": start, "end": end, "timezone": zone});
        let config = config(&json!({"defaults": {"heartbeat": {"activeHours": hours}}}));
        let beat = config.agents.default_agent().heartbeat.clone().unwrap();
        let is = is_active(&beat.active_hours.unwrap(), at(moment), &owner);
        assert_eq!(is, active, "{start}-{end} {zone} at {moment}");
    }
}

#[test]
fn a_day_has_as_many_looks_as_the_interval_fits_into_it_each_agent_at_its_own_minute() {
    let config = config(&json!({"list": [
        {"id": "main", "heartbeat": {"every": "30m"}}, {"id": "night", "heartbeat": {"every": "2h"}},
        {"id": "off", "heartbeat": {"every": "0m"}}, {"id": "plain"}]}));
    let (start, mut beats) = (at("2026-11-18T00:00:00Z"), Beats::default());
    let seen = looks(&mut beats, &config, start, start + DAY);
    let of =
        |name: &str| seen.iter().filter(|(agent, _)| agent == name).map(|(_, at)| *at).collect::<Vec<_>>();
    assert_eq!((of("main").len(), of("night").len()), (48, 12));
    assert!(of("off").is_empty() && of("plain").is_empty(), "{seen:?}");
    assert!(of("main").windows(2).all(|pair| pair[1] - pair[0] == 30 * MINUTE));
    assert_ne!(of("main")[0] % (30 * MINUTE), of("night")[0] % (30 * MINUTE), "they do not wake at once");
}

#[test]
fn another_agent_than_the_default_one_looks_where_the_owner_says_so() {
    let config = config(&json!({"defaults": {"heartbeat": {"every": "1h", "agentId": "night"}},
        "list": [{"id": "main", "default": true}, {"id": "night"}]}));
    let seen = looks(&mut Beats::default(), &config, 0, DAY);
    assert!(seen.len() == 24 && seen.iter().all(|(agent, _)| agent == "night"), "{seen:?}");
}

#[test]
fn restarts_neither_bring_a_look_forward_nor_make_up_for_missed_ones() {
    let config = config(&json!({"defaults": {"heartbeat": {"every": "30m"}}}));
    let start = at("2026-11-18T00:00:00Z");
    let whole = looks(&mut Beats::default(), &config, start, start + DAY);
    let mut pieces = Vec::new();
    for piece in 0..96 {
        // A start every quarter of an hour, down for a minute each time.
        let from = start + piece * 15 * MINUTE;
        pieces.extend(looks(&mut Beats::default(), &config, from, from + 14 * MINUTE));
    }
    assert!(pieces.iter().all(|look| whole.contains(look)), "only moments of the grid");
    assert!(pieces.len() <= whole.len());
    let mut slept = Beats::default();
    slept.take_over(&config, start);
    slept.take_over(&config, start + 7 * DAY);
    assert_eq!(slept.take_due(start + 7 * DAY).len(), 1, "once, however many were missed");
    assert!(slept.take_due(start + 7 * DAY + 1).is_empty());
}

#[test]
fn a_clock_that_is_set_back_or_forward_leaves_one_look_per_interval() {
    let config = config(&json!({"defaults": {"heartbeat": {"every": "1h"}}}));
    let start = at("2026-11-18T12:00:00Z");
    let mut beats = Beats::default();
    beats.take_over(&config, start);
    beats.take_over(&config, start - DAY);
    assert!(beats.next().unwrap() - (start - DAY) <= HOUR, "it does not wait a day");
    beats.take_over(&config, start + 30 * DAY);
    assert_eq!(beats.take_due(start + 30 * DAY).len(), 1);
    let next = beats.next().unwrap();
    assert!(next > start + 30 * DAY && next - (start + 30 * DAY) <= HOUR);
}

#[test]
fn a_busy_agent_is_asked_again_soon_and_keeps_its_grid() {
    let config = config(&json!({"defaults": {"heartbeat": {"every": "30m"}}}));
    let mut beats = Beats::default();
    beats.take_over(&config, 0);
    let first = beats.next().unwrap();
    assert_eq!(beats.take_due(first), [AgentId::main()]);
    beats.put_off(&AgentId::main(), first + 1_000);
    assert_eq!(beats.take_due(first + 999), []);
    assert_eq!(beats.take_due(first + 1_000), [AgentId::main()]);
    assert_eq!(beats.next(), Some(first + 30 * MINUTE));
}

#[test]
fn a_subscription_is_looked_around_with_every_hour() {
    for (mode, looks_a_day) in [("oauth", 24), ("api_key", 48)] {
        let config = written(&json!({"auth": {"profiles": {"anthropic:me": {"mode": mode}}}}));
        assert_eq!(looks(&mut Beats::default(), &config, 0, DAY).len(), looks_a_day, "{mode}");
    }
}
