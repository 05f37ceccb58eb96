//! Pauses grow, are spread and stay within bounds.

use std::time::Duration;

use homard_runtime::millis;

use super::{FailoverPolicy, Jitter};

#[test]
fn pauses_double_up_to_a_bound_and_are_spread_over_half_of_it() {
    let full = FailoverPolicy { jitter: Jitter::new(|| 1.0), ..FailoverPolicy::default() };
    let half = FailoverPolicy { jitter: Jitter::new(|| 0.0), ..FailoverPolicy::default() };
    let rows = [(0, 500), (1, 500), (2, 1_000), (3, 2_000), (6, 16_000), (7, 30_000), (u32::MAX, 30_000)];
    for (failures, ms) in rows {
        assert_eq!(full.pause(failures), Duration::from_millis(ms), "{failures}");
        assert_eq!(half.pause(failures), Duration::from_millis(ms / 2), "{failures}");
    }
}

#[test]
fn strange_numbers_are_brought_into_bounds() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -3.0, 7.0] {
        let policy = FailoverPolicy { jitter: Jitter::new(move || number), ..FailoverPolicy::default() };
        let pause = policy.pause(1);
        assert!((250..=500).contains(&millis(pause)), "{number}: {pause:?}");
    }
    let own = FailoverPolicy::default();
    assert!((0..100).all(|_| (250..=500).contains(&millis(own.pause(1)))));
}
