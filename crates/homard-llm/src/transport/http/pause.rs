//! How long a refusal's headers say to wait: asked for outright, or implied by when a quota is full again.
//!
//! What a refusal's body says is read by `classify`.

use std::time::Duration;

use homard_runtime::{Clock, millis_i64};
use reqwest::header::HeaderMap;

use crate::classify::{MAX_PAUSE, span};

/// Headers that say when a quota is full again, with the header that says how much of it is left.
const RESETS: &[(&str, &str)] = &[
    ("x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"),
    ("x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"),
    ("anthropic-ratelimit-requests-reset", "anthropic-ratelimit-requests-remaining"),
    ("anthropic-ratelimit-tokens-reset", "anthropic-ratelimit-tokens-remaining"),
    ("anthropic-ratelimit-input-tokens-reset", "anthropic-ratelimit-input-tokens-remaining"),
    ("anthropic-ratelimit-output-tokens-reset", "anthropic-ratelimit-output-tokens-remaining"),
    ("anthropic-ratelimit-unified-reset", "anthropic-ratelimit-unified-remaining"),
    ("x-ratelimit-reset", "x-ratelimit-remaining"),
    ("ratelimit-reset", "ratelimit-remaining"),
];
/// Larger numbers are seconds since 1970 and no pause.
const EPOCH_SECONDS: f64 = 1e9;
/// And larger than this, milliseconds since 1970.
const EPOCH_MILLISECONDS: f64 = 1e12;

/// How long the provider asks to be left alone: milliseconds, seconds or a date.
pub(super) fn retry_after(headers: &HeaderMap, clock: &Clock) -> Option<Duration> {
    let wait = match text(headers, "retry-after-ms").and_then(number) {
        Some(ms) => Duration::try_from_secs_f64(ms / 1_000.0).ok()?,
        None => {
            let value = text(headers, "retry-after")?;
            match number(value) {
                Some(seconds) => Duration::try_from_secs_f64(seconds).unwrap_or(MAX_PAUSE),
                None => {
                    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
                    until(date.as_millisecond(), clock)
                }
            }
        }
    };
    Some(wait.min(MAX_PAUSE))
}

/// When an exhausted quota is full again; when no header says which quota it was, the soonest of them.
pub(super) fn resets(headers: &HeaderMap, clock: &Clock) -> Option<Duration> {
    let known = || {
        RESETS.iter().filter_map(|&(reset, remaining)| {
            let empty = text(headers, remaining).and_then(number).is_some_and(|left| left <= 0.0);
            Some((moment(text(headers, reset)?, clock)?, empty))
        })
    };
    let exhausted = known().filter(|&(_, empty)| empty).map(|(wait, _)| wait).max();
    exhausted.or_else(|| known().map(|(wait, _)| wait).min()).map(|wait| wait.min(MAX_PAUSE))
}

/// A moment as headers spell it: a date, seconds or milliseconds since 1970, seconds from now, or `6m0s`.
fn moment(text: &str, clock: &Clock) -> Option<Duration> {
    if let Some(n) = number(text) {
        let since_1970 = |seconds: f64| {
            let ms = millis_i64(Duration::try_from_secs_f64(seconds).ok()?);
            (ms < i64::MAX).then(|| until(ms, clock))
        };
        return match n {
            n if n >= EPOCH_MILLISECONDS => since_1970(n / 1_000.0),
            n if n >= EPOCH_SECONDS => since_1970(n),
            n => Duration::try_from_secs_f64(n).ok(),
        };
    }
    match text.parse::<jiff::Timestamp>() {
        Ok(date) => Some(until(date.as_millisecond(), clock)),
        Err(_) => span(text),
    }
}

fn until(ms: i64, clock: &Clock) -> Duration {
    Duration::from_millis(u64::try_from(ms.saturating_sub(clock.now_ms())).unwrap_or(0))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)
}

#[cfg(test)]
mod tests;
