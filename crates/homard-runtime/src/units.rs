//! Measures as numbers, for records and wires.

use std::time::Duration;

/// A duration in milliseconds; one too long to be counted is the longest.
#[must_use]
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
