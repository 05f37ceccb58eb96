//! The few keywords `google-generative-ai` takes, and what becomes of the others.

use serde_json::{Value, json};

use super::{MAX_DEPTH, Object, union};

/// Everything the API reads and we send.
const KEYWORDS: &[&str] =
    &["type", "format", "title", "description", "nullable", "enum", "items", "properties", "required"];
/// The formats it knows, with the type each belongs to.
const FORMATS: &[(&str, &str)] = &[
    ("string", "date-time"),
    ("string", "enum"),
    ("number", "float"),
    ("number", "double"),
    ("integer", "int32"),
    ("integer", "int64"),
];
const TYPES: &[&str] = &["string", "number", "integer", "boolean", "array", "object"];

/// Whether the API takes a schema as it is.
pub(super) fn is_clean(schema: &Value) -> bool {
    clean_at(schema, 0)
}

fn clean_at(schema: &Value, depth: usize) -> bool {
    let Some(map) = schema.as_object() else { return false };
    let Some(kind) = map.get("type").and_then(Value::as_str) else { return false };
    let field = |(key, value): (&String, &Value)| match key.as_str() {
        "type" => TYPES.contains(&kind),
        "format" => is_format(kind, value),
        "title" | "description" => value.is_string(),
        "nullable" => *value == Value::Bool(true),
        "enum" => {
            kind == "string"
                && value.as_array().is_some_and(|list| words(list).len() == list.len() && !list.is_empty())
        }
        "items" => kind == "array" && clean_at(value, depth + 1),
        "properties" => {
            kind == "object"
                && value.as_object().is_some_and(|all| all.values().all(|one| clean_at(one, depth + 1)))
        }
        "required" => required(map).is_some_and(|names| Value::from(names) == *value),
        _ => false,
    };
    let whole = match kind {
        "array" => map.contains_key("items"),
        "object" => map.contains_key("properties"),
        _ => true,
    };
    depth <= MAX_DEPTH + 1 && whole && map.iter().all(field)
}

fn is_format(kind: &str, value: &Value) -> bool {
    value.as_str().is_some_and(|format| FORMATS.contains(&(kind, format)))
}

/// The distinct, non-empty texts among literals; the API lists no others.
fn words(list: &[Value]) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    for word in list.iter().filter_map(Value::as_str).filter(|word| !word.is_empty()) {
        if !out.contains(&word) {
            out.push(word);
        }
    }
    out
}

/// The required names that exist; the API refuses others.
fn required(map: &Object) -> Option<Vec<String>> {
    let known = map.get("properties")?.as_object()?;
    let mut names: Vec<String> = Vec::new();
    for name in map.get("required")?.as_array()?.iter().filter_map(Value::as_str) {
        if known.contains_key(name) && !names.iter().any(|seen| seen == name) {
            names.push(name.to_owned());
        }
    }
    (!names.is_empty()).then_some(names)
}

/// The schema in the API's own words. Expects references to be gone.
pub(super) fn cleaned(schema: Value) -> Value {
    let Value::Object(map) = schema else { return json!({"type": "string"}) };
    let (mut map, mut nullable) = union::flattened(map);
    nullable |= map.get("nullable") == Some(&Value::Bool(true));
    let values = union::literals(&map).unwrap_or_default();
    nullable |= values.iter().any(Value::is_null);
    let (kind, null) = kind(&map, &values);
    nullable |= null;
    if !nullable {
        map.shift_remove("nullable");
    } else {
        map.insert("nullable".to_owned(), Value::Bool(true));
    }
    map.insert("type".to_owned(), json!(kind));
    let listed = words(&values);
    if kind == "string" && !listed.is_empty() {
        let listed = json!(listed);
        map.insert("enum".to_owned(), listed);
    } else {
        map.shift_remove("enum");
    }
    contents(&mut map, kind);
    let format = map.get("format").is_none_or(|format| is_format(kind, format));
    map.retain(|key, value| match key.as_str() {
        "format" => format,
        "title" | "description" => value.is_string(),
        _ => KEYWORDS.contains(&key.as_str()),
    });
    Value::Object(map)
}

/// What is inside an object or a list.
fn contents(map: &mut Object, kind: &str) {
    let properties = map.shift_remove("properties");
    let items = map.shift_remove("items");
    if kind == "object" {
        let all = match properties {
            Some(Value::Object(all)) => all.into_iter().map(|(name, one)| (name, cleaned(one))).collect(),
            _ => Object::new(),
        };
        map.insert("properties".to_owned(), Value::Object(all));
    }
    if kind == "array" {
        let one = match items {
            Some(Value::Array(tuple)) => tuple.into_iter().next().unwrap_or_default(),
            other => other.unwrap_or_default(),
        };
        map.insert("items".to_owned(), cleaned(one));
    }
    // After the properties, so that only names that exist are left.
    let names = required(map);
    map.shift_remove("required");
    if let (Some(names), "object") = (names, kind) {
        map.insert("required".to_owned(), Value::from(names));
    }
}

/// The one type, and whether null is another.
fn kind(map: &Object, values: &[Value]) -> (&'static str, bool) {
    let named: Vec<&str> = match map.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let nullable = named.iter().any(|name| name.eq_ignore_ascii_case("null"));
    let known = |name: &&str| TYPES.iter().find(|kind| kind.eq_ignore_ascii_case(name)).copied();
    let kind = named.iter().find_map(known).unwrap_or_else(|| {
        let some: Vec<Value> = values.iter().filter(|value| !value.is_null()).cloned().collect();
        match union::kind_of(&some) {
            Some(kind) => kind,
            None if map.contains_key("properties") => "object",
            None if map.contains_key("items") => "array",
            None => "string",
        }
    });
    (kind, nullable)
}
