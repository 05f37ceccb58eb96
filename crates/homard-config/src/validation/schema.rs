//! The JSON Schema of the file, made from the raw types and the keys that are only known.
//!
//! Made by a test and kept as data: the code that makes it from the types would be in the program for one use. Read
//! once, on first need; a gateway that starts without a file never reads it.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde_json::Value;

use crate::syntax::value_path::{PathStep, ValuePath};

// A broken file would be found by every test of a key.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&written()).unwrap_or_default());

/// The JSON Schema of the configuration file; descriptions are the help texts. `x-secret` marks values that
/// must not be shown, `x-inert` keys that do nothing yet.
#[must_use]
pub fn schema() -> &'static Value {
    &SCHEMA
}

/// What the types say, as `schema::tests` wrote it down.
#[cfg(debug_assertions)]
fn written() -> Cow<'static, str> {
    Cow::Borrowed(include_str!("schema.json"))
}

/// The same, packed by the build: a tenth of it.
#[cfg(not(debug_assertions))]
fn written() -> Cow<'static, str> {
    const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schema"));
    const MAX_BYTES: u64 = 1024 * 1024;
    let text = homard_runtime::inflated(PACKED, MAX_BYTES).and_then(|bytes| String::from_utf8(bytes).ok());
    Cow::Owned(text.unwrap_or_default())
}

/// The schema of one place (`gateway.port`), references followed; `None` when there is no such place.
#[must_use]
pub fn schema_at(path: &str) -> Option<&'static Value> {
    let path = ValuePath::parse(path).ok()?;
    let found = path.steps().iter().try_fold(schema(), |at, step| match step {
        PathStep::Key(key) => property(at, key),
        PathStep::Index(_) => items(at),
    });
    found.map(resolved)
}

/// Follows `$ref` to the definition it names.
pub(crate) fn resolved(schema: &'static Value) -> &'static Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/"));
    let definition = target.and_then(|name| SCHEMA.get("$defs")?.get(name));
    definition.unwrap_or(schema)
}

/// The alternatives of a schema without "nothing"; itself when it has none.
pub(crate) fn alternatives(schema: &'static Value) -> Vec<&'static Value> {
    let schema = resolved(schema);
    let Some(list) = ["anyOf", "oneOf"].iter().find_map(|k| schema.get(k)).and_then(Value::as_array) else {
        return vec![schema];
    };
    list.iter()
        .flat_map(alternatives)
        .filter(|s| s.get("type").and_then(Value::as_str) != Some("null"))
        .collect()
}

/// The schema of a key, and whether it is known by name (rather than "any other key").
pub(crate) fn property(schema: &'static Value, key: &str) -> Option<&'static Value> {
    alternatives(schema).into_iter().find_map(|s| {
        let named = s.get("properties").and_then(|p| p.get(key));
        named.or_else(|| s.get("additionalProperties").filter(|a| a.is_object()))
    })
}

/// The schema of elements.
pub(crate) fn items(schema: &'static Value) -> Option<&'static Value> {
    alternatives(schema).into_iter().find_map(|s| s.get("items"))
}

/// Whether values here must not be shown.
pub(crate) fn is_secret(schema: &'static Value) -> bool {
    let marked = |s: &Value| s.get("x-secret").and_then(Value::as_bool) == Some(true);
    marked(resolved(schema)) || alternatives(schema).into_iter().any(marked)
}

#[cfg(test)]
mod tests;
