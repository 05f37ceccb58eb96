//! JSON Schemas as TypeScript.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// What stands before a name in a schema that refers to another one.
const REFERENCE: &str = "#/$defs/";
/// Added to the name of a type that is read in another shape than it is written.
const READ_SUFFIX: &str = "Input";

/// Shapes by name.
pub(crate) type Shapes = BTreeMap<String, Value>;
/// What shapes are called here that have another name in the schema.
pub(crate) type Names = BTreeMap<String, String>;

/// One line of a table of methods or events.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The module it stands in.
    #[cfg_attr(not(test), expect(dead_code, reason = "read where all types are written down by family"))]
    pub(crate) family: &'static str,
    pub(crate) params: Value,
    pub(crate) result: Value,
}

/// The whole file.
pub(crate) fn file(written: &Shapes, read: &Shapes, methods: &[Row], events: &[Row]) -> String {
    let renamed = differing(written, read);
    let own = Names::new();
    let mut text =
        String::from("// The protocol, made from the Rust types by `cargo xtask types`. Do not edit.\n");
    for (name, shape) in written {
        declare(&mut text, &type_name(name), shape, &own);
    }
    for (name, shape) in read {
        match renamed.get(name) {
            Some(other) => declare(&mut text, other, shape, &renamed),
            None if !written.contains_key(name) => declare(&mut text, &type_name(name), shape, &renamed),
            None => {}
        }
    }
    text.push_str("\n/** What every method is asked and answers. */\nexport interface Methods {\n");
    for row in methods {
        let params = expression(&row.params, &renamed);
        let result = expression(&row.result, &own);
        writeln!(text, "  '{}': {{ params: {params}; result: {result} }};", row.name).unwrap_or_default();
    }
    text.push_str("}\n\n/** What every event carries. */\nexport interface Events {\n");
    for row in events {
        writeln!(text, "  '{}': {};", row.name, expression(&row.result, &own)).unwrap_or_default();
    }
    text.push_str("}\n");
    text
}

/// The names of shapes that are read otherwise than they are written, themselves or through what they hold.
pub(crate) fn differing(written: &Shapes, read: &Shapes) -> Names {
    let mut renamed = Names::new();
    loop {
        let differs = |name: &String, shape: &Value| {
            let through = renamed.keys().any(|key| refers(shape, key));
            written.get(name).is_some_and(|other| other != shape || through)
        };
        let more: Vec<&String> = read
            .iter()
            .filter(|(name, shape)| !renamed.contains_key(*name) && differs(name, shape))
            .map(|(name, _)| name)
            .collect();
        if more.is_empty() {
            return renamed;
        }
        for name in more {
            renamed.insert(name.clone(), format!("{}{READ_SUFFIX}", type_name(name)));
        }
    }
}

fn refers(shape: &Value, name: &str) -> bool {
    match shape {
        Value::String(text) => text.strip_prefix(REFERENCE) == Some(name),
        Value::Array(items) => items.iter().any(|item| refers(item, name)),
        Value::Object(fields) => fields.values().any(|field| refers(field, name)),
        _ => false,
    }
}

pub(crate) fn type_name(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

fn declare(text: &mut String, name: &str, shape: &Value, names: &Names) {
    text.push('\n');
    doc(text, "", shape);
    writeln!(text, "export type {name} = {};", expression(shape, names)).unwrap_or_default();
}

fn doc(text: &mut String, indent: &str, shape: &Value) {
    if let Some(words) = shape.get("description").and_then(Value::as_str) {
        let words = words.replace("*/", "* /").replace('\n', " ");
        writeln!(text, "{indent}/** {words} */").unwrap_or_default();
    }
}

/// A shape as a type.
pub(crate) fn expression(shape: &Value, names: &Names) -> String {
    let Value::Object(fields) = shape else {
        return if shape == &Value::Bool(false) { "never".to_owned() } else { "unknown".to_owned() };
    };
    let own = fields.contains_key("properties").then(|| object(fields, names));
    let reference = fields.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix(REFERENCE));
    if let Some(name) = reference {
        let name = names.get(name).cloned().unwrap_or_else(|| type_name(name));
        return own.map_or(name.clone(), |own| format!("{own} & {name}"));
    }
    if let Some(value) = fields.get("const") {
        return value.to_string();
    }
    if let Some(Value::Array(values)) = fields.get("enum") {
        return joined(values, " | ", |value| value.to_string());
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(cases)) = fields.get(key) {
            let union = joined(cases, " | ", |case| expression(case, names));
            return own.map_or(union.clone(), |own| format!("{own} & ({union})"));
        }
    }
    if let Some(Value::Array(parts)) = fields.get("allOf") {
        return joined(parts, " & ", |part| expression(part, names));
    }
    match fields.get("type") {
        Some(Value::String(kind)) => simple(kind, fields, names),
        Some(Value::Array(kinds)) => {
            joined(kinds, " | ", |kind| simple(kind.as_str().unwrap_or_default(), fields, names))
        }
        _ => own.unwrap_or_else(|| "unknown".to_owned()),
    }
}

fn joined(items: &[Value], between: &str, each: impl Fn(&Value) -> String) -> String {
    items.iter().map(each).collect::<Vec<_>>().join(between)
}

fn simple(kind: &str, fields: &Map<String, Value>, names: &Names) -> String {
    match kind {
        "string" | "boolean" | "null" | "number" => kind.to_owned(),
        "integer" => "number".to_owned(),
        "array" => match (fields.get("prefixItems"), fields.get("items")) {
            (Some(Value::Array(items)), _) => {
                format!("[{}]", joined(items, ", ", |item| expression(item, names)))
            }
            (_, Some(item)) => format!("Array<{}>", expression(item, names)),
            _ => "unknown[]".to_owned(),
        },
        "object" => object(fields, names),
        _ => "unknown".to_owned(),
    }
}

fn object(fields: &Map<String, Value>, names: &Names) -> String {
    let Some(Value::Object(properties)) = fields.get("properties") else {
        return match fields.get("additionalProperties") {
            Some(Value::Bool(false)) => "Record<string, never>".to_owned(),
            Some(shape @ Value::Object(_)) => format!("Record<string, {}>", expression(shape, names)),
            _ => "Record<string, unknown>".to_owned(),
        };
    };
    let needed = fields.get("required").and_then(Value::as_array);
    let mut text = String::from("{\n");
    for (name, shape) in properties {
        doc(&mut text, "  ", shape);
        let needed = needed.is_some_and(|needed| needed.iter().any(|other| other == name));
        let mark = if needed { "" } else { "?" };
        let kind = expression(shape, names).replace('\n', "\n  ");
        writeln!(text, "  {}{mark}: {kind};", Value::from(name.as_str())).unwrap_or_default();
    }
    text.push('}');
    if let Some(more @ (Value::Object(_) | Value::Bool(true))) = fields.get("additionalProperties") {
        write!(text, " & Record<string, {}>", expression(more, names)).unwrap_or_default();
    }
    text
}
