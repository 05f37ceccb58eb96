//! Tool schemas, bent to what each API accepts.
//!
//! Tools describe their arguments in whatever JSON Schema their author wrote; APIs refuse much of it, each
//! something else, and a refused schema fails every call of the conversation. Nothing here checks arguments:
//! the tool still does that. Reading order: [`ToolSchema`] keeps what was worked out, [`normalised`] decides whether
//! anything is to be done, `inline` resolves references, `union` makes one object of alternatives, `gemini` is the API
//! that accepts least.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::spec::ModelSpec;

mod gemini;
mod inline;
mod union;

/// Deepest nesting kept; what lies below accepts anything.
const MAX_DEPTH: usize = 48;
/// Limits on length, which some servers refuse.
const LENGTHS: &[&str] = &["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"];
/// What no API takes beside the properties of a tool.
const NOT_ON_TOP: &[&str] = &["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else"];
/// Keywords that hold schemas by name.
const MAPS: &[&str] = &["properties", "patternProperties", "dependentSchemas"];
/// Keywords that hold one schema or a list of them.
const NESTED: &[&str] = &[
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
];

type Object = Map<String, Value>;

/// What a tool takes. Every request carries it and it never changes, so it is measured and written for each API once;
/// copies share what is known.
#[derive(Debug, Clone)]
pub struct ToolSchema(Arc<Known>);

#[derive(Debug)]
struct Known {
    schema: Value,
    bytes: usize,
    /// In each [`Dialect`], from the first time it is asked for.
    told: [OnceLock<SpelledSchema>; 3],
}

/// A schema as an API takes it.
#[derive(Debug)]
pub(crate) struct SpelledSchema {
    pub(crate) json: Box<RawValue>,
    /// Whether there is anything to pass.
    pub(crate) takes_some: bool,
}

impl ToolSchema {
    /// How long it is as JSON, as its author wrote it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// The schema as an API takes it.
    pub(crate) fn told(&self, dialect: Dialect) -> &SpelledSchema {
        let Known { schema, told: [standard, without_lengths, gemini], .. } = &*self.0;
        let place = match dialect {
            Dialect::Standard => standard,
            Dialect::WithoutLengths => without_lengths,
            Dialect::Gemini => gemini,
        };
        place.get_or_init(|| {
            let schema = normalised(schema, dialect);
            let properties = schema.get("properties").and_then(Value::as_object);
            let takes_some = properties.is_some_and(|all| !all.is_empty());
            SpelledSchema { json: to_raw_value(&schema).unwrap_or_default(), takes_some }
        })
    }

    /// The same as JSON.
    pub(crate) fn written(&self, dialect: Dialect) -> &RawValue {
        &self.told(dialect).json
    }
}

impl From<Value> for ToolSchema {
    fn from(schema: Value) -> Self {
        let bytes = schema.to_string().len();
        Self(Arc::new(Known { schema, bytes, told: Default::default() }))
    }
}

impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        self.0.schema == other.0.schema
    }
}

/// How much of JSON Schema an API takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Nearly everything, as long as the arguments themselves are one plain object.
    Standard,
    /// The same without limits on length.
    WithoutLengths,
    /// A short list of keywords and no alternatives at all.
    Gemini,
}

impl Dialect {
    /// What the server behind `model` takes.
    pub(crate) fn of(model: &ModelSpec) -> Self {
        match model.api.as_str() {
            crate::wire::GOOGLE_GENERATIVE_AI | crate::wire::GOOGLE_GEMINI_CLI => Self::Gemini,
            _ if model.compat.refuses_length_keywords == Some(true) => Self::WithoutLengths,
            _ => Self::Standard,
        }
    }
}

/// The schema as the API accepts it; untouched, and not copied, when it already is.
fn normalised(schema: &Value, dialect: Dialect) -> Cow<'_, Value> {
    if is_fine(schema, dialect) {
        return Cow::Borrowed(schema);
    }
    let mut top = one_object(inline::inlined(schema));
    match dialect {
        Dialect::Gemini => return Cow::Owned(gemini::cleaned(Value::Object(top))),
        Dialect::Standard | Dialect::WithoutLengths => tidy(&mut top, dialect),
    }
    Cow::Owned(Value::Object(top))
}

/// Makes a plain object of whatever stands at the top.
fn one_object(schema: Value) -> Object {
    let mut top = match schema {
        Value::Object(map) => union::flattened(map).0,
        _ => Object::new(),
    };
    top.retain(|key, _| !NOT_ON_TOP.contains(&key.as_str()));
    top.insert("type".to_owned(), json!("object"));
    if !top.get("properties").is_some_and(Value::is_object) {
        top.insert("properties".to_owned(), json!({}));
    }
    top
}

fn is_fine(schema: &Value, dialect: Dialect) -> bool {
    let Some(top) = schema.as_object() else { return false };
    let plain = top.get("type").is_some_and(|kind| kind == "object")
        && top.get("properties").is_some_and(Value::is_object)
        && !NOT_ON_TOP.iter().any(|key| top.contains_key(*key));
    plain
        && match dialect {
            Dialect::Gemini => gemini::is_clean(schema),
            Dialect::Standard | Dialect::WithoutLengths => is_tidy(schema, dialect, 0),
        }
}

/// Whether nothing below needs a change.
fn is_tidy(schema: &Value, dialect: Dialect, depth: usize) -> bool {
    let Some(map) = schema.as_object() else { return true };
    // Tidying may add a level to what was cut at the limit.
    depth <= MAX_DEPTH + 1
        && !inline::REFERENCES.iter().any(|key| map.contains_key(*key))
        && missing_type(map).is_none()
        && !lacks_items(map)
        && (dialect != Dialect::WithoutLengths || !LENGTHS.iter().any(|key| map.contains_key(*key)))
        && children(map).all(|child| is_tidy(child, dialect, depth + 1))
}

fn tidy(map: &mut Object, dialect: Dialect) {
    if let Some(kind) = missing_type(map) {
        map.insert("type".to_owned(), json!(kind));
    }
    if lacks_items(map) {
        map.insert("items".to_owned(), json!({}));
    }
    if dialect == Dialect::WithoutLengths {
        map.retain(|key, _| !LENGTHS.contains(&key.as_str()));
    }
    for child in children_mut(map) {
        if let Value::Object(child) = child {
            tidy(child, dialect);
        }
    }
}

/// The type a schema means without saying so.
fn missing_type(map: &Object) -> Option<&'static str> {
    if map.contains_key("type") {
        return None;
    }
    if map.contains_key("properties") {
        Some("object")
    } else if map.contains_key("items") {
        Some("array")
    } else {
        let literals = map.get("enum").and_then(Value::as_array)?;
        (!literals.is_empty() && literals.iter().all(Value::is_string)).then_some("string")
    }
}

fn lacks_items(map: &Object) -> bool {
    let names = |kind: &Value| {
        kind == "array" || kind.as_array().is_some_and(|all| all.iter().any(|one| one == "array"))
    };
    let is_array = map.get("type").is_some_and(names);
    is_array && !map.contains_key("items") && !map.contains_key("prefixItems")
}

/// The schemas directly inside a schema. Names of properties are no keywords and are stepped over.
fn children(map: &Object) -> impl Iterator<Item = &Value> {
    let named = MAPS.iter().filter_map(|key| map.get(*key)?.as_object()).flat_map(Object::values);
    let nested = NESTED.iter().filter_map(|key| map.get(*key)).flat_map(|value| match value {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    });
    named.chain(nested)
}

fn children_mut(map: &mut Object) -> Vec<&mut Value> {
    let mut out = Vec::new();
    for (key, value) in map.iter_mut() {
        if MAPS.contains(&key.as_str()) {
            out.extend(value.as_object_mut().into_iter().flat_map(Object::values_mut));
        } else if NESTED.contains(&key.as_str()) {
            match value {
                Value::Array(list) => out.extend(list),
                one => out.push(one),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
