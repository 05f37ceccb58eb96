//! What follows from the end of a run.

use std::time::Duration;

use homard_config::config::cron::FailureAlert;
use homard_protocol::methods::cron::{CronAddParams, CronDeliveryStatus, CronRunStatus};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{AfterRun, End, MAX_CONSECUTIVE_ERRORS, MIN_REFIRE_MS, settle};
use crate::job::Job;

const NOW: i64 = 1_800_000_000_000;
const HOUR: i64 = 3_600_000;

fn job(schedule: &Value, more: &Value) -> Job {
    let mut spec = json!({
        "name": "digest", "schedule": schedule, "sessionTarget": "isolated", "wakeMode": "now", "enabled": true,
        "payload": {"kind": "agentTurn", "message": "sum up"},
    });
    for (name, value) in more.as_object().unwrap() {
        spec[name] = value.clone();
    }
    let spec: CronAddParams = serde_json::from_value(spec).unwrap();
    Job::new(spec, Vec::new(), NOW)
}

fn end(status: CronRunStatus, started_at: i64, took: i64) -> End {
    End {
        started_at,
        ended_at: started_at + took,
        status,
        error: (status == CronRunStatus::Error).then(|| "no".to_owned()),
        delivery: CronDeliveryStatus::NotRequested,
        delivery_error: None,
    }
}

fn ended(job: &mut Job, status: CronRunStatus, started_at: i64, took: i64) -> AfterRun {
    settle(job, &end(status, started_at, took), None, &TimeZone::UTC)
}

#[test]
fn a_job_that_went_well_is_due_at_its_next_time() {
    let every = json!({"kind": "every", "everyMs": HOUR, "anchorMs": NOW});
    for (started, took, expected) in [
        (NOW + HOUR, 10, NOW + 2 * HOUR),
        // Longer than the distance: what was overlapped is not made up for.
        (NOW + HOUR, HOUR * 3 / 2, NOW + 3 * HOUR),
        // Long missed: once.
        (NOW + 100 * HOUR + 5, 10, NOW + 101 * HOUR),
    ] {
        let mut job = job(&every, &json!({}));
        job.state.running_at_ms = Some(started);
        assert_eq!(ended(&mut job, CronRunStatus::Ok, started, took), AfterRun::default());
        assert_eq!(job.state.next_run_at_ms, Some(expected), "{started} {took}");
        assert_eq!((job.state.running_at_ms, job.state.last_run_at_ms), (None, Some(started)));
        assert_eq!(job.state.last_duration_ms, Some(took));
    }
}

#[test]
fn a_clock_that_is_set_during_a_run_leaves_the_job_its_next_time() {
    let every = json!({"kind": "every", "everyMs": HOUR, "anchorMs": NOW});
    for (took, expected) in [
        (-1_000 * HOUR, NOW),
        // A distance is kept, however little the clock was set back.
        (-HOUR, NOW + 10 * HOUR),
        (-10, NOW + 11 * HOUR),
        (9 * HOUR + 1, NOW + 20 * HOUR),
    ] {
        let mut job = job(&every, &json!({}));
        ended(&mut job, CronRunStatus::Ok, NOW + 10 * HOUR + HOUR / 2, took);
        assert_eq!(job.state.next_run_at_ms, Some(expected), "{took}");
    }
}

#[test]
fn no_time_of_the_calendar_is_there_twice_when_the_clock_is_set_back_a_little() {
    let hourly = json!({"kind": "cron", "expr": "0 * * * *", "tz": "UTC", "staggerMs": 0});
    let mut job = job(&hourly, &json!({}));
    ended(&mut job, CronRunStatus::Ok, NOW, -HOUR);
    assert_eq!(job.state.next_run_at_ms, Some(NOW + HOUR));
}

#[test]
fn nobody_runs_twice_within_two_seconds() {
    let mut job = job(&json!({"kind": "every", "everyMs": 1_000, "anchorMs": NOW}), &json!({}));
    ended(&mut job, CronRunStatus::Ok, NOW, 10);
    assert_eq!(job.state.next_run_at_ms, Some(NOW + MIN_REFIRE_MS));
}

#[test]
fn failures_in_a_row_wait_longer_and_longer_until_the_job_is_switched_off() {
    let mut job = job(&json!({"kind": "every", "everyMs": 1_000, "anchorMs": NOW}), &json!({}));
    for (nth, wait) in (1..).zip([30, 60, 300, 900, 3_600, 3_600, 3_600, 3_600, 3_600]) {
        ended(&mut job, CronRunStatus::Error, NOW, 0);
        assert_eq!(job.state.next_run_at_ms, Some(NOW + wait * 1_000), "after {nth}");
        assert_eq!(job.state.consecutive_errors, Some(nth));
    }
    ended(&mut job, CronRunStatus::Error, NOW, 0);
    assert_eq!((job.enabled(), job.state.next_run_at_ms), (false, None));
    let why = job.state.auto_disabled.clone().unwrap();
    assert_eq!(
        (why.reason.as_str(), why.consecutive_errors),
        ("consecutive-failures", MAX_CONSECUTIVE_ERRORS)
    );

    let mut other = self::job(&json!({"kind": "every", "everyMs": HOUR * 5, "anchorMs": NOW}), &json!({}));
    ended(&mut other, CronRunStatus::Error, NOW, 0);
    assert_eq!(other.state.next_run_at_ms, Some(NOW + 5 * HOUR), "its own time is later than the pause");
    ended(&mut other, CronRunStatus::Ok, NOW, 0);
    assert_eq!(other.state.consecutive_errors, Some(0));
}

#[test]
fn a_job_that_is_due_once_is_done_however_it_went() {
    let at = json!({"kind": "at", "at": "2027-01-15T08:00:00Z"});
    for (more, status, forget) in [
        (json!({}), CronRunStatus::Ok, true),
        (json!({"deleteAfterRun": false}), CronRunStatus::Ok, false),
        (json!({}), CronRunStatus::Error, false),
        (json!({}), CronRunStatus::Skipped, false),
    ] {
        let mut job = job(&at, &more);
        let follows = ended(&mut job, status, NOW, 5);
        assert_eq!(
            (follows.forget, job.enabled(), job.state.next_run_at_ms),
            (forget, false, None),
            "{more}"
        );
    }
}

#[test]
fn a_job_that_is_due_once_and_was_tried_out_before_is_still_due() {
    let mut job = job(&json!({"kind": "at", "at": "2027-01-15T08:00:00Z"}), &json!({}));
    job.state.next_run_at_ms = Some(NOW + HOUR);
    assert_eq!(ended(&mut job, CronRunStatus::Ok, NOW, 5), AfterRun::default());
    assert_eq!((job.enabled(), job.state.next_run_at_ms), (true, Some(NOW + HOUR)));
    assert!(ended(&mut job, CronRunStatus::Ok, NOW + HOUR, 5).forget);
}

#[test]
fn a_job_that_was_switched_off_meanwhile_is_not_due_again() {
    let mut job = job(&json!({"kind": "every", "everyMs": HOUR}), &json!({"enabled": false}));
    ended(&mut job, CronRunStatus::Ok, NOW, 5);
    assert_eq!(job.state.next_run_at_ms, None);
}

#[test]
fn a_schedule_that_has_no_next_time_is_tried_again_and_then_given_up() {
    let mut job = job(&json!({"kind": "cron", "expr": "0 9 * * *", "tz": "Gone/Zone"}), &json!({}));
    for _ in 0..2 {
        ended(&mut job, CronRunStatus::Ok, NOW, 0);
        assert_eq!(job.state.next_run_at_ms, Some(NOW + 60_000));
    }
    let told = ended(&mut job, CronRunStatus::Ok, NOW, 0).alert.unwrap().text;
    assert!(
        told.contains("was switched off: 3 times in a row its next time was not found: `Gone/Zone`"),
        "{told}"
    );
    assert_eq!((job.enabled(), job.state.auto_disabled.unwrap().reason.as_str()), (false, "schedule-errors"));
}

#[test]
fn somebody_is_told_after_enough_failures_and_not_too_often() {
    let usual = FailureAlert { after: 2, cooldown: Duration::from_secs(60) };
    let every = json!({"kind": "every", "everyMs": HOUR});
    let mut job = job(&every, &json!({}));
    let mut fail =
        |at: i64| settle(&mut job, &end(CronRunStatus::Error, at, 0), Some(usual), &TimeZone::UTC).alert;
    assert_eq!(fail(NOW), None);
    assert!(fail(NOW + 1).unwrap().text.contains("failed 2 times in a row: no"));
    assert_eq!(fail(NOW + 2), None, "still quiet");
    assert!(fail(NOW + 60_002).is_some());
    let mut never = self::job(&every, &json!({"failureAlert": false}));
    let mut own = self::job(&every, &json!({"failureAlert": {"after": 1}}));
    let failed = end(CronRunStatus::Error, NOW, 0);
    assert_eq!(settle(&mut never, &failed, Some(usual), &TimeZone::UTC).alert, None);
    assert!(settle(&mut own, &failed, None, &TimeZone::UTC).alert.is_some());
}

#[test]
fn that_a_job_is_not_run_again_by_itself_is_told_though_nobody_asked_for_alerts() {
    let at = json!({"kind": "at", "at": "2027-01-15T08:00:00Z"});
    let told = ended(&mut job(&at, &json!({})), CronRunStatus::Error, NOW, 5).alert.unwrap().text;
    assert!(told.contains("failed and is not run again by itself: no\n`homard cron run "), "{told}");
    let mut never = job(&at, &json!({"failureAlert": false}));
    assert_eq!(ended(&mut never, CronRunStatus::Error, NOW, 5).alert, None);
    assert_eq!(ended(&mut job(&at, &json!({})), CronRunStatus::Ok, NOW, 5).alert, None);

    let mut often = job(&json!({"kind": "every", "everyMs": HOUR}), &json!({}));
    for _ in 1..MAX_CONSECUTIVE_ERRORS {
        assert_eq!(ended(&mut often, CronRunStatus::Error, NOW, 0).alert, None);
    }
    let told = ended(&mut often, CronRunStatus::Error, NOW, 0).alert.unwrap().text;
    assert!(told.contains("was switched off after 10 failures in a row: no\n`homard cron enable "), "{told}");
    assert_eq!(ended(&mut often, CronRunStatus::Error, NOW, 0).alert, None, "it is off already");
}

#[test]
fn runs_to_make_up_for_follow_one_another_and_then_the_schedule_holds_again() {
    let every = json!({"kind": "every", "everyMs": HOUR, "anchorMs": NOW});
    let mut job = job(&every, &json!({"missedRuns": "all"}));
    job.state.runs_to_make_up = Some(2);
    job.state.next_run_at_ms = Some(NOW);
    let (mut started, now) = (NOW + 3 * HOUR + 5, NOW + 3 * HOUR + 5);
    for left in [Some(1), None] {
        ended(&mut job, CronRunStatus::Ok, started, 10);
        assert_eq!(job.state.runs_to_make_up, left);
        assert_eq!(job.state.next_run_at_ms, Some(started + MIN_REFIRE_MS));
        started += MIN_REFIRE_MS;
    }
    ended(&mut job, CronRunStatus::Ok, started, 10);
    assert_eq!(job.state.next_run_at_ms, Some(NOW + 4 * HOUR), "{now}");
}

#[test]
fn who_tries_a_job_out_makes_up_for_nothing() {
    let mut job = job(&json!({"kind": "every", "everyMs": HOUR, "anchorMs": NOW}), &json!({}));
    (job.state.runs_to_make_up, job.state.next_run_at_ms) = (Some(2), Some(NOW + HOUR));
    ended(&mut job, CronRunStatus::Ok, NOW + 5, 10);
    assert_eq!(job.state.runs_to_make_up, Some(2));
    assert_eq!(job.state.next_run_at_ms, Some(NOW + HOUR));
}

/// Half of the world's ways to change the clock, with an hour at which they do: by an hour, by half an hour, at midnight,
/// backwards in winter, never.
const ZONES: [(&str, &str); 10] = [
    ("UTC", "0 2 * * *"),
    ("America/New_York", "30 2 * * *"),
    ("America/Havana", "0 0 * * *"),
    ("America/St_Johns", "0 2 * * *"),
    ("Europe/London", "30 1 * * *"),
    ("Europe/Paris", "59 2 * * *"),
    ("Africa/Casablanca", "15 2 * * *"),
    ("Asia/Kolkata", "30 5 * * *"),
    ("Australia/Lord_Howe", "15 2 * * *"),
    ("Pacific/Chatham", "0 3 * * *"),
];
const DAY: i64 = 24 * HOUR;
/// The first of January 2026.
const BEGIN: i64 = 1_767_225_600_000;

/// When a job would run between two moments, each run a little late and a little long.
fn runs(expr: &str, zone: &str, from: i64, until: i64) -> Vec<i64> {
    let schedule = json!({"kind": "cron", "expr": expr, "tz": zone, "staggerMs": 0});
    let mut job = job(&schedule, &json!({}));
    job.arm(from, &TimeZone::UTC).unwrap();
    let mut runs = Vec::new();
    while let Some(due) = job.state.next_run_at_ms.filter(|due| *due < until) {
        runs.push(due);
        ended(&mut job, CronRunStatus::Ok, due + 37, 1_500);
    }
    runs
}

#[test]
fn two_years_in_ten_zones_have_one_run_for_every_day() {
    for (zone, at_the_change) in ZONES {
        let place = TimeZone::get(zone).unwrap();
        let day_of = |ms: i64| jiff::Timestamp::from_millisecond(ms).unwrap().to_zoned(place.clone()).date();
        for expr in [at_the_change, "30 1 * * *"] {
            let days: Vec<_> = runs(expr, zone, BEGIN, BEGIN + 731 * DAY).into_iter().map(day_of).collect();
            assert!(days.len() >= 730, "{expr} in {zone}: {}", days.len());
            for pair in days.windows(2) {
                assert_eq!(pair[0].tomorrow().unwrap(), pair[1], "{expr} in {zone}");
            }
        }
    }
}

#[test]
fn around_every_change_of_the_clock_there_is_a_run_every_half_hour() {
    for (zone, _) in ZONES {
        let place = TimeZone::get(zone).unwrap();
        let begin = jiff::Timestamp::from_millisecond(BEGIN).unwrap();
        let changes = place.following(begin).map(|change| change.timestamp().as_millisecond());
        for change in changes.take_while(|at| *at < BEGIN + 731 * DAY) {
            let runs = runs("*/30 * * * *", zone, change - DAY / 2, change + DAY / 2);
            assert!(runs.len() >= 47, "{zone}: {}", runs.len());
            assert!(
                runs.windows(2).all(|pair| pair[1] - pair[0] == HOUR / 2),
                "{zone} at {change}: {runs:?}"
            );
        }
    }
}
