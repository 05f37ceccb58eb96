//! Tests of [`super`].

use homard_store::{LatencyStats, UsageCell, UsageReport, UsageTally};

use super::{HOUR_MS, rows, starts};

#[test]
fn the_hour_under_way_is_the_last_one() {
    let now = 10 * HOUR_MS + 1;
    assert_eq!(starts(now, 2), [9 * HOUR_MS, 10 * HOUR_MS, 11 * HOUR_MS]);
    assert_eq!(starts(10 * HOUR_MS, 1), [10 * HOUR_MS, 11 * HOUR_MS]);
    assert_eq!(starts(0, 1), [0, HOUR_MS]);
}

#[test]
fn a_clock_at_its_end_is_no_panic() {
    assert_eq!(starts(i64::MAX, 3).len(), 4);
    assert_eq!(starts(i64::MIN, 3).len(), 4);
}

#[test]
fn hours_without_a_call_are_listed_and_prompts_count_what_the_cache_served() {
    let tally = UsageTally {
        runs: 2,
        calls: 3,
        input: 10,
        cache_read: 5,
        cache_write: 1,
        output: 7,
        errors: 1,
        ..UsageTally::default()
    };
    let cell = UsageCell { day: 1, session: 0, provider: "p".into(), model: "m".into(), tally };
    let measured = LatencyStats { count: 3, p50_ms: 20, p95_ms: 90, ..LatencyStats::default() };
    let report =
        UsageReport { cells: vec![cell], latency: vec![None, Some(measured)], ..UsageReport::default() };
    let found = rows(&report, &[0, HOUR_MS, 2 * HOUR_MS]);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].at, found[0].turns, found[0].latency_p50_ms), (0, 0, None));
    let busy = found[1];
    assert_eq!((busy.at, busy.turns, busy.calls, busy.errors), (HOUR_MS, 2, 3, 1));
    assert_eq!((busy.input_tokens, busy.output_tokens), (16, 7));
    assert_eq!((busy.latency_p50_ms, busy.latency_p95_ms), (Some(20), Some(90)));
}
