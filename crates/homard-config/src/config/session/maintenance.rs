//! `session.maintenance`: keeping the list of sessions short.

use std::time::Duration;

use serde_json::Value;

use crate::config::agents::pruning::duration;
use crate::raw::session as raw;

const DEFAULT_AGE: Duration = Duration::from_secs(30 * DAY);
const DEFAULT_ENTRIES: u64 = 500;
const DAY: u64 = 24 * 60 * 60;

/// Which sessions are too many. Read by `sessions.cleanup`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Maintenance {
    /// Whether a cleanup acts without being told to.
    pub enforce: bool,
    /// Sessions nobody touched for so long may go.
    pub prune_after: Duration,
    /// More than so many sessions of an agent may go, the oldest first.
    pub max_entries: usize,
}

impl Maintenance {
    pub(in crate::config) fn resolve(raw: &raw::Maintenance) -> Self {
        let days = raw.prune_days.map(|days| Duration::from_secs(days.saturating_mul(DAY)));
        let written = raw.prune_after.as_ref().and_then(age);
        Self {
            enforce: raw.mode.as_deref() == Some("enforce"),
            prune_after: written.or(days).unwrap_or(DEFAULT_AGE),
            max_entries: usize::try_from(raw.max_entries.unwrap_or(DEFAULT_ENTRIES)).unwrap_or(usize::MAX),
        }
    }
}

/// Reads `30d` and the like; a bare number is days.
fn age(written: &Value) -> Option<Duration> {
    match written {
        Value::Number(days) => days.as_u64().map(|days| Duration::from_secs(days.saturating_mul(DAY))),
        Value::String(text) => match text.trim().parse::<u64>() {
            Ok(days) => Some(Duration::from_secs(days.saturating_mul(DAY))),
            Err(_not_bare) => duration(text),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
