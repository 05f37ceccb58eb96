//! Silence and speech.

use super::{may_become_silent, reasoning, shape};

#[test]
fn the_silent_word_is_not_shown() {
    let text = |t: &str| Some(t.to_owned());
    let cases = [
        ("hello", text("hello")),
        ("  hello\n", text("hello")),
        ("", None),
        (" \n", None),
        ("NO_REPLY", None),
        ("NO_REPLY.", None),
        ("All done. NO_REPLY", None),
        ("NO_REPLYING", text("NO_REPLYING")),
        ("say NO_REPLY to be silent", text("say NO_REPLY to be silent")),
        ("XNO_REPLY", text("XNO_REPLY")),
        ("ANNOUNCE_SKIP", None),
        ("REPLY_SKIP\n", None),
        ("why ANNOUNCE_SKIP", text("why ANNOUNCE_SKIP")),
        ("HEARTBEAT_OK", None),
        ("**HEARTBEAT_OK**", None),
        ("HEARTBEAT_OK!!", None),
        ("HEARTBEAT_OK but the oven is on", text("but the oven is on")),
        ("The oven is off. HEARTBEAT_OK.", text("The oven is off.")),
        ("HEARTBEAT_OKAY", text("HEARTBEAT_OKAY")),
        ("say HEARTBEAT_OK when done", text("say HEARTBEAT_OK when done")),
    ];
    for (said, expected) in cases {
        assert_eq!(shape(said), expected, "{said:?}");
    }
}

#[test]
fn a_beginning_that_may_be_silence_is_held_back() {
    for held in ["N", "NO", " NO_", "NO_REPLY", "HEART", "ANNOUNCE_"] {
        assert!(may_become_silent(held), "{held}");
    }
    for shown in ["", "No", "NOT", "Hello"] {
        assert!(!may_become_silent(shown), "{shown}");
    }
}

#[test]
fn reasoning_is_set_apart_line_by_line() {
    assert_eq!(reasoning(" one\n\ntwo \n"), "Reasoning:\n_one_\n\n_two_\n\n");
}
