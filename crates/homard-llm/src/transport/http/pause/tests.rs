//! Every spelling of a pause in headers, as a table.

use std::time::Duration;

use homard_runtime::Clock;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::{resets, retry_after};

/// Wed, 21 Oct 2015 07:28:00 GMT.
const NOW: i64 = 1_445_412_480_000;

type Lines = &'static [(&'static str, &'static str)];

fn headers(rows: &[(&'static str, &'static str)]) -> HeaderMap {
    let pair = |&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
    rows.iter().map(pair).collect()
}

#[test]
fn a_pause_is_read_in_every_spelling() {
    let clock = Clock::fixed(NOW);
    let rows = [
        ("retry-after", "7", Some(Duration::from_secs(7))),
        ("retry-after", "0.5", Some(Duration::from_millis(500))),
        ("retry-after-ms", "250", Some(Duration::from_millis(250))),
        ("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT", Some(Duration::from_secs(30))),
        ("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT", Some(Duration::ZERO)),
        ("retry-after", "1e300", Some(Duration::from_secs(86_400))),
        ("retry-after", "-3", None),
        ("retry-after", "soon", None),
    ];
    for (name, value, expected) in rows {
        assert_eq!(retry_after(&headers(&[(name, value)]), &clock), expected, "{name}: {value}");
    }
}

#[test]
fn a_quota_says_when_it_is_full_again() {
    let clock = Clock::fixed(NOW);
    let seconds = |n: u64| Some(Duration::from_secs(n));
    let rows: &[(Lines, Option<Duration>)] = &[
        (&[], None),
        (&[("x-ratelimit-reset-requests", "6m0s")], seconds(360)),
        (&[("x-ratelimit-reset-requests", "120ms")], Some(Duration::from_millis(120))),
        (&[("x-ratelimit-reset-requests", "1s"), ("x-ratelimit-reset-tokens", "6m0s")], seconds(1)),
        (
            &[
                ("x-ratelimit-reset-requests", "1s"),
                ("x-ratelimit-remaining-requests", "59"),
                ("x-ratelimit-reset-tokens", "6m0s"),
                ("x-ratelimit-remaining-tokens", "0"),
            ],
            seconds(360),
        ),
        (&[("anthropic-ratelimit-tokens-reset", "2015-10-21T07:29:00Z")], seconds(60)),
        (&[("anthropic-ratelimit-tokens-reset", "2015-10-21T07:00:00Z")], seconds(0)),
        (&[("anthropic-ratelimit-unified-reset", "1445412490")], seconds(10)),
        (&[("x-ratelimit-reset", "1445412485000")], seconds(5)),
        (&[("x-ratelimit-reset", "12.5")], Some(Duration::from_millis(12_500))),
        (&[("x-ratelimit-reset", "1e300")], None),
        (&[("x-ratelimit-reset", "later")], None),
        (&[("x-ratelimit-reset", "-1")], None),
        (&[("anthropic-ratelimit-tokens-reset", "2099-01-01T00:00:00Z")], seconds(86_400)),
    ];
    for (rows, expected) in rows {
        assert_eq!(resets(&headers(rows), &clock), *expected, "{rows:?}");
    }
}
