//! Programs in a row.

use super::{BotLoops, LoopLimit, MAX_PLACES};

const MINUTE: i64 = 60_000;

#[test]
fn programs_are_counted_until_a_person_speaks() {
    let mut loops = BotLoops::default();
    let limit = LoopLimit::default();
    for n in 1..=8 {
        assert_eq!(loops.heard("a", true, n, &limit), usize::try_from(n).unwrap());
    }
    assert_eq!(loops.heard("a", true, 9, &limit), 9);
    assert_eq!(loops.heard("b", true, 9, &limit), 1);
    assert_eq!(loops.heard("a", true, 10, &limit), 9, "no more is kept than is asked about");
    assert_eq!(loops.heard("a", false, 11, &limit), 0);
    assert_eq!(loops.heard("a", true, 12, &limit), 1);
}

#[test]
fn what_is_long_ago_does_not_count_and_a_clock_set_back_starts_anew() {
    let mut loops = BotLoops::default();
    let limit = LoopLimit::default();
    assert_eq!(loops.heard("a", true, 0, &limit), 1);
    assert_eq!(loops.heard("a", true, 4 * MINUTE, &limit), 2);
    assert_eq!(loops.heard("a", true, 5 * MINUTE, &limit), 2);
    assert_eq!(loops.heard("a", true, 11 * MINUTE, &limit), 1);
    assert_eq!(loops.heard("a", true, MINUTE, &limit), 1);
    assert_eq!(loops.heard("a", true, i64::MIN, &limit), 1);
    assert_eq!(loops.heard("a", true, i64::MAX, &limit), 1);
}

#[test]
fn memory_does_not_grow_with_conversations() {
    let mut loops = BotLoops::default();
    let limit = LoopLimit { most: usize::MAX, within_ms: i64::MAX };
    for n in 0..(i64::try_from(MAX_PLACES).unwrap() + 500) {
        loops.heard(&format!("room {n}"), true, n, &limit);
    }
    assert_eq!(loops.places.len(), MAX_PLACES);
    assert!(!loops.places.contains_key("room 0"));
}
