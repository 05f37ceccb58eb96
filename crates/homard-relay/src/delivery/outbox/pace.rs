//! How fast one account speaks: a few at once, then evenly.

use std::time::Duration;

use homard_runtime::Mutex;
use tokio::time::Instant;

/// Time between messages of one account: 25 a second, a little below what platforms allow.
const BETWEEN: Duration = Duration::from_millis(40);
/// How many may go at once after a rest.
const BURST: u32 = 5;

/// When the next message of an account may go.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When everything taken so far would have gone, had it gone evenly.
    taken_until: Mutex<Option<Instant>>,
}

impl Pace {
    /// Takes the next place and says how long it is until then.
    pub(super) fn take(&self, now: Instant) -> Duration {
        let mut taken_until = self.taken_until.lock();
        let rested = now.checked_sub(BETWEEN * BURST).unwrap_or(now);
        let place = taken_until.unwrap_or(rested).max(rested) + BETWEEN;
        *taken_until = Some(place);
        place.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::{BETWEEN, BURST, Pace};
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn a_few_go_at_once_and_the_rest_evenly() {
        let (pace, now) = (Pace::default(), Instant::now());
        let waits: Vec<Duration> = (0..BURST + 2).map(|_| pace.take(now)).collect();
        let (at_once, later) = waits.split_at(waits.len() - 2);
        assert!(at_once.iter().all(Duration::is_zero), "{waits:?}");
        assert_eq!(later, [BETWEEN, BETWEEN * 2]);
        assert!(pace.take(now + Duration::from_secs(5)).is_zero());
    }

    #[test]
    fn a_thousand_take_forty_seconds() {
        let (pace, now) = (Pace::default(), Instant::now());
        let last = (0..1_000).map(|_| pace.take(now)).last().unwrap();
        assert_eq!(last, BETWEEN * (1_000 - BURST));
    }
}
