//! The parser against examples and against the json5 crate.

use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Value, json};

use super::{MAX_DEPTH, parse};

#[track_caller]
fn reads(text: &str, expected: &Value) {
    let node = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(node.to_value(), *expected, "{text}");
}

#[test]
fn json5_spellings_are_understood() {
    reads("{}", &json!({}));
    reads(
        "\u{feff}// note\n{ a: 1, 'b': [1, 2,], /* c */ \"c\": null, }",
        &json!({"a": 1, "b": [1, 2], "c": null}),
    );
    reads("{a:'it\\'s', b:\"\\x41\\u00e9\\ud83d\\ude00\\\nz\"}", &json!({"a": "it's", "b": "Aé😀z"}));
    reads(
        "[0x1F, +1, -2, .5, 5., 4e6, 1.0, -0x10, 1e400.5]".replace(", 1e400.5", "").as_str(),
        &json!([31, 1, -2, 0.5, 5, 4_000_000, 1, -16]),
    );
    reads("{$schema: 'x', \\u0061b: true, ünï: false}", &json!({"$schema": "x", "ab": true, "ünï": false}));
    reads("{a: 1, a: 2}", &json!({"a": 2}));
    reads("18446744073709551615", &json!(u64::MAX));
    reads("-9223372036854775808", &json!(i64::MIN));
}

#[test]
fn mistakes_are_named_with_line_and_column() {
    let rows = [
        ("", "line 1, column 1: expected a value, found the end of the file"),
        ("{\n  a: 1\n  b: 2\n}", "line 3, column 3: expected `,` or `}`, found 'b'"),
        ("{ a 1 }", "line 1, column 5: expected `:` after the key `a`, found '1'"),
        ("{ a: hello }", "line 1, column 11: expected a value, found `hello`; put quotes around texts"),
        ("{ a: NaN }", "line 1, column 9: `NaN` cannot be used as a setting"),
        ("{ a: 'x\n' }", "line 1, column 8: a quoted text ends at the end of the line; close its quote"),
        ("{ /* a }", "line 1, column 3: a comment that starts with `/*` is never closed"),
        ("{} x", "line 1, column 4: unexpected 'x' after the end of the configuration"),
        ("{ a: 012 }", "line 1, column 9: `012` is not a number"),
        ("[1 2]", "line 1, column 4: expected `,` or `]`, found '2'"),
        ("{,}", "line 1, column 2: expected a key or `}`, found ','"),
    ];
    for (text, expected) in rows {
        assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text:?}");
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = format!("{}{}", "[".repeat(MAX_DEPTH + 50_000), "]".repeat(MAX_DEPTH + 50_000));
    assert!(parse(&deep).unwrap_err().what.contains("levels deep"));
}

/// A JSON value without the numbers on which the two parsers may differ in type only.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        proptest::strategy::Just(Value::Null),
        "[ -~é€😀\\n\\t]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-zA-Z_$][a-z0-9.]{0,5}", inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Writes a value in many of the ways JSON5 allows, `dice` choosing among them.
pub(crate) fn json5_text(value: &Value, dice: &mut impl FnMut() -> u8) -> String {
    let gap = |d: u8| ["", " ", "\n  ", " /* n, } */ ", " // n: {\n"][usize::from(d) % 5].to_owned();
    match value {
        Value::Object(map) => {
            let mut out = String::from("{");
            let count = map.len();
            for (at, (key, value)) in map.iter().enumerate() {
                out += &gap(dice());
                let bare = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
                out += &if bare && dice().is_multiple_of(2) {
                    key.clone()
                } else {
                    Value::from(key.as_str()).to_string()
                };
                out += &gap(dice());
                out.push(':');
                out += &gap(dice());
                out += &json5_text(value, dice);
                out += &gap(dice());
                if at + 1 < count || dice().is_multiple_of(2) {
                    out.push(',');
                }
            }
            out + &gap(dice()) + "}"
        }
        Value::Array(items) => {
            let mut out = String::from("[");
            let count = items.len();
            for (at, item) in items.iter().enumerate() {
                out += &gap(dice());
                out += &json5_text(item, dice);
                if at + 1 < count || dice().is_multiple_of(2) {
                    out.push(',');
                }
            }
            out + &gap(dice()) + "]"
        }
        Value::String(text) if dice().is_multiple_of(2) && !text.contains(['\'', '\\', '\n', '\t']) => {
            format!("'{text}'")
        }
        other => other.to_string(),
    }
}

proptest! {
    #[test]
    fn the_json5_crate_reads_the_same(value in any_value(), dice in prop::collection::vec(any::<u8>(), 1..64)) {
        let mut dice = dice.into_iter().cycle();
        let text = json5_text(&value, &mut || dice.next().unwrap_or(0));
        let ours = parse(&text).map(|n| n.to_value());
        let theirs: Value = json5::from_str(&text).unwrap();
        assert_eq!(ours.as_ref(), Ok(&value), "{text}");
        assert_eq!(theirs, value, "{text}");
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[\\[\\]{}:,'\"/*\\\\a-z0-9.+\\-\\n u$]{0,40}") {
        let ours = parse(&text).map(|n| n.to_value());
        if let (Ok(ours), Ok(theirs)) = (ours, json5::from_str::<Value>(&text)) {
            assert_eq!(ours.is_object(), theirs.is_object(), "{text}");
        }
    }
}
