//! Checking a configuration against its schema, telling everything that is wrong at once.
//!
//! A small walker over the schema's own keywords: each problem has its place, the value found (secrets
//! masked), what is allowed, and what may have been meant. What a schema cannot say (two agents in one
//! directory) is checked where settings are decided.

use homard_runtime::Clip;
use serde_json::{Map, Value};

use crate::issue::Issue;
use crate::redact;
use crate::secret::MASK;
use crate::syntax::value_path::ValuePath;
use crate::validation::channel_sections::ChannelSections;
use crate::validation::schema::{alternatives, is_secret, schema};

/// Most problems told at once; the rest would only be noise.
const MAX_ISSUES: usize = 100;
/// Longest value quoted in a message, in characters.
const MAX_QUOTE: usize = 60;
/// Keys often written at the wrong place, and where they belong.
const MISPLACED: [(&str, &str); 6] = [
    ("gateway.token", "gateway.auth.token"),
    ("gateway.password", "gateway.auth.password"),
    ("gateway.host", "gateway.bind"),
    ("agent", "agents.defaults"),
    ("model", "agents.defaults.model"),
    ("workspace", "agents.defaults.workspace"),
];

/// Everything that is wrong with a value.
pub(crate) fn validate(value: &Value, channels: Option<&'static ChannelSections>) -> Vec<Issue> {
    let mut walker = Walker::default();
    walker.check(value, schema(), &ValuePath::default(), "");
    walker.issues.extend(channels.map(|channels| channels.issues(value)).unwrap_or_default());
    walker.issues.truncate(MAX_ISSUES);
    walker.issues
}

/// Walks a value beside its schema.
#[derive(Default)]
pub(crate) struct Walker {
    pub(crate) issues: Vec<Issue>,
}

impl Walker {
    pub(crate) fn check(&mut self, value: &Value, schema: &'static Value, path: &ValuePath, key: &str) {
        // Null is how merge patches and some editors write "unset".
        if value.is_null() || self.issues.len() > MAX_ISSUES {
            return;
        }
        let options = alternatives(schema);
        let fitting: Vec<_> = options.iter().copied().filter(|s| type_fits(value, s)).collect();
        let secret = is_secret(schema) || redact::is_sensitive_key(key);
        if value.is_string() && options.iter().all(|s| !words(s).is_empty()) {
            return self.check_word(value, &options, path);
        }
        match fitting.as_slice() {
            [] => {
                let message = format!("expected {}, found {}", describe(&options), quote(value, secret));
                self.issues.push(Issue::at(path, message));
            }
            [one] => self.check_shape(value, one, path, secret),
            [first, ..] => {
                let before = self.issues.len();
                for option in &fitting {
                    self.issues.truncate(before);
                    self.check_shape(value, option, path, secret);
                    if self.issues.len() == before {
                        return;
                    }
                }
                self.issues.truncate(before);
                self.check_shape(value, first, path, secret);
            }
        }
    }

    fn check_word(&mut self, value: &Value, options: &[&'static Value], path: &ValuePath) {
        let allowed: Vec<&str> = options.iter().flat_map(|s| words(s)).collect();
        let found = value.as_str().unwrap_or_default();
        if allowed.contains(&found) {
            return;
        }
        let meant = nearest(found, allowed.iter().copied()).map(|w| format!("; did you mean \"{w}\"?"));
        let list: Vec<String> = allowed.iter().map(|w| format!("\"{w}\"")).collect();
        let message = format!(
            "expected one of {}, found {}{}",
            list.join(", "),
            quote(value, false),
            meant.unwrap_or_default()
        );
        self.issues.push(Issue::at(path, message));
    }

    fn check_shape(&mut self, value: &Value, schema: &'static Value, path: &ValuePath, secret: bool) {
        match value {
            Value::Object(map) => self.check_object(map, schema, path),
            Value::Array(items) => {
                if let Some(item) = schema.get("items") {
                    for (at, value) in items.iter().enumerate() {
                        self.check(value, item, &path.index(at), "");
                    }
                }
            }
            Value::Number(_) | Value::String(_) => {
                if !within_limits(value, schema) {
                    let message = format!("expected {}, found {}", describe(&[schema]), quote(value, secret));
                    self.issues.push(Issue::at(path, message));
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn check_object(&mut self, map: &Map<String, Value>, schema: &'static Value, path: &ValuePath) {
        let known = schema.get("properties").and_then(Value::as_object);
        for (key, value) in map {
            let at = path.key(key);
            match (known.and_then(|k| k.get(key)), schema.get("additionalProperties")) {
                (Some(schema), _) => self.check(value, schema, &at, key),
                (None, Some(Value::Bool(false))) => {
                    self.issues.push(Issue::at(&at, unknown_key(&at, key, path, known)));
                }
                (None, Some(other)) => self.check(value, other, &at, key),
                (None, None) => {}
            }
        }
        let required =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for key in required.filter(|key| map.get(*key).is_none_or(Value::is_null)) {
            self.issues.push(Issue::at(&path.key(key), "this key is needed here"));
        }
    }
}

fn unknown_key(
    at: &ValuePath,
    key: &str,
    path: &ValuePath,
    known: Option<&'static Map<String, Value>>,
) -> String {
    let place = at.to_string();
    if let Some((_, right)) = MISPLACED.iter().find(|(wrong, _)| *wrong == place) {
        return format!("unknown key; use `{right}`");
    }
    let Some(known) = known else { return "unknown key".to_owned() };
    if let Some(near) = nearest(key, known.keys().map(String::as_str)) {
        return format!("unknown key; did you mean `{near}`?");
    }
    let inside = known.iter().find(|(_, schema)| {
        alternatives(schema).iter().any(|s| s.get("properties").is_some_and(|p| p.get(key).is_some()))
    });
    if let Some((section, _)) = inside {
        return format!("unknown key; did you mean `{}`?", path.key(section).key(key));
    }
    let mut names: Vec<&str> = known.keys().map(String::as_str).take(8).collect();
    if known.len() > names.len() {
        names.push("…");
    }
    format!("unknown key; known here: {}", names.join(", "))
}

/// The known word nearest to what was written, if any is near enough to be meant.
pub(crate) fn nearest<'w>(written: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let low = written.to_lowercase();
    let scored = known.map(|word| (strsim::damerau_levenshtein(&low, &word.to_lowercase()), word));
    let (distance, word) = scored.min_by_key(|(distance, _)| *distance)?;
    let limit = (written.chars().count().max(word.chars().count()) / 3).max(1);
    (distance <= limit).then_some(word)
}

fn type_fits(value: &Value, schema: &Value) -> bool {
    let fits = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => false,
    };
    match schema.get("type") {
        Some(Value::String(name)) => fits(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(fits),
        _ if schema.get("const").is_some() || schema.get("enum").is_some() => value.is_string(),
        _ => schema.as_bool() != Some(false),
    }
}

/// The words a schema allows, when it allows only words.
fn words(schema: &'static Value) -> Vec<&'static str> {
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        return vec![word];
    }
    schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn within_limits(value: &Value, schema: &Value) -> bool {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(text) = value.as_str() {
        let long = number("maxLength").is_some_and(|max| text.chars().count() as f64 > max);
        let colour = schema.get("format").and_then(Value::as_str) != Some("hex-color") || is_hex_colour(text);
        return !long && colour;
    }
    let Some(found) = value.as_f64() else { return true };
    number("minimum").is_none_or(|min| found >= min) && number("maximum").is_none_or(|max| found <= max)
}

fn is_hex_colour(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit())
}

/// What is allowed, in words.
fn describe(options: &[&'static Value]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for schema in options {
        let part = match words(schema).as_slice() {
            [] => describe_one(schema),
            list => list.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", "),
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(" or ")
}

fn describe_one(schema: &Value) -> String {
    let names: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).filter(|n| *n != "null").collect()
        }
        _ => return "a value".to_owned(),
    };
    let parts: Vec<String> = names.iter().map(|name| describe_type(name, schema)).collect();
    parts.join(" or ")
}

fn describe_type(name: &str, schema: &Value) -> String {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let noun = match name {
        "object" => return "an object { … }".to_owned(),
        "array" => return "a list [ … ]".to_owned(),
        "boolean" => return "true or false".to_owned(),
        "string" => {
            return match (schema.get("format").and_then(Value::as_str), limit("maxLength")) {
                (Some("hex-color"), _) => "a colour like \"#FF4500\"".to_owned(),
                (_, Some(max)) => format!("a text of at most {max} characters"),
                _ => "a text".to_owned(),
            };
        }
        "integer" => "a whole number",
        _ => "a number",
    };
    match (limit("minimum"), limit("maximum")) {
        (Some(min), Some(max)) => format!("{noun} between {min} and {max}"),
        (Some(0.0), None) => format!("{noun}, 0 or more"),
        (Some(min), None) => format!("{noun} of at least {min}"),
        (None, Some(max)) => format!("{noun} of at most {max}"),
        (None, None) => noun.to_owned(),
    }
}

fn quote(value: &Value, secret: bool) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        _ if secret => MASK.to_owned(),
        other => other.to_string().ellipsis_after(MAX_QUOTE),
    }
}

#[cfg(test)]
mod tests;
