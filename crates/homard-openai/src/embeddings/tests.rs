//! Embedding requests: limits and encodings.

use serde_json::{Value, json};

use super::{EmbeddingsRequest, checked, dimensions, packed};
use crate::parse;

#[test]
fn texts_within_the_limits_are_taken_and_others_are_not() {
    let input = |input: Value| {
        let body = json!({"model": "openclaw", "input": input}).to_string();
        parse::<EmbeddingsRequest>(body.as_bytes()).and_then(|asked| checked(asked.input))
    };
    assert_eq!(input(json!("a")).unwrap(), ["a"]);
    assert_eq!(input(json!(["a", "b"])).unwrap().len(), 2);
    assert_eq!(input(json!(vec!["x".repeat(8_192); 8])).unwrap().len(), 8);
    let cases = [
        json!(""),
        json!([]),
        json!(["a", ""]),
        json!([1, 2]),
        json!([[1, 2]]),
        json!(null),
        json!("x".repeat(8_193)),
        json!(vec!["x"; 129]),
        json!(vec!["x".repeat(8_192); 9]),
    ];
    for case in cases {
        let shown: String = case.to_string().chars().take(60).collect();
        assert!(input(case).is_err(), "{shown}");
    }
}

#[test]
fn dimensions_are_positive_and_vectors_pack_as_little_endian_floats() {
    assert_eq!(dimensions(Some(&json!(256))).unwrap(), Some(256));
    assert_eq!(dimensions(None).unwrap(), None);
    for bad in [json!(0), json!(-1), json!(1.5), json!("256")] {
        assert!(dimensions(Some(&bad)).is_err(), "{bad}");
    }
    assert_eq!(packed(&[1.0, -2.0]), "AACAPwAAAMA=");
}
