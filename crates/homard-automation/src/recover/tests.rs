//! What is made up for after a start.

use homard_protocol::methods::cron::CronAddParams;
use jiff::tz::TimeZone;
use serde_json::json;

use super::{MAX_MADE_UP, missed_after_the_first, runs_ahead};
use crate::job::Job;

const HOUR: i64 = 3_600_000;

#[test]
fn every_time_that_passed_is_counted_up_to_the_limit() {
    for (down_for, expected) in [
        (0, None),
        (HOUR - 1, None),
        (HOUR, Some(1)),
        (5 * HOUR + 1, Some(5)),
        (1_000 * HOUR, Some(MAX_MADE_UP)),
    ] {
        let spec: CronAddParams = serde_json::from_value(json!({
            "name": "hourly", "schedule": {"kind": "every", "everyMs": HOUR, "anchorMs": 0}, "sessionTarget": "main",
            "wakeMode": "now", "payload": {"kind": "systemEvent", "text": "ding"}, "missedRuns": "all",
        }))
        .unwrap();
        let mut job = Job::new(spec, Vec::new(), 0);
        job.state.next_run_at_ms = Some(10 * HOUR);
        let now = 10 * HOUR + down_for;
        assert_eq!(missed_after_the_first(&job, now, &TimeZone::UTC), expected, "{down_for}");
    }
}

#[test]
fn only_what_a_clock_planned_that_ran_far_ahead_is_planned_anew() {
    let hourly = json!({"kind": "every", "everyMs": HOUR, "anchorMs": 0});
    let daily = json!({"kind": "cron", "expr": "30 9 * * *", "tz": "UTC"});
    let once = json!({"kind": "at", "at": "1971-01-01T00:00:00Z"});
    let now = 1_000 * 24 * HOUR;
    for (schedule, due, expected) in [
        (&hourly, now + HOUR, false),
        (&hourly, now + 2 * HOUR, false),
        (&hourly, now + 4 * HOUR, false),
        (&hourly, now + 5 * HOUR, true),
        (&hourly, now - HOUR, false),
        (&daily, now + 9 * HOUR + HOUR / 2, false),
        (&daily, now + 365 * 24 * HOUR, true),
        (&once, now + 365 * 24 * HOUR, false),
    ] {
        let spec: CronAddParams = serde_json::from_value(json!({
            "name": "n", "schedule": schedule, "sessionTarget": "main", "wakeMode": "now", "enabled": true,
            "payload": {"kind": "systemEvent", "text": "ding"},
        }))
        .unwrap();
        let mut job = Job::new(spec, Vec::new(), 0);
        job.state.next_run_at_ms = Some(due);
        assert_eq!(runs_ahead(&job, now, &TimeZone::UTC), expected, "{schedule} {}", due - now);
        job.spec.enabled = Some(false);
        assert!(!runs_ahead(&job, now, &TimeZone::UTC));
    }
}
