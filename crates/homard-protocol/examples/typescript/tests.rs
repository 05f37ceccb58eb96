//! How shapes become types; and all of them, written down, so that a change of the wire is seen where it is reviewed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::text::{Names, Row, Shapes, differing, expression, type_name};
use crate::{defs, events, methods};

/// Types that several families use.
const SHARED: &str = "shared";

/// Types on one line each, without what is said about them.
type Lines = BTreeMap<String, String>;

/// A shape on one line.
fn line(shape: &Value, names: &Names) -> String {
    fn forget_words(shape: &mut Value) {
        match shape {
            Value::Object(fields) => {
                fields.retain(|key, value| key != "description" || !value.is_string());
                fields.values_mut().for_each(forget_words);
            }
            Value::Array(items) => items.iter_mut().for_each(forget_words),
            _ => {}
        }
    }
    let mut shape = shape.clone();
    forget_words(&mut shape);
    expression(&shape, names).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn lines(written: &Shapes, read: &Shapes, renamed: &Names) -> Lines {
    let own = Names::new();
    let mut all: Lines = written.iter().map(|(name, shape)| (type_name(name), line(shape, &own))).collect();
    for (name, shape) in read {
        let name = renamed.get(name).cloned().unwrap_or_else(|| type_name(name));
        all.entry(name).or_insert_with(|| line(shape, renamed));
    }
    all
}

/// The types a text names, and those they name.
fn named(text: &str, all: &Lines, found: &mut BTreeSet<String>) {
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        if let Some(line) = all.get(word)
            && found.insert(word.to_owned())
        {
            named(line, all, found);
        }
    }
}

/// Everything that is said on the wire, by family.
fn families() -> BTreeMap<String, String> {
    let mut written = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut read = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut rows = methods(&mut read, &mut written);
    rows.extend(events(&mut written));
    let (written, read) = (defs(written), defs(read));
    let renamed = differing(&written, &read);
    let all = lines(&written, &read, &renamed);
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for Row { name, family, params, result } in &rows {
        let family = family.split(':').next().unwrap_or_default().trim();
        let asks = if params.is_null() { String::new() } else { format!("{} => ", line(params, &renamed)) };
        let text = texts.entry(family.to_owned()).or_default();
        writeln!(text, "{name}: {asks}{}", line(result, &Names::new())).unwrap();
    }
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (family, text) in &texts {
        let mut found = BTreeSet::new();
        named(text, &all, &mut found);
        found.into_iter().for_each(|name| users.entry(name).or_default().push(family.clone()));
    }
    for (name, families) in users {
        let family = if let [one] = families.as_slice() { one.clone() } else { SHARED.to_owned() };
        let text = texts.entry(family).or_default();
        writeln!(text, "{name} = {}", all[&name]).unwrap();
    }
    texts
}

#[test]
fn wire_types_of_every_method_are_as_written_down() {
    for (family, text) in families() {
        insta::assert_snapshot!(family, text);
    }
}

#[test]
fn shapes_become_types() {
    let names = Names::from([("Old".to_owned(), "New".to_owned())]);
    let table = [
        (json!(true), "unknown"),
        (json!(false), "never"),
        (json!({"$ref": "#/$defs/Old"}), "New"),
        (json!({"$ref": "#/$defs/Other"}), "Other"),
        (json!({"const": "x"}), "\"x\""),
        (json!({"enum": ["a", null]}), "\"a\" | null"),
        (json!({"type": ["integer", "null"]}), "number | null"),
        (json!({"type": "array", "items": {"type": "string"}}), "Array<string>"),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}]}),
            "[string, boolean]",
        ),
        (json!({"type": "object", "additionalProperties": {"type": "number"}}), "Record<string, number>"),
        (json!({"type": "object", "additionalProperties": false}), "Record<string, never>"),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), "string | null"),
        (
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b-c": true}}),
            "{\n  \"a\": string;\n  \"b-c\"?: unknown;\n}",
        ),
    ];
    for (shape, expected) in table {
        assert_eq!(expression(&shape, &names), expected, "{shape}");
    }
}
