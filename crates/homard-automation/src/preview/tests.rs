//! What is shown of a schedule before there is a job.

use super::*;

/// 2026-11-16 12:00:00 UTC, a Monday.
const NOW: Timestamp = 1_794_830_400_000;
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn calendar(expr: &str, tz: Option<&str>) -> CronSchedule {
    CronSchedule::Cron { expr: expr.to_owned(), tz: tz.map(str::to_owned), stagger_ms: None }
}

fn seen(schedule: &CronSchedule, job: Option<&str>) -> CronPreviewResult {
    let job = job.map(|id| (id.parse().unwrap(), NOW));
    preview(schedule, job.as_ref(), NOW, &TimeZone::UTC, DEFAULT_PREVIEW_RUNS).unwrap()
}

#[test]
fn a_calendar_tells_its_next_moments_in_its_zone() {
    let paris = seen(&calendar("30 9 * * 1-5", Some("Europe/Paris")), None);
    let first = NOW + 20 * HOUR + HOUR / 2;
    let friday = first + 3 * DAY;
    assert_eq!(paris.runs_at_ms, [first, first + DAY, first + 2 * DAY, friday, friday + 3 * DAY]);
    assert_eq!((paris.tz.as_str(), paris.spread_ms), ("Europe/Paris", 0));
    assert_eq!(seen(&calendar("30 9 * * *", None), None).tz, "UTC");
}

#[test]
fn a_job_without_a_name_yet_is_told_how_far_it_may_be_moved_and_one_with_a_name_is_moved() {
    let hourly = calendar("0 * * * *", None);
    let new = seen(&hourly, None);
    assert_eq!((new.runs_at_ms[0], new.spread_ms), (NOW + HOUR, schedule::DEFAULT_STAGGER_MS));
    let known = seen(&hourly, Some("job"));
    let plan = Plan::read(&hourly, "job", NOW, &TimeZone::UTC).unwrap();
    assert_eq!((known.runs_at_ms[0], known.spread_ms), (plan.next_after(NOW).unwrap(), 0));
}

#[test]
fn distances_are_counted_from_now_and_once_is_once() {
    let every = CronSchedule::Every { every_ms: 60_000, anchor_ms: None };
    assert_eq!(seen(&every, None).runs_at_ms, [1, 2, 3, 4, 5].map(|n| NOW + n * 60_000));
    let once = CronSchedule::At { at: "2026-12-01T00:00:00Z".to_owned() };
    assert_eq!(seen(&once, None).runs_at_ms, [NOW + 14 * DAY + 12 * HOUR]);
}

#[test]
fn what_a_job_may_not_have_is_refused() {
    for schedule in [
        calendar("0 0 30 2 *", None),
        calendar("nonsense", None),
        calendar("0 9 * * *", Some("Mars/Olympus")),
        CronSchedule::Every { every_ms: 0, anchor_ms: None },
        CronSchedule::At { at: "2020-01-01T00:00:00Z".to_owned() },
        CronSchedule::OnExit { command: "true".to_owned(), cwd: None },
    ] {
        assert!(preview(&schedule, None, NOW, &TimeZone::UTC, 5).is_err(), "{schedule:?}");
    }
}
