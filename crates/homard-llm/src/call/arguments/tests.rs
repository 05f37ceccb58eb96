//! What models send as arguments, and what is made of it.

use proptest::prelude::proptest;
use serde_json::json;

use super::{arguments_fault, read, too_long};

#[test]
fn objects_are_read_and_everything_else_says_what_is_wrong() {
    let objects = [
        ("", json!({})),
        (" \n", json!({})),
        ("null", json!({})),
        ("{\"a\":1}", json!({"a": 1})),
        ("\"{\\\"a\\\":1}\"", json!({"a": 1})),
    ];
    for (text, expected) in objects {
        assert_eq!(read(text), expected, "{text}");
        assert_eq!(arguments_fault(&read(text)), None, "{text}");
    }
    for (text, words) in [
        ("{\"a\":", "not valid JSON"),
        ("[1]", "not a JSON object"),
        ("7", "not a JSON object"),
        ("\"x\"", "a text"),
    ] {
        let read = read(text);
        assert!(arguments_fault(&read).is_some_and(|fault| fault.contains(words)), "{text}: {read}");
    }
    assert!(arguments_fault(&too_long(7_000_000)).is_some_and(|fault| fault.contains("7000000 bytes")));
}

proptest! {
    #[test]
    fn any_text_becomes_a_small_object_or_what_it_says(text in ".{0,400}") {
        let read = read(&text);
        assert!(read.is_object());
        assert!(read.to_string().len() < 4_000);
    }
}
