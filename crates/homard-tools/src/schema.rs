//! From an input type to the JSON Schema a model reads.
//!
//! Providers differ in what they accept, so the schema is kept to what all of them do: one inlined object,
//! no `$schema`, no titles, no number formats, and optional fields spelled by absence instead of `null`.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// Keywords that cost tokens or make a provider refuse the tool.
const UNWANTED: [&str; 5] = ["$schema", "$defs", "title", "format", "default"];

/// The description and the parameters of an input type.
pub(crate) fn describe<T: JsonSchema>() -> (String, Value) {
    described(T::json_schema)
}

/// What is the same for every type.
fn described(write: fn(&mut SchemaGenerator) -> Schema) -> (String, Value) {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = write(&mut settings.into_generator()).to_value();
    clean(&mut schema);
    let description = schema.as_object_mut().and_then(|object| object.shift_remove("description"));
    if let Some(object) = schema.as_object_mut() {
        // A tool without arguments still needs an object that says so.
        object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    (description.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned(), schema)
}

fn clean(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    for keyword in UNWANTED {
        object.shift_remove(keyword);
    }
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = unwrap_lines(text);
    }
    drop_null_from_type(object);
    for (keyword, value) in object.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(fields)) => fields.values_mut().for_each(clean),
            ("anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => schemas.iter_mut().for_each(clean),
            ("items" | "additionalProperties", schema) => clean(schema),
            _ => {}
        }
    }
}

/// `["string", "null"]` says nothing that being optional does not say.
fn drop_null_from_type(object: &mut Map<String, Value>) {
    if let Some(Value::Array(names)) = object.get_mut("type") {
        names.retain(|name| name != "null");
        if let [only] = names.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
}

/// Doc comments are wrapped for people who read code; a model pays for the line breaks.
fn unwrap_lines(text: &str) -> String {
    let paragraphs =
        text.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    paragraphs.collect::<Vec<_>>().join("\n")
}
