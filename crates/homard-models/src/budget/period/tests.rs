//! Days and months over time zones and daylight-saving changes.

use jiff::tz::TimeZone;

use super::{Periods, Span, began, resets, show};

fn ms(text: &str) -> i64 {
    text.parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

#[test]
fn days_and_months_are_the_owners() {
    let berlin = TimeZone::get("Europe/Berlin").unwrap();
    // (moment, day begins, next day, next month)
    let rows = [
        ("2026-11-16T12:00:00Z", "2026-11-15T23:00:00Z", "2026-11-16T23:00:00Z", "2026-11-30T23:00:00Z"),
        // Already tomorrow in Berlin.
        ("2026-11-30T23:30:00Z", "2026-11-30T23:00:00Z", "2026-12-01T23:00:00Z", "2026-12-31T23:00:00Z"),
        // The day summer time ends has 25 hours, the one it begins has 23.
        ("2026-10-25T10:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10-31T23:00:00Z"),
        ("2026-03-29T10:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-31T22:00:00Z"),
    ];
    for (now, day, next_day, next_month) in rows {
        let now = ms(now);
        assert_eq!(began(Span::Day, now, &berlin), ms(day));
        assert_eq!(resets(Span::Day, now, &berlin), Some(ms(next_day)));
        assert_eq!(resets(Span::Month, now, &berlin), Some(ms(next_month)));
        assert_eq!((began(Span::Total, now, &berlin), resets(Span::Total, now, &berlin)), (0, None));
    }
    assert_eq!(began(Span::Month, ms("2026-10-26T12:00:00Z"), &berlin), ms("2026-09-30T22:00:00Z"));
    assert_eq!(show(ms("2026-11-16T23:00:00Z"), &berlin), "2026-11-17 00:00");
}

#[test]
fn periods_follow_each_other_by_one() {
    let key = |text: &str| Periods::at(ms(text), &TimeZone::UTC);
    let (last, first) = (key("2026-12-31T23:59:59Z"), key("2027-01-01T00:00:00Z"));
    assert_eq!((first.day - last.day, first.month - last.month), (1, 1));
    assert!(!first.forgets(Span::Day, last.day), "the day just past is kept");
    assert!(first.forgets(Span::Day, last.day - 1));
    assert!(!first.forgets(Span::Total, 0));
    assert_eq!(key("1970-01-01T00:00:00Z").day, 0);
}

#[test]
fn times_out_of_range_do_not_break() {
    for now in [i64::MIN, i64::MAX, -1] {
        let periods = Periods::at(now, &TimeZone::UTC);
        assert_eq!(periods, Periods::at(now, &TimeZone::UTC));
        assert!(resets(Span::Day, now, &TimeZone::UTC).is_some());
    }
}
