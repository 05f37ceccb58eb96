//! Waits that grow with each failure, and chance, so that many who failed together do not come back together.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

/// Waits from `first` up to `longest`, each `factor` times the one before; counts the failures.
#[derive(Debug, Clone, PartialEq)]
pub struct Backoff {
    first: Duration,
    factor: f64,
    longest: Duration,
    failures: u32,
}

impl Backoff {
    /// Nothing has failed yet.
    #[must_use]
    pub const fn new(first: Duration, factor: f64, longest: Duration) -> Self {
        Self { first, factor, longest, failures: 0 }
    }

    /// As [`new`](Self::new), each wait twice the one before.
    #[must_use]
    pub const fn doubling(first: Duration, longest: Duration) -> Self {
        Self::new(first, 2.0, longest)
    }

    /// The wait after the `nth` failure in a row, counting from 1.
    #[must_use]
    pub fn after(&self, nth: u32) -> Duration {
        let doublings = i32::try_from(nth.saturating_sub(1)).unwrap_or(i32::MAX);
        let seconds = self.first.as_secs_f64() * self.factor.powi(doublings);
        Duration::try_from_secs_f64(seconds).map_or(self.longest, |wait| wait.min(self.longest))
    }

    /// The wait after one more failure.
    pub fn step(&mut self) -> Duration {
        self.failures = self.failures.saturating_add(1);
        self.after(self.failures)
    }

    /// It worked: the next wait is the first again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// `time`, longer or shorter by at most `share` of it, as `chance` says.
#[must_use]
pub fn spread(time: Duration, share: f64, chance: f64) -> Duration {
    let factor = 1.0 + share * chance.clamp(0.0, 1.0).mul_add(2.0, -1.0);
    time.mul_f64(factor.max(0.0))
}

/// A number from 0 up to 1.
#[must_use]
pub fn chance() -> f64 {
    // The standard library seeds its hashers from the system; an empty hash is as random as the seed.
    // 32 of its bits are enough, and fit.
    let bits = u32::try_from(RandomState::new().build_hasher().finish() >> 32).unwrap_or(0);
    f64::from(bits) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Backoff, chance, spread};

    #[test]
    fn waits_grow_to_the_longest_and_begin_again() {
        let second = Duration::from_secs(1);
        let cases = [
            (Backoff::doubling(second, 20 * second), [1_000, 2_000, 4_000, 8_000, 16_000, 20_000]),
            (Backoff::new(second, 1.5, 3 * second), [1_000, 1_500, 2_250, 3_000, 3_000, 3_000]),
            (Backoff::doubling(5 * second, second), [1_000; 6]),
        ];
        for (mut backoff, expected) in cases {
            let waits = expected.map(|_| crate::millis(backoff.step()));
            assert_eq!(waits, expected);
            assert_eq!(backoff.after(u32::MAX), backoff.longest);
            backoff.reset();
            assert_eq!(backoff.step(), backoff.after(0));
        }
    }

    #[test]
    fn time_is_spread_evenly_around_itself() {
        let time = Duration::from_secs(10);
        assert_eq!(spread(time, 0.1, 0.0), Duration::from_secs(9));
        assert_eq!(spread(time, 0.1, 0.5), time);
        assert_eq!(spread(time, 0.1, 1.0), Duration::from_secs(11));
        assert!((0..100).all(|_| (0.0..1.0).contains(&chance())));
    }
}
