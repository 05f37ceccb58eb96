//! When jobs are due: over changes of the clock, leap days and long sleeps.

use homard_protocol::methods::cron::CronSchedule;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::{DEFAULT_STAGGER_MS, Plan, ScheduleError, check, duration_words, read_duration, schedule_words};

const JOB: &str = "5b9f1d5e-job";

fn ms(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_millisecond()
}

fn iso(ms: i64) -> String {
    Timestamp::from_millisecond(ms).unwrap().to_string()
}

fn cron(expr: &str, tz: &str) -> CronSchedule {
    CronSchedule::Cron { expr: expr.to_owned(), tz: Some(tz.to_owned()), stagger_ms: Some(0) }
}

fn plan(schedule: &CronSchedule) -> Plan {
    Plan::read(schedule, JOB, 0, &TimeZone::UTC).unwrap()
}

/// The next moments after one another.
fn walk(schedule: &CronSchedule, from: &str, steps: usize) -> Vec<String> {
    let plan = plan(schedule);
    let mut at = ms(from);
    let mut found = Vec::new();
    for _ in 0..steps {
        at = plan.next_after(at).unwrap();
        found.push(iso(at));
    }
    found
}

#[test]
fn calendars_are_followed_over_changes_of_the_clock_and_leap_days() {
    let rows: &[(&str, &str, &str, &[&str])] = &[
        // Plain days.
        ("0 9 * * *", "UTC", "2026-11-16T08:59:59Z", &["2026-11-16T09:00:00Z", "2026-11-17T09:00:00Z"]),
        ("0 9 * * *", "UTC", "2026-11-16T09:00:00Z", &["2026-11-17T09:00:00Z"]),
        ("30 8 * * 1-5", "UTC", "2026-11-20T09:00:00Z", &["2026-11-23T08:30:00Z"]),
        // Nine in New York is another hour of UTC after the clocks go forward (8 March 2026) and back.
        (
            "0 9 * * *",
            "America/New_York",
            "2026-03-07T13:00:00Z",
            &["2026-03-07T14:00:00Z", "2026-03-08T13:00:00Z", "2026-03-09T13:00:00Z"],
        ),
        (
            "0 9 * * *",
            "America/New_York",
            "2026-10-31T12:00:00Z",
            &["2026-10-31T13:00:00Z", "2026-11-01T14:00:00Z"],
        ),
        // A job of the hour before the gap has run when the gap comes.
        ("30 1 * * *", "America/New_York", "2026-03-08T06:30:01Z", &["2026-03-09T05:30:00Z"]),
        // Half past two does not exist on that day: it is run when the gap is over, and not left out.
        (
            "30 2 * * *",
            "America/New_York",
            "2026-03-07T08:00:00Z",
            &["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"],
        ),
        // Half past one exists twice on 1 November: a daily job runs once.
        (
            "30 1 * * *",
            "America/New_York",
            "2026-10-31T06:00:00Z",
            &["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"],
        ),
        // A job every half hour runs through the hour that comes twice.
        (
            "*/30 * * * *",
            "America/New_York",
            "2026-11-01T05:00:00Z",
            &["2026-11-01T05:30:00Z", "2026-11-01T06:00:00Z", "2026-11-01T06:30:00Z"],
        ),
        // Leap days.
        ("0 0 29 2 *", "UTC", "2026-11-16T00:00:00Z", &["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]),
        ("0 12 L * *", "UTC", "2028-02-01T00:00:00Z", &["2028-02-29T12:00:00Z", "2028-03-31T12:00:00Z"]),
        // Seconds come first where there are six fields.
        ("15 0 0 1 1 *", "Europe/Paris", "2026-12-31T00:00:00Z", &["2026-12-31T23:00:15Z"]),
        // A zone that is half an hour off.
        ("0 6 * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", &["2026-01-01T00:30:00Z"]),
    ];
    for (expr, tz, from, expected) in rows {
        assert_eq!(walk(&cron(expr, tz), from, expected.len()), *expected, "{expr} in {tz} from {from}");
    }
}

#[test]
fn distances_are_counted_from_the_anchor() {
    let rows = [
        (60_000, Some(0), 0, 60_000),
        (60_000, Some(0), 59_999, 60_000),
        (60_000, Some(0), 60_000, 120_000),
        (60_000, Some(30_000), 0, 30_000),
        (60_000, Some(30_000), 30_000, 90_000),
        (60_000, Some(1_000_000), 5, 1_000_000),
        // Long asleep: one moment, not all that were missed.
        (60_000, Some(0), 10_000_000_000, 10_000_020_000),
        // Made at 0 and without an anchor.
        (3_600_000, None, 1, 3_600_000),
    ];
    for (every_ms, anchor_ms, after, expected) in rows {
        let schedule = CronSchedule::Every { every_ms, anchor_ms };
        assert_eq!(plan(&schedule).next_after(after), Ok(expected), "{schedule:?} after {after}");
    }
}

#[test]
fn jobs_at_the_top_of_the_hour_are_spread_each_by_its_own_distance() {
    let spread = |expr: &str, stagger_ms: Option<u64>, job: &str| {
        let schedule = CronSchedule::Cron { expr: expr.to_owned(), tz: Some("UTC".to_owned()), stagger_ms };
        let plan = Plan::read(&schedule, job, 0, &TimeZone::UTC).unwrap();
        let first = plan.next_after(ms("2026-11-16T10:30:00Z")).unwrap();
        assert_eq!(plan.next_after(ms("2026-11-16T10:30:00Z")), Ok(first), "always the same");
        first
    };
    let eleven = ms("2026-11-16T11:00:00Z");
    let moved = |job: &str| spread("0 * * * *", None, job) - eleven;
    for job in ["a", "b", "c", JOB] {
        assert!((0..i64::try_from(DEFAULT_STAGGER_MS).unwrap()).contains(&moved(job)), "{job}");
    }
    assert_ne!(moved("a"), moved("b"));
    assert_eq!(spread("0 * * * *", Some(0), JOB), eleven, "exact when asked");
    assert_eq!(spread("30 11 * * *", None, JOB), ms("2026-11-16T11:30:00Z"), "others are not moved");
    assert!((eleven..eleven + 1_000).contains(&spread("0 11 * * *", Some(1_000), JOB)));
    // Inside the minutes by which it is moved the run of this hour is still to come.
    let schedule = CronSchedule::Cron { expr: "0 * * * *".to_owned(), tz: None, stagger_ms: Some(3_000_000) };
    let plan = Plan::read(&schedule, JOB, 0, &TimeZone::UTC).unwrap();
    let first = plan.next_after(eleven - 1).unwrap();
    assert_eq!(plan.next_after(first - 1), Ok(first));
    assert_eq!(plan.next_after(first), Ok(first + 3_600_000));
}

#[test]
fn moments_are_read_with_and_without_a_zone_and_must_be_to_come() {
    let now = ms("2026-11-16T12:00:00Z");
    let at = |at: &str| CronSchedule::At { at: at.to_owned() };
    for (text, expected) in [
        ("2026-11-16T12:00:05Z", "2026-11-16T12:00:05Z"),
        ("2026-11-16T13:00:05+01:00", "2026-11-16T12:00:05Z"),
        ("2026-11-16T12:00:05", "2026-11-16T12:00:05Z"),
        ("2026-11-16 12:00:05.250", "2026-11-16T12:00:05.25Z"),
        ("2026-11-16T11:59:30Z", "2026-11-16T11:59:30Z"),
    ] {
        assert_eq!(check(&at(text), now, &TimeZone::UTC), Ok(()), "{text}");
        assert_eq!(iso(plan(&at(text)).next_after(now).unwrap()), expected, "{text}");
    }
    for (schedule, words) in [
        (at("tomorrow"), "is not a time"),
        (at(""), "is not a time"),
        (at("2026-11-16T11:58:00Z"), "in the past"),
        (at("2046-01-01T00:00:00Z"), "ten years"),
        (CronSchedule::Every { every_ms: 0, anchor_ms: None }, "at least"),
        (CronSchedule::Every { every_ms: u64::MAX, anchor_ms: None }, "at least"),
        (cron("* * *", "UTC"), "not a cron expression"),
        (cron("61 * * * *", "UTC"), "not a cron expression"),
        (cron("", "UTC"), "not a cron expression"),
        (cron("0 0 30 2 *", "UTC"), "never due"),
        (cron("0 9 * * *", "Mars/Olympus"), "not a time zone"),
        (CronSchedule::OnExit { command: "make".to_owned(), cwd: None }, "not yet in effect"),
    ] {
        let said = check(&schedule, now, &TimeZone::UTC).unwrap_err().to_string();
        assert!(said.contains(words), "{schedule:?}: {said}");
    }
    assert!(matches!(
        Plan::read(&at("x"), JOB, 0, &TimeZone::UTC),
        Err(ScheduleError::BadMoment(text)) if text == "x"
    ));
}

#[test]
fn distances_and_schedules_have_words() {
    for (text, millis, words) in [
        ("90s", Some(90_000), "1m30s"),
        ("20m", Some(1_200_000), "20m"),
        ("1h30m", Some(5_400_000), "1h30m"),
        ("1h 30m", Some(5_400_000), "1h30m"),
        ("2d", Some(172_800_000), "2d"),
        ("1w", Some(604_800_000), "7d"),
        ("1500", Some(1_500), "1s500ms"),
        ("0", Some(0), "0s"),
    ] {
        assert_eq!(read_duration(text), millis, "{text}");
        assert_eq!(duration_words(millis.unwrap()), words);
    }
    for text in ["", "soon", "5 years", "h", "99999999999999999999h", "-5m", "1.5h"] {
        assert_eq!(read_duration(text), None, "{text}");
    }
    assert_eq!(schedule_words(&CronSchedule::Every { every_ms: 3_600_000, anchor_ms: None }), "every 1h");
    let said = schedule_words(&cron("0 9 * * 1-5", "Europe/Paris"));
    assert!(said.starts_with("0 9 * * 1-5 (") && said.ends_with("), Europe/Paris"), "{said}");
}

fn schedules() -> impl Strategy<Value = CronSchedule> {
    let zones = ["UTC", "America/New_York", "Europe/Paris", "Australia/Lord_Howe", "Asia/Kolkata"];
    let fields = (
        prop_oneof!["[0-5]?[0-9]", "\\*/[1-9]", "\\*"],
        prop_oneof!["[0-9]", "1[0-9]", "\\*", "\\*/[2-6]"],
        prop_oneof!["\\*", "[1-9]", "1[0-9]", "29"],
        prop_oneof!["\\*", "[1-9]", "2"],
        prop_oneof!["\\*", "[0-6]"],
    );
    let by_calendar = (fields, 0..zones.len(), prop_oneof![proptest::strategy::Just(0_u64), 1_u64..400_000])
        .prop_map(move |((minute, hour, day, month, weekday), zone, stagger)| CronSchedule::Cron {
            expr: format!("{minute} {hour} {day} {month} {weekday}"),
            tz: Some(zones[zone].to_owned()),
            stagger_ms: Some(stagger),
        });
    let by_distance = (1_000_u64..1_000_000_000, any::<i32>())
        .prop_map(|(every_ms, anchor)| CronSchedule::Every { every_ms, anchor_ms: Some(i64::from(anchor)) });
    prop_oneof![by_calendar, by_distance]
}

proptest! {
    #[test]
    fn the_next_run_is_strictly_later_and_none_is_skipped(
        schedule in schedules(),
        from in 1_600_000_000_000_i64..1_900_000_000_000,
        share in 0.0_f64..1.0,
    ) {
        let plan = Plan::read(&schedule, JOB, 0, &TimeZone::UTC).unwrap();
        let Ok(next) = plan.next_after(from) else { return Ok(()) };
        prop_assert!(next > from, "{schedule:?}: {next} is not after {from}");
        // Whoever asks at any moment before it gets the same answer: nothing lies in between.
        let between = from + ((next - from - 1) as f64 * share) as i64;
        prop_assert_eq!(plan.next_after(between), Ok(next), "{:?} from {}", schedule, between);
    }

    #[test]
    fn reading_what_anybody_wrote_never_breaks(text in ".{0,40}", tz in ".{0,12}") {
        let _cron = Plan::read(&cron(&text, &tz), JOB, 0, &TimeZone::UTC);
        let _at = Plan::read(&CronSchedule::At { at: text.clone() }, JOB, 0, &TimeZone::UTC);
        let _duration = read_duration(&text);
    }
}
