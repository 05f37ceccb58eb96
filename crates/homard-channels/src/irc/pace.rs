//! How fast we may speak: a few lines at once, then one at a time.

use std::time::Duration;

use tokio::time::Instant;

/// The pace a server can be expected to bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pace {
    /// Lines that may go at once after a silence.
    pub(super) burst: u32,
    /// Between two lines after that; zero when there is no limit.
    pub(super) interval: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { burst: 4, interval: Duration::from_secs(2) }
    }
}

/// What is left of the pace.
#[derive(Debug)]
pub(super) struct Bucket {
    pace: Pace,
    /// When the bucket is full again.
    full_at: Instant,
}

impl Bucket {
    pub(super) fn full(pace: Pace, now: Instant) -> Self {
        Self { pace, full_at: now }
    }

    /// When the next line may go.
    pub(super) fn next_at(&self) -> Instant {
        let ahead = self.pace.interval.saturating_mul(self.pace.burst.max(1) - 1);
        self.full_at.checked_sub(ahead).unwrap_or(self.full_at)
    }

    /// A line goes now.
    pub(super) fn take(&mut self, now: Instant) {
        self.full_at = self.full_at.max(now) + self.pace.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::{Bucket, Pace};
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn four_lines_go_at_once_and_then_one_every_two_seconds() {
        let start = Instant::now();
        let mut bucket = Bucket::full(Pace::default(), start);
        let mut now = start;
        let mut gone = Vec::new();
        for _ in 0..7 {
            now = now.max(bucket.next_at());
            bucket.take(now);
            gone.push((now - start).as_secs());
        }
        assert_eq!(gone, [0, 0, 0, 0, 2, 4, 6]);
    }

    #[test]
    fn a_silence_fills_the_bucket_but_never_beyond_its_size() {
        let start = Instant::now();
        let mut bucket = Bucket::full(Pace::default(), start);
        bucket.take(start);
        let later = start + Duration::from_secs(600);
        let mut now = later;
        let mut at_once = 0;
        while bucket.next_at() <= now && at_once < 10 {
            bucket.take(now);
            now = now.max(later);
            at_once += 1;
        }
        assert_eq!(at_once, 4);
    }

    #[test]
    fn without_an_interval_there_is_no_limit() {
        let now = Instant::now();
        let mut bucket = Bucket::full(Pace { burst: 1, interval: Duration::ZERO }, now);
        for _ in 0..1_000 {
            assert!(bucket.next_at() <= now);
            bucket.take(now);
        }
    }
}
