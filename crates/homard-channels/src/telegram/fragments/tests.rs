//! Which pieces belong together.

use super::{Fragments, GAP_MS};

const ADA: (i64, i64, i64) = (1, 42, 0);

/// Message, characters, milliseconds; what it is part of.
fn check(pieces: &[(i64, usize, i64)], expected: &[Option<&str>]) {
    let mut fragments = Fragments::default();
    let words: Vec<Option<String>> =
        pieces.iter().map(|(message, chars, now)| fragments.part_of(ADA, *message, *chars, *now)).collect();
    let words: Vec<Option<&str>> = words.iter().map(Option::as_deref).collect();
    assert_eq!(words, expected, "{pieces:?}");
}

#[test]
fn long_texts_in_a_row_are_one() {
    let first = Some("text:42:1");
    check(&[(1, 10, 0), (2, 10, 1)], &[None, None]);
    check(&[(1, 4_096, 0), (2, 4_096, 5), (3, 12, 9), (4, 12, 10)], &[first, first, first, None]);
    check(&[(1, 4_096, 0), (3, 4_096, 5)], &[first, Some("text:42:3")]);
    check(&[(1, 4_096, 0), (2, 100, GAP_MS + 1)], &[first, None]);
    check(&[(1, 4_096, 0), (2, 100, GAP_MS)], &[first, first]);
}

#[test]
fn a_series_ends_by_parts_and_by_length() {
    let mut fragments = Fragments::default();
    let long: Vec<Option<String>> = (1..=14).map(|id| fragments.part_of(ADA, id, 4_000, 0)).collect();
    assert_eq!(long[11].as_deref(), Some("text:42:1"));
    assert_eq!(long[12].as_deref(), Some("text:42:13"));
    let mut fragments = Fragments::default();
    let huge: Vec<Option<String>> = (1..=3).map(|id| fragments.part_of(ADA, id, 20_000, 0)).collect();
    assert_eq!(huge[1], huge[0]);
    assert_ne!(huge[2], huge[0]);
}

#[test]
fn speakers_do_not_share_a_series() {
    let mut fragments = Fragments::default();
    fragments.part_of(ADA, 1, 4_096, 0);
    assert_eq!(fragments.part_of((1, 43, 0), 2, 10, 0), None);
}
