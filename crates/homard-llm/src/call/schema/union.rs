//! One schema out of alternatives.
//!
//! An object that is one of several becomes an object with the properties of all, requiring only what all
//! require; the tool itself still refuses the wrong mixture.

use serde_json::{Value, json};

use super::Object;

/// The same schema without `anyOf`, `oneOf` and `allOf` at its top, and whether null was one of the choices.
pub(super) fn flattened(mut map: Object) -> (Object, bool) {
    let mut nullable = false;
    for part in taken(&mut map, "allOf") {
        let (part, null) = flattened(part);
        nullable |= null;
        add(&mut map, part);
    }
    for key in ["anyOf", "oneOf"] {
        let mut choices = Vec::new();
        for choice in taken(&mut map, key) {
            let (choice, null) = flattened(choice);
            nullable |= null || is_null(&choice);
            choices.push(choice);
        }
        choices.retain(|choice| !is_null(choice));
        add(&mut map, one_of(choices));
    }
    (map, nullable)
}

fn taken(map: &mut Object, key: &str) -> Vec<Object> {
    let Some(Value::Array(list)) = map.shift_remove(key) else { return Vec::new() };
    list.into_iter()
        .filter_map(|part| if let Value::Object(part) = part { Some(part) } else { None })
        .collect()
}

/// Whether a schema accepts nothing but null.
pub(super) fn is_null(map: &Object) -> bool {
    let only_null = |list: &Vec<Value>| !list.is_empty() && list.iter().all(Value::is_null);
    map.get("type")
        .is_some_and(|kind| kind == "null" || kind.as_array().is_some_and(|kinds| kinds == &["null"]))
        || map.get("const").is_some_and(Value::is_null)
        || map.get("enum").and_then(Value::as_array).is_some_and(only_null)
}

fn is_object(map: &Object) -> bool {
    map.contains_key("properties")
        || map.contains_key("required")
        || map.get("type").is_some_and(|kind| kind == "object")
}

/// Literals become one list, objects one object; of anything else the first choice stands for all, which
/// every one of them being acceptable makes true.
fn one_of(mut choices: Vec<Object>) -> Object {
    if choices.len() > 1 {
        let literal: Option<Vec<Vec<Value>>> = choices.iter().map(literals).collect();
        if let Some(values) = literal {
            return listed(&choices, values.into_iter().flatten());
        }
        if choices.iter().any(is_object) {
            choices.retain(is_object);
        }
    }
    let mut rest = choices.into_iter();
    let Some(mut first) = rest.next() else { return Object::new() };
    if is_object(&first) {
        for choice in rest {
            mix(&mut first, choice);
        }
    }
    first
}

/// The object that is either `one` or `other`.
fn mix(one: &mut Object, mut other: Object) {
    let required = |map: &Object| -> Vec<Value> {
        map.get("required").and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let (mine, theirs) = (required(one), required(&other));
    let both: Vec<Value> = mine.into_iter().filter(|name| theirs.contains(name)).collect();
    one.shift_remove("required");
    if !both.is_empty() {
        one.insert("required".to_owned(), Value::Array(both));
    }
    // A property of the other choice is not an extra one any more.
    one.shift_remove("additionalProperties");
    let Some(Value::Object(theirs)) = other.shift_remove("properties") else { return };
    let mine = one.entry("properties").or_insert_with(|| json!({}));
    let Some(mine) = mine.as_object_mut() else { return };
    for (name, schema) in theirs {
        let merged = match mine.get(&name) {
            Some(known) => either(known, schema),
            None => schema,
        };
        mine.insert(name, merged);
    }
}

/// The property that is described in two ways.
fn either(one: &Value, other: Value) -> Value {
    if *one == other {
        return other;
    }
    if let (Value::Object(a), Value::Object(b)) = (one, &other)
        && let (Some(mut values), Some(more)) = (literals(a), literals(b))
    {
        values.extend(more);
        return Value::Object(listed(&[a.clone(), b.clone()], values));
    }
    let mut choices = match one {
        Value::Object(map) if map.len() == 1 => {
            map.get("anyOf").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![one.clone()])
        }
        _ => vec![one.clone()],
    };
    if !choices.contains(&other) {
        choices.push(other);
    }
    json!({ "anyOf": choices })
}

/// All values a schema accepts, where it lists them.
pub(super) fn literals(map: &Object) -> Option<Vec<Value>> {
    if let Some(list) = map.get("enum").and_then(Value::as_array) {
        return Some(list.clone());
    }
    if let Some(value) = map.get("const") {
        return Some(vec![value.clone()]);
    }
    let choices = map.get("anyOf").or_else(|| map.get("oneOf"))?.as_array()?;
    let lists: Option<Vec<Vec<Value>>> = choices.iter().map(|choice| literals(choice.as_object()?)).collect();
    lists.filter(|lists| !lists.is_empty()).map(|lists| lists.concat())
}

/// A schema of listed values, with the description of the first choice that has one.
fn listed(choices: &[Object], values: impl IntoIterator<Item = Value>) -> Object {
    let mut unique: Vec<Value> = Vec::new();
    for value in values {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    let mut map = Object::new();
    if let Some(kind) = kind_of(&unique) {
        map.insert("type".to_owned(), json!(kind));
    }
    map.insert("enum".to_owned(), Value::Array(unique));
    if let Some(description) = choices.iter().find_map(|choice| choice.get("description")) {
        map.insert("description".to_owned(), description.clone());
    }
    map
}

/// The type all values share.
pub(super) fn kind_of(values: &[Value]) -> Option<&'static str> {
    let kind = |value: &Value| match value {
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let first = kind(values.first()?)?;
    values.iter().all(|value| kind(value) == Some(first)).then_some(first)
}

/// Adds what must hold as well; what is already said stands.
pub(super) fn add(map: &mut Object, part: Object) {
    for (key, value) in part {
        match (key.as_str(), map.get_mut(&key), value) {
            ("properties", Some(Value::Object(known)), Value::Object(more)) => {
                for (name, schema) in more {
                    known.entry(name).or_insert(schema);
                }
            }
            ("required", Some(Value::Array(known)), Value::Array(more)) => {
                for name in more {
                    if !known.contains(&name) {
                        known.push(name);
                    }
                }
            }
            (_, Some(_), _) => {}
            (_, None, value) => {
                map.insert(key, value);
            }
        }
    }
}
