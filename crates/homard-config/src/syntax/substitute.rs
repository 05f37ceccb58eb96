//! `${VAR}` in texts.
//!
//! Names are upper case; `$${VAR}` stands for the literal `${VAR}`; anything else with a dollar is left
//! alone. A missing variable is a problem at the place it is used.

use serde_json::Value;

use crate::env::Environment;
use crate::issue::Issue;
use crate::syntax::value_path::ValuePath;

/// Replaces references in every text of a value; missing variables are added to `issues`.
pub(crate) fn substitute(value: &Value, env: &Environment, issues: &mut Vec<Issue>) -> Value {
    walk(value, env, &ValuePath::default(), issues)
}

fn walk(value: &Value, env: &Environment, path: &ValuePath, issues: &mut Vec<Issue>) -> Value {
    match value {
        Value::String(text) => {
            let (text, missing) = expand(text, env);
            issues.extend(missing.iter().map(|name| {
                Issue::at(path, format!("environment variable `{name}` is not set; set it, or write `$${{{name}}}` for the literal text"))
            }));
            Value::String(text)
        }
        Value::Array(items) => Value::Array(
            items.iter().enumerate().map(|(i, v)| walk(v, env, &path.index(i), issues)).collect(),
        ),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(k, v)| (k.clone(), walk(v, env, &path.key(k), issues))).collect())
        }
        other => other.clone(),
    }
}

/// One text with its references replaced, and the names that were missing (left as written).
pub(crate) fn expand(text: &str, env: &Environment) -> (String, Vec<String>) {
    let mut out = String::with_capacity(text.len());
    let mut missing = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if let Some((name, after)) = from.strip_prefix('$').and_then(reference_after_dollar) {
            match env.get(name) {
                Some(value) => out.push_str(value),
                None => {
                    missing.push(name.to_owned());
                    out.push_str(reference_text(from, after));
                }
            }
            rest = after;
        } else if let Some((_, after)) = from.strip_prefix("$$").and_then(reference_after_dollar) {
            out.push_str(reference_text(from.get(1..).unwrap_or(""), after));
            rest = after;
        } else {
            out.push('$');
            rest = from.get(1..).unwrap_or("");
        }
    }
    out.push_str(rest);
    (out, missing)
}

/// The variables a text names.
pub(crate) fn variables(text: &str) -> Vec<String> {
    expand(text, &Environment::default()).1
}

/// Whether a text holds at least one reference.
pub(crate) fn has_reference(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let from = rest.get(at + 1..).unwrap_or("");
        if let Some(escaped) = from.strip_prefix('$').and_then(reference_after_dollar) {
            rest = escaped.1;
        } else if reference_after_dollar(from).is_some() {
            return true;
        } else {
            rest = from;
        }
    }
    false
}

/// A text that a value was written as may stand for the value it resolves to.
pub(crate) fn resolves_to(written: &Value, wanted: &Value, env: &Environment) -> bool {
    let (Value::String(written), Value::String(wanted)) = (written, wanted) else { return false };
    written.contains("${") && {
        let (text, missing) = expand(written, env);
        missing.is_empty() && text == *wanted
    }
}

fn reference_text<'t>(from: &'t str, after: &str) -> &'t str {
    from.get(..from.len() - after.len()).unwrap_or(from)
}

/// The name in `{NAME}` at the start of a text, and what follows.
fn reference_after_dollar(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    let mut chars = name.chars();
    let first = chars.next()?;
    let ok = (first.is_ascii_uppercase() || first == '_')
        && chars.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    ok.then_some((name, after))
}

#[cfg(test)]
mod tests;
