//! Defaults, the floor and shares out of range.

use super::Compaction;
use crate::raw::turns as raw;

#[test]
fn the_floor_raises_the_reserve() {
    let reserve = |tokens, floor| {
        let raw =
            raw::Compaction { reserve_tokens: tokens, reserve_tokens_floor: floor, ..Default::default() };
        Compaction::resolve(&raw).reserve_tokens
    };
    assert_eq!(reserve(None, None), 20_000);
    assert_eq!(reserve(None, Some(0)), 16_384);
    assert_eq!(reserve(Some(50_000), None), 50_000);
    assert_eq!(reserve(Some(1_000), Some(0)), 1_000);
}

#[test]
fn a_share_out_of_range_is_brought_into_it() {
    for (share, percent) in [(None, 50), (Some(0.3), 30), (Some(7.0), 90), (Some(-1.0), 10)] {
        let raw = raw::Compaction { max_history_share: share, ..Default::default() };
        assert_eq!(Compaction::resolve(&raw).max_history_percent, percent);
    }
}
