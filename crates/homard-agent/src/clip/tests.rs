//! Shortening: bounds, boundaries, notes.

use proptest::prelude::*;

use super::{NOTE, clipped, first_words, head_and_tail};

#[test]
fn a_short_text_stays_as_it_is() {
    assert_eq!(head_and_tail("abc", 3), None);
    assert_eq!(clipped("abc", 3), "abc");
}

#[test]
fn the_beginning_and_the_end_stay_and_the_note_counts_the_rest() {
    let text = format!("first\n{}\nlast", "x".repeat(5_000));
    let short = clipped(&text, 1_000);
    assert!(short.starts_with("first\n") && short.ends_with("\nlast"), "{short}");
    assert!(short.contains("bytes left out here"));
}

#[test]
fn lines_are_kept_whole_where_one_ends_nearby() {
    let text = (0..500).map(|n| format!("line number {n}\n")).collect::<String>();
    for line in clipped(&text, 2_000).lines() {
        let number = line.strip_prefix("line number ").and_then(|n| n.parse::<u32>().ok());
        assert!(number.is_some() || line.contains("left out"), "{line}");
    }
}

#[test]
fn first_words_are_one_line() {
    assert_eq!(first_words("a\n b   c", 10), "a b c");
    assert_eq!(first_words("äöü", 3), "ä…");
}

proptest! {
    #[test]
    fn a_shortened_text_is_never_longer_than_asked(text in "\\PC{0,400}", max in 0_usize..600) {
        prop_assert!(clipped(&text, max).len() <= max.max(NOTE));
    }
}
