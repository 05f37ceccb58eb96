//! Where the time of day comes from.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::millis_i64;

/// A point in time, milliseconds since 1970, as it stands on the wire and on disk.
pub type Timestamp = i64;

/// The time of day. Clone-cheap; rooms are handed one instead of asking the machine, so that a test (and a
/// cron run over a daylight-saving change) can turn it.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    fixed: Option<Arc<AtomicI64>>,
}

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self { fixed: None }
    }

    /// A clock that stands still at `now` until [`advance`](Clock::advance) turns it.
    #[must_use]
    pub fn fixed(now: Timestamp) -> Self {
        Self { fixed: Some(Arc::new(AtomicI64::new(now))) }
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn now_ms(&self) -> Timestamp {
        match &self.fixed {
            Some(now) => now.load(Ordering::SeqCst),
            None => jiff::Timestamp::now().as_millisecond(),
        }
    }

    /// RFC 3339 with milliseconds, as transcripts spell it.
    #[must_use]
    pub fn now_rfc3339(&self) -> String {
        rfc3339(self.now_ms())
    }

    /// Turns a fixed clock forward; a system clock is not ours to turn and stays as it is.
    pub fn advance(&self, by: Duration) {
        if let Some(now) = &self.fixed {
            now.fetch_add(millis_i64(by), Ordering::SeqCst);
        }
    }
}

/// Spells a point in time as RFC 3339 with exactly three decimals.
#[must_use]
fn rfc3339(ms: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(time) => format!("{time:.3}"),
        Err(_) => "1970-01-01T00:00:00.000Z".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;
    use std::time::Duration;

    #[test]
    fn a_fixed_clock_moves_only_when_turned() {
        let clock = Clock::fixed(1_000);
        assert_eq!(clock.now_rfc3339(), "1970-01-01T00:00:01.000Z");
        clock.clone().advance(Duration::from_millis(234));
        assert_eq!(clock.now_ms(), 1_234);
        assert_eq!(clock.now_rfc3339(), "1970-01-01T00:00:01.234Z");
    }

    #[test]
    fn the_system_clock_cannot_be_turned() {
        let clock = Clock::system();
        let before = clock.now_ms();
        clock.advance(Duration::from_secs(3_600));
        assert!(clock.now_ms() - before < 3_600_000);
    }
}
