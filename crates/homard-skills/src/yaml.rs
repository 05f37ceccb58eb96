//! YAML as a JSON value: what the head of a file says, within limits.
//!
//! The grammar is `granit-parser`'s. What stands unquoted is read as JSON would (`null`, `true`, a number), else it is a
//! text: `yes` and `1.2.3` stay what people wrote.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// Most pieces a text may come to, also after what it repeats by reference.
const MAX_PIECES: usize = 10_000;
/// How much text counts as one of them.
const PIECE_BYTES: usize = 32;
/// Deepest nesting.
const MAX_DEPTH: usize = 32;
/// The key under which a map takes over what another one says.
const MERGE: &str = "<<";

/// Reads one document.
///
/// # Errors
/// When it is not YAML, holds more than one document, or more than is reasonable; in words, on one line.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, _place) = event.map_err(|error| error.to_string())?;
        reader.take(event)?;
    }
    Ok(reader.whole.unwrap_or_default())
}

#[derive(Default)]
struct Reader {
    /// What is open, the innermost last, and the number others may name each by.
    open: Vec<(Open, usize)>,
    named: BTreeMap<usize, Value>,
    pieces: usize,
    whole: Option<Value>,
}

enum Open {
    List(Vec<Value>),
    Map { fields: Map<String, Value>, key: Option<String>, merged: Vec<Value> },
}

impl Reader {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, name, tag) => {
                let is_text = tag.is_some_and(|tag| tag.suffix() == "str");
                let value = scalar(&text, is_text || style != ScalarStyle::Plain);
                self.count(pieces(&value))?;
                self.put(value, name)
            }
            Event::SequenceStart(_, name, _) => self.begin(Open::List(Vec::new()), name),
            Event::MappingStart(_, name, _) => {
                let open = Open::Map { fields: Map::new(), key: None, merged: Vec::new() };
                self.begin(open, name)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some((Open::List(items), name)) => self.put(Value::Array(items), name),
                Some((Open::Map { fields, merged, .. }, name)) => {
                    self.put(Value::Object(with_merged(fields, merged)?), name)
                }
                None => Ok(()),
            },
            Event::Alias(name) => {
                let value = self.named.get(&name).ok_or("it repeats what it has not said")?.clone();
                self.count(pieces(&value))?;
                self.put(value, 0)
            }
            Event::DocumentStart(..) if self.whole.is_some() => {
                Err("it holds more than one document".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn count(&mut self, pieces: usize) -> Result<(), String> {
        self.pieces += pieces;
        if self.pieces > MAX_PIECES { Err(format!("it has more than {MAX_PIECES} pieces")) } else { Ok(()) }
    }

    fn begin(&mut self, open: Open, name: usize) -> Result<(), String> {
        self.count(1)?;
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} deep"));
        }
        self.open.push((open, name));
        Ok(())
    }

    /// Puts a value where it belongs. Zero is nobody's name.
    fn put(&mut self, value: Value, name: usize) -> Result<(), String> {
        if name != 0 {
            self.count(pieces(&value))?;
            self.named.insert(name, value.clone());
        }
        match self.open.last_mut() {
            None => self.whole = Some(value),
            Some((Open::List(items), _)) => items.push(value),
            Some((Open::Map { fields, key, merged }, _)) => match key.take() {
                None => *key = Some(key_of(value)?),
                Some(key) if key == MERGE => merged.push(value),
                Some(key) => {
                    if fields.contains_key(&key) {
                        return Err(format!("the key `{}` is there twice", key.escape_default()));
                    }
                    fields.insert(key, value);
                }
            },
        }
        Ok(())
    }
}

fn scalar(text: &str, is_text: bool) -> Value {
    match text {
        _ if is_text => Value::from(text),
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => serde_json::from_str::<Number>(text).map_or_else(|_no_number| Value::from(text), Value::Number),
    }
}

fn key_of(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Array(_) | Value::Object(_) => Err("a key must be a text".to_owned()),
        other => Ok(other.to_string()),
    }
}

/// How many pieces a value is, all that is in it included; a long text is several.
fn pieces(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(pieces).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(|value| 1 + pieces(value)).sum::<usize>(),
        Value::String(text) => 1 + text.len() / PIECE_BYTES,
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// What a map says itself comes first, then what it takes over, the earlier before the later.
fn with_merged(mut fields: Map<String, Value>, merged: Vec<Value>) -> Result<Map<String, Value>, String> {
    let lists = merged.into_iter().flat_map(|value| match value {
        Value::Array(items) => items,
        other => vec![other],
    });
    for value in lists {
        let Value::Object(others) = value else { return Err(format!("`{MERGE}` must name a map")) };
        for (key, value) in others {
            fields.entry(key).or_insert(value);
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn values_are_read_as_json_has_them_and_all_else_is_text() {
        let rows = [
            ("", json!(null)),
            ("a: 1\nb: [true, ~, null, 1.5, -2]", json!({"a": 1, "b": [true, null, null, 1.5, -2]})),
            (
                "a: yes\nb: 1.2.3\nc: 012\nd: '1'\ne: !!str 2",
                json!({"a": "yes", "b": "1.2.3", "c": "012", "d": "1", "e": "2"}),
            ),
            ("1: a\ntrue: b\n~: c", json!({"1": "a", "true": "b", "null": "c"})),
            ("a: |\n  x\n  y\nb: >\n  x\n  y\n", json!({"a": "x\ny\n", "b": "x y\n"})),
            ("- a\n- b: c\n  d: []\n- {}", json!(["a", {"b": "c", "d": []}, {}])),
            ("a: &x [1]\nb: *x", json!({"a": [1], "b": [1]})),
            (
                "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3",
                json!({"a": {"k": 1, "l": 2}, "b": {"l": 3, "k": 1}}),
            ),
            (
                "a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}",
                json!({"a": {"k": 1}, "b": {"k": 2, "l": 2}, "c": {"k": 1, "l": 2}}),
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_one_value_is_refused_in_words() {
        let deep = "[".repeat(40) + &"]".repeat(40);
        let many = format!("a: &x [{}]\nb: [*x, *x]", "1, ".repeat(4_000));
        let long = format!("a: &x {}\nb: [{}]", "x".repeat(10_000), "*x , ".repeat(1_000));
        let rows = [
            ("a: [1", "unclosed bracket"),
            ("a: 1\na: 2", "`a` is there twice"),
            ("a: *x", "unknown anchor"),
            ("[a]: 1", "a key must be a text"),
            ("a: 1\n---\nb: 2", "more than one document"),
            ("a: {<<: 1}", "must name a map"),
            (deep.as_str(), "nested more than 32 deep"),
            (many.as_str(), "more than 10000 pieces"),
            (long.as_str(), "more than 10000 pieces"),
        ];
        for (text, words) in rows {
            let said = read(text).unwrap_err();
            assert!(said.contains(words) && !said.contains('\n'), "{text}: {said}");
        }
    }
}
