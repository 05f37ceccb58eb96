//! When conversations start afresh.

use std::time::Duration;

use homard_config::config::session::Reset;
use homard_protocol::{ChannelId, SessionKey};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use proptest::prelude::{any, prop_assert_eq, proptest};
use serde_json::json;

use super::{Kind, Stale, rule, stale};
use crate::written;

fn at(text: &str, zone: &TimeZone) -> i64 {
    text.parse::<DateTime>().unwrap().to_zoned(zone.clone()).unwrap().timestamp().as_millisecond()
}

const DAILY: Reset = Reset { at_hour: Some(4), idle: None };
const IDLE: Reset = Reset { at_hour: None, idle: Some(Duration::from_secs(3_600)) };
const BOTH: Reset = Reset { at_hour: Some(4), idle: Some(Duration::from_secs(3_600)) };
const NEVER: Reset = Reset { at_hour: None, idle: None };

#[test]
fn a_conversation_goes_on_until_its_hour_or_its_quiet_time_has_passed() {
    let berlin = TimeZone::get("Europe/Berlin").unwrap_or(TimeZone::UTC);
    let rows = [
        (DAILY, "2026-02-17T03:59", "2026-02-17T04:00", Some(Stale::Daily)),
        (DAILY, "2026-02-17T03:59", "2026-02-17T03:59:30", None),
        (DAILY, "2026-02-17T04:00", "2026-02-17T04:01", None),
        (DAILY, "2026-02-17T04:01", "2026-02-18T03:59", None),
        (DAILY, "2026-02-17T23:00", "2026-02-18T01:00", None),
        (DAILY, "2026-02-17T23:00", "2026-02-18T05:00", Some(Stale::Daily)),
        (DAILY, "2026-01-01T12:00", "2026-02-18T03:00", Some(Stale::Daily)),
        (IDLE, "2026-02-17T12:00", "2026-02-17T13:00", None),
        (IDLE, "2026-02-17T12:00", "2026-02-17T13:00:01", Some(Stale::Idle)),
        (IDLE, "2026-02-17T03:59", "2026-02-17T04:30", None),
        (BOTH, "2026-02-17T03:59", "2026-02-17T04:30", Some(Stale::Daily)),
        (BOTH, "2026-02-17T12:00", "2026-02-17T14:00", Some(Stale::Idle)),
        (BOTH, "2026-02-17T12:00", "2026-02-17T12:30", None),
        (NEVER, "2020-01-01T00:00", "2026-02-17T12:00", None),
        // The clock went backwards.
        (BOTH, "2026-02-17T12:00", "2026-02-17T11:00", None),
        (BOTH, "2027-02-17T12:00", "2026-02-17T12:00", None),
        // The hour does not exist, or exists twice, on the days the clocks change.
        (Reset { at_hour: Some(2), idle: None }, "2026-03-29T01:30", "2026-03-29T03:30", Some(Stale::Daily)),
        (Reset { at_hour: Some(2), idle: None }, "2026-10-25T01:30", "2026-10-25T04:00", Some(Stale::Daily)),
        (Reset { at_hour: Some(0), idle: None }, "2026-02-16T23:59", "2026-02-17T00:00", Some(Stale::Daily)),
        (Reset { at_hour: Some(23), idle: None }, "2026-02-16T23:30", "2026-02-17T22:59", None),
    ];
    for (reset, updated, now, expected) in rows {
        assert_eq!(
            stale(reset, at(updated, &berlin), at(now, &berlin), &berlin),
            expected,
            "{updated} {now} {reset:?}"
        );
    }
}

#[test]
fn the_hour_is_the_hour_of_the_zone() {
    let (utc, tokyo) = (TimeZone::UTC, TimeZone::fixed(jiff::tz::offset(9)));
    let (updated, now) = (at("2026-02-17T18:30", &utc), at("2026-02-17T19:30", &utc));
    // 04:30 in Tokyo.
    assert_eq!(stale(DAILY, updated, now, &tokyo), Some(Stale::Daily));
    assert_eq!(stale(DAILY, updated, now, &utc), None);
}

#[test]
fn what_was_never_used_and_times_that_are_none_end_nothing() {
    for updated in [0, -1, i64::MIN] {
        assert_eq!(stale(BOTH, updated, 1_771_000_000_000, &TimeZone::UTC), None);
    }
    assert_eq!(stale(DAILY, 1, i64::MAX, &TimeZone::UTC), None);
}

#[test]
fn the_platform_decides_before_the_kind_and_the_kind_before_the_rest() {
    let session = written::config(&json!({ "session": {
        "reset": { "mode": "daily", "atHour": 1 },
        "resetByType": { "dm": { "mode": "idle", "idleMinutes": 2 }, "thread": { "mode": "none" } },
        "resetByChannel": { "irc": { "mode": "daily", "atHour": 9 } },
    } }))
    .session;
    let hour = |hour| Reset { at_hour: Some(hour), idle: None };
    let rows = [
        ("agent:main:main", None, Reset { at_hour: None, idle: Some(Duration::from_secs(120)) }),
        ("agent:main:main", Some("irc"), hour(9)),
        ("agent:main:irc:channel:#a", None, hour(9)),
        ("agent:main:telegram:group:-1", None, hour(1)),
        ("agent:main:telegram:group:-1:topic:7", None, NEVER),
        ("agent:main:slack:channel:c:thread:1.2", Some("slack"), NEVER),
        ("agent:main:main:thread:5", None, NEVER),
        ("global", None, Reset { at_hour: None, idle: Some(Duration::from_secs(120)) }),
    ];
    for (key, channel, expected) in rows {
        let channel: Option<ChannelId> = channel.map(|id: &str| id.parse().unwrap());
        assert_eq!(
            rule(&session, &SessionKey::parse(key).unwrap(), channel.as_ref()),
            expected,
            "{key} {channel:?}"
        );
    }
    let usual = written::config(&json!({})).session;
    assert_eq!(rule(&usual, &SessionKey::parse("agent:main:main").unwrap(), None), hour(4));
    assert_eq!(Kind::of(&SessionKey::Unknown), Kind::Direct);
}

proptest! {
    #[test]
    fn no_time_is_too_strange(updated in any::<i64>(), now in any::<i64>(), hour in 0_u8..=255) {
        let reset = Reset { at_hour: Some(hour), idle: Some(Duration::from_secs(60)) };
        let found = stale(reset, updated, now, &TimeZone::UTC);
        if now <= updated {
            prop_assert_eq!(found, None);
        }
    }
}
