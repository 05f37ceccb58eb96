//! How long a failing credential rests. Pure: from what was, what happened and when, to what is.

use std::time::Duration;

use homard_config::config::auth::Cooldowns;
use homard_llm::FailReason;
use homard_protocol::ProviderId;
use homard_runtime::{Backoff, millis_i64};

use super::document::Stats;

/// The first rest.
const FIRST_REST: Duration = Duration::from_secs(60);
/// Each further rest is this many times the one before.
const REST_FACTOR: f64 = 5.0;
/// The longest rest.
const LONGEST_REST: Duration = Duration::from_secs(3_600);
/// Failures of one kind this close together are one: calls that were under way at the same time all meet the
/// same limit, and must not send the key away for an hour.
const BURST_MS: i64 = 10_000;
/// How far ahead a failure may be written before the clock that wrote it is disbelieved.
const CLOCK_SLACK_MS: i64 = 5 * 60_000;

/// Something went wrong with a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) reason: FailReason,
    pub(crate) at: i64,
    /// How long the provider asked to be left alone.
    pub(crate) retry_after: Option<Duration>,
}

/// The rest after the `n`th failure in a row, counting from 1: 1, 5, 25, 60, 60 … minutes.
pub(crate) fn rest(n: u32) -> Duration {
    Backoff::new(FIRST_REST, REST_FACTOR, LONGEST_REST).after(n)
}

/// The rest after the `n`th billing failure in a row, counting from 1: doubling.
pub(crate) fn billing_rest(policy: &Cooldowns, provider: &ProviderId, n: u32) -> Duration {
    let own = policy.billing_backoff_by_provider.get(provider).copied();
    let first = own.unwrap_or(policy.billing_backoff);
    Backoff::doubling(first, policy.billing_max).after(n)
}

/// Whether a failure says something about the credential (or its provider) rather than about the request.
pub(crate) fn cools(reason: FailReason) -> bool {
    match reason {
        FailReason::Auth
        | FailReason::Billing
        | FailReason::RateLimit
        | FailReason::Overloaded
        // A provider that does not answer is left alone too: waiting for it with every message is worse.
        | FailReason::Timeout
        | FailReason::Format
        | FailReason::Unknown => true,
        FailReason::ContextOverflow
        | FailReason::ContentFilter
        | FailReason::Refusal
        | FailReason::ModelNotFound
        | FailReason::Budget
        | FailReason::Aborted => false,
    }
}

/// Until when a credential is left alone; `None` when it may be used.
pub(crate) fn cooling_until(stats: &Stats, now: i64) -> Option<i64> {
    if stats.last_failure_at.is_some_and(|at| at > now.saturating_add(CLOCK_SLACK_MS)) {
        // Written under a clock that ran ahead; obeying it could disable a key for years.
        return None;
    }
    stats.cooldown_until.max(stats.disabled_until).filter(|until| *until > now)
}

/// What is known after a failure. Counting starts again after a rest or a long time without failures.
pub(crate) fn after_failure(
    before: &Stats,
    failure: &Failure,
    provider: &ProviderId,
    policy: &Cooldowns,
) -> Stats {
    let mut stats = before.clone();
    if !cools(failure.reason) {
        return stats;
    }
    let word = failure.reason.as_str();
    let since = before.last_failure_at.map(|last| failure.at.saturating_sub(last));
    let cooling = cooling_until(before, failure.at).is_some();
    let in_window = since.is_some_and(|since| since <= millis_i64(policy.failure_window));
    if !cooling || !in_window {
        stats.error_count = 0;
        stats.failure_counts.clear();
        stats.cooldown_until = None;
        stats.disabled_until = None;
        stats.disabled_reason = None;
    }
    let known = stats.failure_counts.contains_key(word);
    let burst = known && since.is_some_and(|since| (0..BURST_MS).contains(&since));
    if !burst {
        stats.error_count = stats.error_count.saturating_add(1);
        let count = stats.failure_counts.entry(word.to_owned()).or_default();
        *count = count.saturating_add(1);
    }
    stats.last_failure_at = Some(failure.at);
    let asked = failure.retry_after.unwrap_or_default();
    if failure.reason == FailReason::Billing {
        let n = stats.failure_counts.get(word).copied().unwrap_or(1);
        let pause = billing_rest(policy, provider, n).max(asked);
        stats.disabled_until = stats.disabled_until.max(Some(failure.at.saturating_add(millis_i64(pause))));
        stats.disabled_reason = Some(word.to_owned());
    } else {
        let pause = rest(stats.error_count).max(asked);
        stats.cooldown_until = stats.cooldown_until.max(Some(failure.at.saturating_add(millis_i64(pause))));
    }
    stats
}

/// What is known after a success: the failures are forgiven.
pub(crate) fn after_success(before: &Stats, at: i64) -> Stats {
    Stats { last_used: Some(at), last_failure_at: before.last_failure_at, ..Stats::default() }
}

#[cfg(test)]
mod tests;
