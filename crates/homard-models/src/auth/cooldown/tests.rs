//! Facts about how long credentials rest.

use std::time::Duration;

use homard_config::config::auth::Cooldowns;
use homard_llm::FailReason;
use homard_protocol::ProviderId;

use super::{BURST_MS, Failure, after_failure, after_success, billing_rest, cooling_until, cools, rest};
use crate::auth::document::Stats;

const NOW: i64 = 1_700_000_000_000;
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

fn provider() -> ProviderId {
    ProviderId::parse("acme").unwrap()
}

fn fail(before: &Stats, reason: FailReason, at: i64, retry_after: Option<Duration>) -> Stats {
    after_failure(before, &Failure { reason, at, retry_after }, &provider(), &Cooldowns::default())
}

#[test]
fn rests_grow_to_an_hour() {
    let minutes: Vec<_> = (0..7).map(|n| rest(n).as_secs() / 60).collect();
    assert_eq!(minutes, [1, 1, 5, 25, 60, 60, 60]);
    assert_eq!(rest(u32::MAX).as_secs(), 3_600);
}

#[test]
fn billing_rests_double_to_a_day() {
    let mut policy = Cooldowns::default();
    let hours = |policy: &Cooldowns| -> Vec<u64> {
        (1..6).map(|n| billing_rest(policy, &provider(), n).as_secs() / 3_600).collect()
    };
    assert_eq!(hours(&policy), [5, 10, 20, 24, 24]);
    policy.billing_backoff = Duration::from_secs(2 * 3_600);
    assert_eq!(hours(&policy), [2, 4, 8, 16, 24]);
    policy.billing_backoff_by_provider.insert(provider(), Duration::from_secs(3_600));
    policy.billing_max = Duration::from_secs(3 * 3_600);
    assert_eq!(hours(&policy), [1, 2, 3, 3, 3]);
}

#[test]
fn failures_during_a_rest_make_it_longer() {
    let mut stats = Stats::default();
    let mut at = NOW;
    let mut rests = Vec::new();
    for _ in 0..5 {
        stats = fail(&stats, FailReason::RateLimit, at, None);
        rests.push((stats.cooldown_until.unwrap() - at) / MINUTE);
        at += 30_000;
    }
    assert_eq!(rests, [1, 5, 25, 60, 60]);
    assert_eq!((stats.error_count, stats.failure_counts["rate_limit"]), (5, 5));
}

#[test]
fn counting_starts_again_after_the_rest() {
    let once = fail(&Stats::default(), FailReason::Auth, NOW, None);
    let again = fail(&once, FailReason::Auth, NOW + MINUTE, None);
    assert_eq!((again.error_count, again.cooldown_until), (1, Some(NOW + 2 * MINUTE)));
}

#[test]
fn counting_starts_again_after_a_day_without_failures() {
    let cooling = Stats {
        cooldown_until: Some(NOW + HOUR),
        last_failure_at: Some(NOW - 25 * HOUR),
        error_count: 3,
        ..Stats::default()
    };
    assert_eq!(fail(&cooling, FailReason::Auth, NOW, None).error_count, 1);
    let patient = Cooldowns { failure_window: Duration::from_secs(26 * 3_600), ..Cooldowns::default() };
    let failure = Failure { reason: FailReason::Auth, at: NOW, retry_after: None };
    let after = after_failure(&cooling, &failure, &provider(), &patient);
    assert_eq!(after.error_count, 4, "where the owner counts for longer");
}

#[test]
fn calls_that_fail_together_count_once() {
    let once = fail(&Stats::default(), FailReason::RateLimit, NOW, None);
    let twice = fail(&once, FailReason::RateLimit, NOW + BURST_MS - 1, None);
    assert_eq!(twice.error_count, 1);
    let other = fail(&once, FailReason::Auth, NOW + 1, None);
    assert_eq!(other.error_count, 2);
}

#[test]
fn the_longer_of_rest_and_wish_is_kept() {
    let cases = [(Some(10), MINUTE), (Some(600), 10 * MINUTE), (None, MINUTE)];
    for (asked, expected) in cases {
        let stats = fail(&Stats::default(), FailReason::RateLimit, NOW, asked.map(Duration::from_secs));
        assert_eq!(stats.cooldown_until, Some(NOW + expected));
    }
    // A shorter wish later does not shorten a longer one.
    let long = fail(&Stats::default(), FailReason::RateLimit, NOW, Some(Duration::from_secs(7_200)));
    assert_eq!(fail(&long, FailReason::RateLimit, NOW + MINUTE, None).cooldown_until, Some(NOW + 2 * HOUR));
}

#[test]
fn billing_disables_and_says_why() {
    let stats = fail(&Stats::default(), FailReason::Billing, NOW, None);
    assert_eq!(stats.disabled_until, Some(NOW + 5 * HOUR));
    assert_eq!(stats.disabled_reason.as_deref(), Some("billing"));
    assert_eq!(stats.cooldown_until, None);
    let later = fail(&stats, FailReason::Billing, NOW + HOUR, None);
    assert_eq!(later.disabled_until, Some(NOW + 11 * HOUR));
}

#[test]
fn only_failures_of_key_or_provider_cool() {
    let cases = [
        (FailReason::Auth, true),
        (FailReason::Billing, true),
        (FailReason::RateLimit, true),
        (FailReason::Overloaded, true),
        (FailReason::Timeout, true),
        (FailReason::Format, true),
        (FailReason::Unknown, true),
        (FailReason::ContextOverflow, false),
        (FailReason::ContentFilter, false),
        (FailReason::Refusal, false),
        (FailReason::ModelNotFound, false),
        (FailReason::Budget, false),
        (FailReason::Aborted, false),
    ];
    for (reason, expected) in cases {
        assert_eq!(cools(reason), expected, "{reason:?}");
        let stats = fail(&Stats::default(), reason, NOW, None);
        assert_eq!(cooling_until(&stats, NOW).is_some(), expected, "{reason:?}");
    }
}

#[test]
fn a_success_forgives_everything() {
    let stats = after_success(&fail(&Stats::default(), FailReason::Billing, NOW, None), NOW + 1);
    assert_eq!(cooling_until(&stats, NOW + 1), None);
    assert_eq!((stats.error_count, stats.last_used), (0, Some(NOW + 1)));
}

#[test]
fn a_rest_written_under_a_wrong_clock_is_not_obeyed() {
    let years_ahead = fail(&Stats::default(), FailReason::Auth, NOW + 1_000 * 24 * HOUR, None);
    assert_eq!(cooling_until(&years_ahead, NOW), None);
    assert_eq!(fail(&years_ahead, FailReason::Auth, NOW, None).cooldown_until, Some(NOW + MINUTE));
    // A few minutes of difference between two machines' clocks are normal.
    let ahead = fail(&Stats::default(), FailReason::Auth, NOW + MINUTE, None);
    assert_eq!(cooling_until(&ahead, NOW), Some(NOW + 2 * MINUTE));
}
