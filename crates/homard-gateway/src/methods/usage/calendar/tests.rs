//! Days are cut where the caller's calendar cuts them.

use homard_protocol::methods::usage::UsageSpan;
use jiff::tz::TimeZone;

use super::{Calendar, Today, resolve};

/// 2026-11-15, 23:30 in UTC: already the 16th in Paris.
const NOW: i64 = 1_794_785_400_000;
const HOUR: i64 = 3_600_000;

fn days(span: serde_json::Value) -> Result<Calendar, String> {
    let span: UsageSpan = serde_json::from_value(span).unwrap();
    let zone = TimeZone::get("Europe/Paris").unwrap();
    resolve(&span, &Today { now: NOW, first: Some(NOW - 3 * 24 * HOUR), zone })
}

#[test]
fn the_first_and_last_day_are_those_asked_for() {
    use serde_json::json;
    let table = [
        (json!({}), "2026-10-17", "2026-11-15", 30),
        (json!({"days": 1}), "2026-11-15", "2026-11-15", 1),
        (json!({"days": 1, "mode": "gateway"}), "2026-11-16", "2026-11-16", 1),
        (json!({"days": 2, "mode": "specific", "utcOffset": "UTC-5:30"}), "2026-11-14", "2026-11-15", 2),
        (json!({"days": 1, "mode": "specific", "timeZone": "Asia/Tokyo"}), "2026-11-16", "2026-11-16", 1),
        (json!({"range": "7d"}), "2026-11-09", "2026-11-15", 7),
        (json!({"range": "1y"}), "2025-11-16", "2026-11-15", 365),
        (json!({"range": "all"}), "2026-11-12", "2026-11-15", 4),
        (json!({"startDate": "2026-01-30", "endDate": "2026-02-02"}), "2026-01-30", "2026-02-02", 4),
        (json!({"startDate": "2026-11-10"}), "2026-11-10", "2026-11-15", 6),
        (json!({"endDate": "2026-02-02", "days": 3}), "2026-01-31", "2026-02-02", 3),
        (json!({"startDate": "1970-01-01"}), "2016-11-08", "2026-11-15", 3_660),
    ];
    for (span, first, last, count) in table {
        let found = days(span.clone()).unwrap();
        let ends = (found.dates.first().unwrap().as_str(), found.dates.last().unwrap().as_str());
        assert_eq!(
            (ends, found.dates.len(), found.starts.len()),
            ((first, last), count, count + 1),
            "{span}"
        );
    }
}

#[test]
fn the_day_the_clocks_change_has_25_hours() {
    let span = serde_json::json!({"startDate": "2026-10-24", "endDate": "2026-10-26", "mode": "gateway"});
    let starts = days(span).unwrap().starts;
    let lengths: Vec<i64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) / HOUR).collect();
    assert_eq!(lengths, [24, 25, 24]);
}

#[test]
fn what_is_no_range_is_refused() {
    use serde_json::json;
    let table = [
        (json!({"startDate": "2026-02-30"}), "startDate"),
        (json!({"startDate": "tomorrow"}), "startDate"),
        (json!({"endDate": "2026-02-03T10:00"}), "endDate"),
        (json!({"startDate": "2026-02-03", "endDate": "2026-02-02"}), "endDate"),
        (json!({"startDate": "9999-12-31", "endDate": "9999-12-31"}), "calendar"),
        (json!({"days": 0}), "days"),
        (json!({"days": 4_000_000_000u32}), "days"),
        (json!({"range": "2w"}), "range"),
        (json!({"mode": "lunar"}), "mode"),
        (json!({"mode": "specific"}), "mode"),
        (json!({"mode": "specific", "utcOffset": "+2"}), "utcOffset"),
        (json!({"mode": "specific", "utcOffset": "UTC+2:99"}), "utcOffset"),
        (json!({"mode": "specific", "utcOffset": "UTC+99"}), "utcOffset"),
        (json!({"mode": "specific", "utcOffset": "UTC+-1"}), "utcOffset"),
        (json!({"mode": "specific", "timeZone": "Mars/Olympus"}), "timeZone"),
    ];
    for (span, words) in table {
        let refused = days(span.clone()).unwrap_err();
        assert!(refused.contains(words), "{span}: {refused}");
    }
}
