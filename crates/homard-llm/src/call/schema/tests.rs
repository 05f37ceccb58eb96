//! Schemas as authors write them, and what each API gets.

use std::borrow::Cow;

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::{Value, json};

use super::{Dialect, LENGTHS, ToolSchema, normalised};

const DIALECTS: [Dialect; 3] = [Dialect::Standard, Dialect::WithoutLengths, Dialect::Gemini];

#[track_caller]
fn check(dialect: Dialect, schema: &Value, expected: &Value) {
    assert_eq!(*normalised(schema, dialect), *expected, "{schema}");
}

/// A tool with one property.
fn with(property: &Value) -> Value {
    json!({"type": "object", "properties": {"x": property}})
}

#[test]
fn what_needs_nothing_is_not_copied() {
    let schema = json!({"type": "object", "required": ["path"], "properties": {
        "path": {"type": "string", "description": "Where."},
        "lines": {"type": "array", "items": {"type": "integer"}},
        "mode": {"type": "string", "enum": ["a", "b"]}}});
    for dialect in DIALECTS {
        assert!(matches!(normalised(&schema, dialect), Cow::Borrowed(_)), "{dialect:?}");
    }
    // Names are no keywords.
    let named = with(
        &json!({"type": "object", "properties": {"$ref": {"type": "string"}, "minLength": {"type": "integer"}}}),
    );
    assert!(matches!(normalised(&named, Dialect::WithoutLengths), Cow::Borrowed(_)));
    assert!(matches!(normalised(&named, Dialect::Gemini), Cow::Borrowed(_)));
}

#[test]
fn it_is_written_as_each_api_takes_it_and_copies_know_it_already() {
    let author = with(&json!({"type": "string", "minLength": 1, "const": "x"}));
    let schema = ToolSchema::from(author.clone());
    assert_eq!(schema.bytes(), author.to_string().len());
    for dialect in DIALECTS {
        let copy = schema.clone();
        assert_eq!(schema.written(dialect).get(), normalised(&author, dialect).to_string(), "{dialect:?}");
        assert!(std::ptr::eq(schema.written(dialect), copy.written(dialect)), "{dialect:?}");
        assert!(schema.told(dialect).takes_some, "{dialect:?}");
    }
    assert!(!ToolSchema::from(json!({})).told(Dialect::Gemini).takes_some);
}

#[test]
fn the_arguments_become_one_plain_object_for_everybody() {
    let empty = json!({"type": "object", "properties": {}});
    let rows = [
        (json!({}), empty.clone()),
        (json!(null), empty.clone()),
        (json!(true), empty.clone()),
        (json!({"type": ["object", "null"]}), empty.clone()),
        (json!({"type": "string", "enum": ["a"]}), empty),
        (
            json!({"properties": {"a": {"type": "string"}}}),
            json!({"properties": {"a": {"type": "string"}}, "type": "object"}),
        ),
        (
            json!({"anyOf": [
                {"type": "object", "properties": {"action": {"const": "get"}, "id": {"type": "string"}}, "required": ["action", "id"]},
                {"type": "object", "properties": {"action": {"const": "list"}, "all": {"type": "boolean"}}, "required": ["action"]}]}),
            json!({"type": "object", "required": ["action"], "properties": {
                "action": {"type": "string", "enum": ["get", "list"]}, "id": {"type": "string"}, "all": {"type": "boolean"}}}),
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
                   "allOf": [{"properties": {"b": {"type": "string"}}, "required": ["b"]}]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"]}),
        ),
        // One or the other is wanted: neither is required.
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                   "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}),
        ),
        // What stands beside a reference adds to it.
        (
            json!({"$ref": "#/$defs/args", "properties": {"b": {"type": "string"}}, "required": ["b"],
                   "$defs": {"args": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}}),
            json!({"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}, "required": ["b", "a"]}),
        ),
        (
            json!({"$ref": "#/$defs/args", "$defs": {"args": {"type": "object", "properties": {"a": {"$ref": "#/$defs/name"}}},
                                                     "name": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
        ),
    ];
    for dialect in DIALECTS {
        for (schema, expected) in &rows {
            let got = normalised(schema, dialect);
            assert_eq!(*got, *expected, "{dialect:?} {schema}");
        }
    }
}

#[test]
fn standard_schemas_keep_what_they_say() {
    let rows = [
        (json!({"properties": {"a": {}}}), json!({"type": "object", "properties": {"a": {}}})),
        (json!({"enum": ["a"]}), json!({"type": "string", "enum": ["a"]})),
        (json!({"type": "array"}), json!({"type": "array", "items": {}})),
        (
            json!({"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]}),
        ),
        (json!({"$ref": "https://elsewhere/x"}), json!({})),
        (json!({"$ref": "#/missing", "description": "d"}), json!({"description": "d"})),
        (
            json!({"type": "string", "pattern": "^a", "default": "a"}),
            json!({"type": "string", "pattern": "^a", "default": "a"}),
        ),
    ];
    for (property, expected) in rows {
        check(Dialect::Standard, &with(&property), &with(&expected));
    }
}

#[test]
fn limits_on_length_go_where_they_are_refused() {
    let property = json!({"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "maxLength": 9, "pattern": "a"}});
    let expected = json!({"type": "array", "items": {"type": "string", "pattern": "a"}});
    check(Dialect::WithoutLengths, &with(&property), &with(&expected));
    check(Dialect::Standard, &with(&property), &with(&property));
}

#[test]
fn gemini_gets_the_few_words_it_knows() {
    let text = json!({"type": "string"});
    let rows = [
        (json!({}), text.clone()),
        (json!(true), text.clone()),
        (
            json!({"$schema": "x", "$id": "y", "type": "string", "minLength": 1, "maxLength": 2, "pattern": "a", "format": "uri",
                   "examples": ["a"], "default": "a", "title": "T", "description": "D"}),
            json!({"type": "string", "title": "T", "description": "D"}),
        ),
        (json!({"type": "string", "format": "date-time"}), json!({"type": "string", "format": "date-time"})),
        (
            json!({"type": "integer", "format": "int64", "minimum": 1, "maximum": 2, "multipleOf": 2}),
            json!({"type": "integer", "format": "int64"}),
        ),
        (json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true})),
        (json!({"type": "null"}), json!({"type": "string", "nullable": true})),
        (json!({"type": ["integer", "string"]}), json!({"type": "integer"})),
        (json!({"const": "a"}), json!({"type": "string", "enum": ["a"]})),
        (json!({"enum": ["a", "", "a", null]}), json!({"enum": ["a"], "nullable": true, "type": "string"})),
        (json!({"enum": [1, 2]}), json!({"type": "integer"})),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"}),
            json!({"description": "d", "type": "string", "nullable": true}),
        ),
        (json!({"anyOf": [{"const": "a"}, {"const": "b"}]}), json!({"type": "string", "enum": ["a", "b"]})),
        (json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}), json!({"type": "integer"})),
        (json!({"type": "array"}), json!({"type": "array", "items": {"type": "string"}})),
        (
            json!({"type": "array", "items": [{"type": "integer"}, {}], "uniqueItems": true}),
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        (
            json!({"type": "object", "additionalProperties": false, "patternProperties": {"a": {}}, "minProperties": 1,
                   "properties": {"a": {"type": "string"}}, "required": ["a", "b"]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        ),
        (
            json!({"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object", "properties": {"b": {"type": "integer"}}}]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}),
        ),
    ];
    for (property, expected) in rows {
        check(Dialect::Gemini, &with(&property), &with(&expected));
    }
}

#[test]
fn circles_are_cut() {
    let schema = json!({"type": "object", "properties": {"tree": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/node"}, "name": {"type": "string"}}}}});
    let got = normalised(&schema, Dialect::Standard);
    assert_eq!(
        *got,
        json!({"type": "object", "properties": {"tree": {"type": "object", "properties": {"child": {}, "name": {"type": "string"}}}}})
    );
}

#[test]
fn a_few_lines_cannot_describe_a_forest() {
    let mut definitions = serde_json::Map::new();
    for n in 0..30 {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        definitions
            .insert(format!("d{n}"), json!({"type": "object", "properties": {"a": next.clone(), "b": next}}));
    }
    let schema = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    for dialect in DIALECTS {
        assert!(normalised(&schema, dialect).to_string().len() < 100_000, "{dialect:?}");
    }
}

#[test]
fn what_is_too_deep_accepts_anything() {
    let mut schema = json!({"type": "string"});
    for _ in 0..400 {
        schema = json!({"type": "object", "properties": {"x": schema}});
    }
    for dialect in DIALECTS {
        let once = normalised(&schema, dialect).into_owned();
        assert!(matches!(normalised(&once, dialect), Cow::Borrowed(_)), "{dialect:?}");
    }
}

fn literal() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("a")),
        Just(json!("")),
        Just(json!("b")),
        Just(json!(1)),
        Just(json!(1.5)),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        Just(json!({"$ref": "#"})),
        Just(json!([1])),
    ]
}

/// Anything an author, or somebody who means ill, might write.
fn schema() -> impl Strategy<Value = Value> {
    let kinds = vec!["string", "object", "array", "integer", "null", "STRING", "nonsense"];
    let leaf = prop_oneof![
        literal(),
        prop::sample::select(kinds.clone()).prop_map(|kind| json!({"type": kind})),
        Just(json!({"type": ["object", "null"]})),
        literal().prop_map(|value| json!({"const": value})),
        prop::collection::vec(literal(), 0..4).prop_map(|list| json!({"enum": list, "description": 7})),
        prop::sample::select(vec!["#", "#/$defs/a", "#/properties/a", "#/nowhere", "http://x", "#/anyOf/0"])
            .prop_map(|to| json!({"$ref": to})),
        Just(
            json!({"type": "string", "format": "date-time", "minLength": 1, "pattern": "x", "default": 1, "nullable": false})
        ),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        let named = prop::collection::btree_map("[a-c]|items|\\$ref", inner.clone(), 0..3);
        let listed = prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            (named.clone(), prop::sample::select(kinds.clone()))
                .prop_map(|(all, kind)| json!({"type": kind, "properties": all, "required": ["a", "z", 3]})),
            named.clone().prop_map(|all| json!({"properties": all, "additionalProperties": false})),
            (named, inner.clone()).prop_map(|(all, rest)| json!({"$defs": all, "properties": {"a": rest}})),
            inner.clone().prop_map(|one| json!({"items": one, "minItems": 2})),
            inner.clone().prop_map(|one| json!({"type": "array", "items": [one], "nullable": true})),
            (listed.clone(), prop::sample::select(vec!["anyOf", "oneOf", "allOf"]))
                .prop_map(|(list, key)| json!({key: list})),
            (listed, inner).prop_map(|(list, one)| json!({"anyOf": list, "not": one, "description": "d"})),
        ]
    })
}

/// Every keyword that stands where a keyword can stand.
fn keywords(schema: &Value, out: &mut Vec<String>) {
    let Some(map) = schema.as_object() else { return };
    out.extend(map.keys().cloned());
    super::children(map).for_each(|child| keywords(child, out));
}

proptest! {
    #[test]
    fn whatever_is_written_becomes_acceptable_once_and_for_all(schema in schema()) {
        for dialect in DIALECTS {
            let once = normalised(&schema, dialect).into_owned();
            let twice = normalised(&once, dialect);
            prop_assert_eq!(&*twice, &once, "{:?} {}", dialect, schema);
            prop_assert!(matches!(twice, Cow::Borrowed(_)), "{:?} {} {}", dialect, schema, once);
            prop_assert_eq!(&once["type"], "object");
            for union in ["anyOf", "oneOf", "allOf"] {
                prop_assert!(once.get(union).is_none(), "{}", once);
            }
            let mut words = Vec::new();
            keywords(&once, &mut words);
            let refused = |word: &String| match dialect {
                _ if ["$ref", "$defs", "definitions"].contains(&word.as_str()) => true,
                Dialect::Standard => false,
                Dialect::WithoutLengths => LENGTHS.contains(&word.as_str()),
                Dialect::Gemini => !["type", "format", "title", "description", "nullable", "enum", "items", "properties", "required"].contains(&word.as_str()),
            };
            prop_assert!(!words.iter().any(refused), "{:?} {} {:?}", dialect, once, words);
        }
    }
}
