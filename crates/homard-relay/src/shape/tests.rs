//! Silence and speech.

use super::{Shaped, may_become_silent, shape};

#[test]
fn the_silent_word_is_not_shown() {
    let text = |t: &str| Shaped::Text(t.to_owned());
    let cases = [
        ("hello", text("hello")),
        ("  hello\n", text("hello")),
        ("", Shaped::Silence),
        (" \n", Shaped::Silence),
        ("NO_REPLY", Shaped::Silence),
        ("NO_REPLY.", Shaped::Silence),
        ("All done. NO_REPLY", Shaped::Silence),
        ("NO_REPLYING", text("NO_REPLYING")),
        ("say NO_REPLY to be silent", text("say NO_REPLY to be silent")),
        ("XNO_REPLY", text("XNO_REPLY")),
    ];
    for (said, expected) in cases {
        assert_eq!(shape(said), expected, "{said:?}");
    }
}

#[test]
fn a_beginning_that_may_be_silence_is_held_back() {
    for held in ["N", "NO", " NO_", "NO_REPLY"] {
        assert!(may_become_silent(held), "{held}");
    }
    for shown in ["", "No", "NOT", "Hello"] {
        assert!(!may_become_silent(shown), "{shown}");
    }
}
