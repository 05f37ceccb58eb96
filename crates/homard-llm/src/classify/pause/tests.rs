//! Spans of time in sentences, as a table.

use std::time::Duration;

use proptest::prelude::{any, proptest};

use super::{MAX_PAUSE, in_sentence, span};

#[test]
fn pauses_are_found_in_sentences() {
    let rows = [
        ("Please try again in 6.2s. Visit us", Some(6_200)),
        ("Please try again in 1m30.5s.", Some(90_500)),
        ("Please try again in 120ms.", Some(120)),
        ("Please retry after 20 seconds.", Some(20_000)),
        ("retry after 20", Some(20_000)),
        ("Please retry in 11.665902715s.", Some(11_666)),
        ("please try again after 1 seconds", Some(1_000)),
        ("try again in 2 hours and 5 minutes", Some(7_500_000)),
        ("Try again in 4 days 20 hours 9 minutes.", Some(86_400_000)),
        ("was rate-limited. Please wait 23 seconds before trying again.", Some(23_000)),
        ("please try again in a while", None),
        ("try again in 3 attempts", Some(3_000)),
        ("try again later", None),
        ("", None),
    ];
    for (sentence, expected) in rows {
        let found = in_sentence(sentence).map(|wait| wait.as_secs_f64() * 1_000.0).map(f64::round);
        assert_eq!(found, expected.map(f64::from), "{sentence}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_or_wait_for_ever(text in any::<String>(), number in "[0-9.]{0,400}[a-z]{0,3}") {
        for text in [text, format!("try again in {number}")] {
            for wait in [span(&text), in_sentence(&text)].into_iter().flatten() {
                assert!(wait <= MAX_PAUSE);
            }
        }
        assert!(span(&number).is_none_or(|wait| wait <= MAX_PAUSE));
    }
}

#[test]
fn a_bare_number_counts_seconds() {
    assert_eq!(span("21s"), Some(Duration::from_secs(21)));
    assert_eq!(span("21"), Some(Duration::from_secs(21)));
    assert_eq!(span("x"), None);
}
