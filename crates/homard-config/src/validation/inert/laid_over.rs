//! The known keys laid over the schema of the types. Done when the schema is written down, and not in the program.

use serde_json::{Map, Value};

use super::INERT;

/// The known keys, in the form of a schema: what stands there may be written.
pub(super) const KNOWN_KEYS: &str = include_str!("../known_keys.json");

/// A schema with the known keys laid over it.
pub(in crate::validation) fn with_known_keys(schema: Value) -> Value {
    // A broken data file would be found by every test of a known key.
    lay_over(schema, serde_json::from_str(KNOWN_KEYS).unwrap_or_default())
}

pub(super) fn lay_over(mut schema: Value, mut known: Map<String, Value>) -> Value {
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
