//! What a run is told, and how long it may take.

use homard_runtime::millis;
use jiff::tz::TimeZone;

use super::{JOB_TIMEOUT, STUCK_AFTER, limit, prompt, time_line};

#[test]
fn a_turn_knows_which_job_it_is_and_what_time_it_is() {
    let paris = TimeZone::get("Europe/Paris").unwrap();
    let time = time_line(1_794_816_000_000, &paris);
    assert_eq!(time, "Current time: Monday, 2026-11-16 09:00 (Europe/Paris)");
    assert_eq!(prompt("id-1", "digest", "sum up", &time), format!("[cron:id-1 digest] sum up\n{time}"));
}

#[test]
fn a_turn_has_ten_minutes_unless_the_job_says_otherwise() {
    let rows = [
        (None, millis(JOB_TIMEOUT)),
        (Some(1.5), 1_500),
        (Some(0.0), millis(STUCK_AFTER)),
        (Some(-3.0), millis(STUCK_AFTER)),
        (Some(1e30), millis(STUCK_AFTER)),
        (Some(f64::NAN), millis(STUCK_AFTER)),
    ];
    for (seconds, expected) in rows {
        assert_eq!(limit(seconds), expected, "{seconds:?}");
    }
}
