//! What is made up for after a start.

use homard_protocol::methods::cron::{CronAddParams, CronMissedRuns};
use jiff::tz::TimeZone;
use serde_json::json;

use super::{MAX_MADE_UP, catch_up, missed_after_the_first, runs_ahead};
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
        (&hourly, now + HOUR + 59_000, false),
        (&hourly, now + 2 * HOUR, true),
        (&hourly, now - HOUR, false),
        (&daily, now + 9 * HOUR + HOUR / 2, false),
        (&daily, now + 12 * HOUR, false),
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
        assert!(!runs_ahead(&job, now, &TimeZone::UTC), "what was planned before now was planned well");
        job.row.updated_at = due;
        assert_eq!(runs_ahead(&job, now, &TimeZone::UTC), expected, "{schedule} {}", due - now);
        job.spec.enabled = Some(false);
        assert!(!runs_ahead(&job, now, &TimeZone::UTC));
    }
}

#[test]
fn a_job_that_waits_because_it_failed_is_not_planned_anew() {
    let mut job = hourly(CronMissedRuns::Once);
    (job.state.next_run_at_ms, job.state.consecutive_errors) = (Some(2 * HOUR), Some(5));
    job.row.updated_at = HOUR;
    assert!(!runs_ahead(&job, 0, &TimeZone::UTC));
    job.state.consecutive_errors = None;
    assert!(runs_ahead(&job, 0, &TimeZone::UTC));
}

/// A job of every hour.
fn hourly(missed: CronMissedRuns) -> Job {
    let spec: CronAddParams = serde_json::from_value(json!({
        "name": "hourly", "schedule": {"kind": "every", "everyMs": HOUR, "anchorMs": 0}, "sessionTarget": "main",
        "wakeMode": "now", "payload": {"kind": "systemEvent", "text": "ding"}, "missedRuns": missed,
    }))
    .unwrap();
    Job::new(spec, Vec::new(), 0)
}

/// What a start at `now` makes of a job that was due at `due`: when it is due, and how many runs are made up for.
fn after_a_start(mut job: Job, due: i64, now: i64) -> (Option<i64>, Option<u32>) {
    job.state.next_run_at_ms = Some(due);
    job.row = job.to_row();
    catch_up(&mut job, now, CronMissedRuns::Once, &TimeZone::UTC);
    (job.state.next_run_at_ms, job.state.runs_to_make_up)
}

#[test]
fn what_was_missed_is_due_as_its_owner_wants() {
    use CronMissedRuns::{All, Once, Skip};
    for (missed, due, now, expected) in [
        (Once, 10, 15, (Some(10), None)),
        (Skip, 10, 15, (Some(16), None)),
        (All, 10, 15, (Some(10), Some(5))),
        (All, 10, 9, (Some(10), None)),
    ] {
        let (next, left) = after_a_start(hourly(missed), due * HOUR, now * HOUR + 1);
        assert_eq!((next.map(|at| at / HOUR), left), expected, "{missed:?} {due} {now}");
    }
}

#[test]
fn runs_that_are_still_to_be_made_up_for_survive_another_crash() {
    let mut job = hourly(CronMissedRuns::All);
    job.state.runs_to_make_up = Some(7);
    let due = 10 * HOUR + 2_000;
    let again = after_a_start(job.clone(), due, due + 1_000);
    assert_eq!(again, (Some(due), Some(7)), "a moment later none was missed, and none is forgotten");
    let later = after_a_start(job.clone(), due, due + 3 * HOUR);
    assert_eq!(later.1, Some(10));
    job.state.runs_to_make_up = Some(20);
    assert_eq!(after_a_start(job, due, due + 300 * HOUR).1, Some(MAX_MADE_UP));
}

#[test]
fn what_passed_while_a_run_was_cut_off_is_missed_too() {
    use CronMissedRuns::{All, Once, Skip};
    for (missed, due, expected) in [
        (Once, 10 * HOUR, (10 * HOUR, Some(1))),
        (All, 10 * HOUR, (10 * HOUR, Some(5))),
        (Skip, 10 * HOUR, (10 * HOUR, None)),
        // Somebody tried it out before its time.
        (Once, 11 * HOUR, (10 * HOUR + 5, Some(1))),
        (All, 11 * HOUR, (10 * HOUR + 5, Some(5))),
    ] {
        let mut job = hourly(missed);
        job.row.running = Some("a-run".parse().unwrap());
        job.state.running_at_ms = Some(10 * HOUR + 5);
        let now = 15 * HOUR + 5;
        assert_eq!(after_a_start(job.clone(), due, now), (Some(expected.0), expected.1), "{missed:?} {due}");
        // Another start while the run is still open counts nothing twice.
        job.state.next_run_at_ms = Some(due);
        catch_up(&mut job, now, Once, &TimeZone::UTC);
        catch_up(&mut job, now + 1, Once, &TimeZone::UTC);
        assert_eq!(job.state.runs_to_make_up, expected.1, "{missed:?}");
        job.state.next_run_at_ms = Some(now + HOUR);
        catch_up(&mut job, now - 1, Once, &TimeZone::UTC);
        assert_eq!(job.state.runs_to_make_up, expected.1, "nothing has passed");
    }
}

#[test]
fn a_job_that_was_put_aside_is_due_again_after_a_start() {
    let mut job = hourly(CronMissedRuns::Once);
    job.state.next_run_at_ms = Some(10 * HOUR);
    assert_eq!(job.row.next_run_at, None, "whoever cannot run a job leaves it alone like this");
    assert!(catch_up(&mut job, 12 * HOUR, CronMissedRuns::Once, &TimeZone::UTC));
    assert_eq!(job.to_row().next_run_at, Some(10 * HOUR));
}
