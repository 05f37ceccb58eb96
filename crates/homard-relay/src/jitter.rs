//! Chance, so that many who wait do not all come back at the same moment.

use std::time::Duration;

/// A number from 0 up to 1.
pub(crate) fn chance() -> f64 {
    let (_, low) = uuid::Uuid::new_v4().as_u64_pair();
    // 32 of its bits are enough, and fit.
    f64::from(u32::try_from(low & u64::from(u32::MAX)).unwrap_or(0)) / (f64::from(u32::MAX) + 1.0)
}

/// `time`, longer or shorter by at most `share` of it, as `chance` says.
pub(crate) fn spread(time: Duration, share: f64, chance: f64) -> Duration {
    let factor = 1.0 + share * chance.clamp(0.0, 1.0).mul_add(2.0, -1.0);
    time.mul_f64(factor.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::{chance, spread};
    use std::time::Duration;

    #[test]
    fn time_is_spread_evenly_around_itself() {
        let second = Duration::from_secs(10);
        assert_eq!(spread(second, 0.1, 0.0), Duration::from_secs(9));
        assert_eq!(spread(second, 0.1, 0.5), second);
        assert_eq!(spread(second, 0.1, 1.0), Duration::from_secs(11));
        for _time in 0..100 {
            assert!((0.0..1.0).contains(&chance()));
        }
    }
}
