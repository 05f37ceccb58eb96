//! How pauses grow.

use super::pauses;

#[test]
fn pauses_grow_from_two_seconds_to_thirty() {
    let mut backoff = pauses();
    let pauses: Vec<u64> = (0..7).map(|_| homard_runtime::millis(backoff.step())).collect();
    assert_eq!(pauses, [2_000, 3_600, 6_480, 11_664, 20_995, 30_000, 30_000]);
}
