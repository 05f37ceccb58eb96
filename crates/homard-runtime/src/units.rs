//! Measures as numbers, for records and wires.

use std::time::Duration;

/// A duration in milliseconds; one too long to be counted is the longest.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place that counts them")]
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// As [`millis`], to be added to or taken from a [`Timestamp`](crate::Timestamp).
#[must_use]
pub fn millis_i64(duration: Duration) -> i64 {
    i64::try_from(millis(duration)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{millis, millis_i64};

    #[test]
    fn what_cannot_be_counted_is_the_longest() {
        let cases = [
            (Duration::ZERO, 0, 0),
            (Duration::from_micros(1_999), 1, 1),
            (Duration::from_secs(3), 3_000, 3_000),
            (Duration::from_millis(u64::MAX), u64::MAX, i64::MAX),
            (Duration::MAX, u64::MAX, i64::MAX),
        ];
        for (duration, unsigned, signed) in cases {
            assert_eq!((millis(duration), millis_i64(duration)), (unsigned, signed));
        }
    }
}
