//! What is read is what serde_json would read, and what does not fit is said with its place.

use std::collections::BTreeMap;

use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use proptest::strategy::Just;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{from_value, object_from_text};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Letter {
    to: String,
    #[serde(default)]
    copies: Vec<Copy>,
    #[serde(default)]
    priority: Option<u8>,
    #[serde(default)]
    seal: Option<Seal>,
    #[serde(default)]
    weights: BTreeMap<u32, f64>,
    #[serde(default)]
    by: BTreeMap<Way, bool>,
    #[serde(default)]
    pair: Option<(i64, char)>,
    #[serde(default)]
    rest: Option<Value>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Copy {
    name: String,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Seal {
    None,
    Wax(u32),
    Stamped { color: String },
    Two(u8, u8),
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    Air,
    Sea,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Tagged {
    A { n: u64 },
    B(Copy),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Either {
    Number(i32),
    Text(String),
    Letter(Box<Letter>),
}

#[test]
fn an_object_is_read_from_text_and_nothing_in_its_place() {
    let text = r#" {"to": "a", "copies": [], "pair": [1, "b"]} "#;
    let letter: Letter = object_from_text(text).unwrap();
    assert_eq!(letter, serde_json::from_str(text).unwrap());
    for text in ["", "null", "[\"a\", [], null, null, {}, {}, null, null]", "{} {}", r#"{"to": 1}"#] {
        assert!(object_from_text::<Letter>(text).is_err(), "{text}");
    }
}

#[test]
fn what_does_not_fit_is_said_with_its_place() {
    let rows = [
        (json!({"to": 5}), "to", "/to", "invalid type: integer `5`, expected a string"),
        (json!({"to": null}), "to", "/to", "invalid type: null, expected a string"),
        (json!({}), ".", "", "missing field `to`"),
        (json!([]), ".", "", "invalid type: sequence, expected struct Letter"),
        (json!({"to": "x", "copies": [{"name": "a"}, {}]}), "copies[1]", "/copies/1", "missing field `name`"),
        (
            json!({"to": "x", "copies": [{"name": 1}]}),
            "copies[0].name",
            "/copies/0/name",
            "invalid type: integer `1`, expected a string",
        ),
        (
            json!({"to": "x", "priority": 300}),
            "priority",
            "/priority",
            "invalid value: integer `300`, expected u8",
        ),
        (
            json!({"to": "x", "seal": {"wax": "no"}}),
            "seal.wax",
            "/seal/wax",
            "invalid type: string \"no\", expected u32",
        ),
        (
            json!({"to": "x", "seal": {"stamped": {}}}),
            "seal.stamped",
            "/seal/stamped",
            "missing field `color`",
        ),
        (
            json!({"to": "x", "weights": {"7": true}}),
            "weights.7",
            "/weights/7",
            "invalid type: boolean `true`, expected f64",
        ),
        (
            json!({"to": "x", "pair": [1, "ab"]}),
            "pair[1]",
            "/pair/1",
            "invalid value: string \"ab\", expected a character",
        ),
        (
            json!({"to": "x", "pair": [1, "a", 3]}),
            "pair",
            "/pair",
            "invalid length 3, expected fewer elements in array",
        ),
    ];
    for (value, path, pointer, reason) in rows {
        let error = from_value::<Letter>(value.clone()).unwrap_err();
        assert_eq!(
            (error.path().as_str(), error.pointer().as_str(), error.reason()),
            (path, pointer, reason),
            "{value}"
        );
    }
    let unknown = from_value::<Letter>(json!({"to": "x", "form": 1})).unwrap_err();
    assert_eq!(unknown.path(), "form");
    assert!(unknown.reason().starts_with("unknown field `form`, expected one of `to`"), "{unknown}");
}

/// Values near to what the types want.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_u64..400).prop_map(Value::from),
        (-8_i32..8).prop_map(|n| json!(f64::from(n) / 4.0)),
        "none|wax|a|b|air|x{0,2}".prop_map(Value::from),
    ];
    let keys =
        "to|copies|priority|seal|weights|by|pair|rest|name|kind|n|wax|none|stamped|two|color|air|sea|7|z";
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(keys, inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Whether a list stands where serde would take it for the fields of a struct, which we do not.
fn agrees<T>(value: &Value) -> bool
where
    T: for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug,
{
    match (from_value::<T>(value.clone()), serde_json::from_value::<T>(value.clone())) {
        (Ok(ours), Ok(theirs)) => ours == theirs,
        (Err(ours), Err(theirs)) => ours.reason() == theirs.to_string() || value.to_string().contains('['),
        (Err(_), Ok(_)) => value.to_string().contains('['),
        (Ok(_), Err(_)) => false,
    }
}

proptest! {
    #[test]
    fn it_reads_what_serde_json_reads(value in values()) {
        assert!(agrees::<Letter>(&value), "{value}");
        assert!(agrees::<Tagged>(&value), "{value}");
        assert!(agrees::<Either>(&value), "{value}");
        assert!(agrees::<Option<Vec<Seal>>>(&value), "{value}");
        assert!(agrees::<Value>(&value), "{value}");
    }
}
