//! Keys that are known and do nothing yet.
//!
//! Nobody keeps a list of what works: a key with a field in [`crate::raw`] is in effect, because the compiler
//! refuses a field nobody reads. Keys of rooms that do not exist yet are data, `known_keys.json`: they are laid over the
//! schema and marked there, so that checks, forms and hints know them, and taken out before the typed file is read.

use serde_json::{Map, Value};

use crate::syntax::value_path::ValuePath;
use crate::validation::schema::{items, property, schema};

/// Marks a key in a schema that is known and does nothing yet.
pub const INERT: &str = "x-inert";
/// The known keys, in the form of a schema: what stands there may be written.
const KNOWN_KEYS: &str = include_str!("known_keys.json");

/// A schema with the known keys laid over it.
pub(crate) fn with_known_keys(schema: Value) -> Value {
    // A broken data file would be found by every test of a known key.
    lay_over(schema, serde_json::from_str(KNOWN_KEYS).unwrap_or_default())
}

fn lay_over(mut schema: Value, mut known: Map<String, Value>) -> Value {
    let definitions = known.shift_remove("$defs");
    add_keys(&mut schema, &Value::Object(known));
    let Some(own) = schema.get_mut("$defs").and_then(Value::as_object_mut) else { return schema };
    for (name, definition) in definitions.as_ref().and_then(Value::as_object).into_iter().flatten() {
        match own.get_mut(name) {
            Some(own) => add_keys(own, definition),
            None => drop(own.insert(name.clone(), definition.clone())),
        }
    }
    schema
}

/// Adds the keys a schema does not have, marked; those it has may have marked keys beneath them.
fn add_keys(schema: &mut Value, known: &Value) {
    let known = known.get("properties").and_then(Value::as_object);
    let (Some(known), Some(schema)) = (known, schema.as_object_mut()) else { return };
    let own = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    let Some(own) = own.as_object_mut() else { return };
    for (key, known) in known {
        if let Some(own) = own.get_mut(key) {
            add_keys(own, known);
        } else {
            let mut known = known.as_object().cloned().unwrap_or_default();
            known.insert(INERT.to_owned(), Value::Bool(true));
            own.insert(key.clone(), Value::Object(known));
        }
    }
}

/// Places of a configuration that do nothing yet, each as short as it can be.
pub(crate) fn places(config: &Value) -> Vec<ValuePath> {
    let mut found = Vec::new();
    walk(config, schema(), &ValuePath::default(), &mut found);
    found
}

/// The configuration without these places.
pub(crate) fn without(config: &Value, places: &[ValuePath]) -> Value {
    let mut rest = config.clone();
    for place in places {
        drop(place.remove(&mut rest));
    }
    rest
}

/// Walks a value beside its schema and gathers the places that are marked.
pub(crate) fn walk(value: &Value, schema: &'static Value, path: &ValuePath, found: &mut Vec<ValuePath>) {
    if is_marked(schema) {
        return found.push(path.clone());
    }
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if let Some(schema) = marked_here(schema, key).or_else(|| property(schema, key)) {
                    walk(value, schema, &path.key(key), found);
                }
            }
        }
        Value::Array(list) => {
            let Some(item) = items(schema) else { return };
            for (at, value) in list.iter().enumerate() {
                walk(value, item, &path.index(at), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_marked(schema: &Value) -> bool {
    schema.get(INERT).is_some()
}

/// A mark that counts at this place alone, beside the reference to a type that is read elsewhere.
fn marked_here(schema: &'static Value, key: &str) -> Option<&'static Value> {
    schema.get("properties")?.get(key).filter(|schema| is_marked(schema))
}

#[cfg(test)]
mod tests;
