//! Keys that are known and do nothing yet.
//!
//! Nobody keeps a list of what works: a key with a field in [`crate::raw`] is in effect, because the compiler
//! refuses a field nobody reads. Keys of rooms that do not exist yet are data, `known_keys.json`: they are laid over the
//! schema and marked there (`laid_over`, when the schema is made), so that checks, forms and hints know them, and taken out
//! before the typed file is read.

use serde_json::Value;

use crate::syntax::value_path::ValuePath;
use crate::validation::schema::{items, property, schema};

/// Marks a key in a schema that is known and does nothing yet.
pub const INERT: &str = "x-inert";

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
pub(super) mod laid_over;
#[cfg(test)]
mod tests;
