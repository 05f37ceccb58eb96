//! Taking secrets out of values before clients see them.
//!
//! A value is a secret because its schema says so, or because its key is named like one: sections the schema
//! leaves free-form hold tokens too. References (`${VAR}`) are not secrets and stay readable.

use serde_json::Value;

use crate::secret::REDACTED;
use crate::syntax::document::{Kind, Node};
use crate::syntax::splice::replace_texts;
use crate::syntax::substitute::{has_reference, variables};
use crate::syntax::value_path::ValuePath;
use crate::validation::schema::{is_secret, items, property};

/// Endings of keys whose values are secrets, in lower case without separators.
const SENSITIVE_ENDINGS: [&str; 9] = [
    "token",
    "password",
    "passphrase",
    "secret",
    "apikey",
    "privatekey",
    "accesskey",
    "credential",
    "serviceaccount",
];

/// Last words of names with several (`DB_PASS`, `GITHUB_PAT`) that say the same; alone or at the end of another word
/// they mean something else.
const SENSITIVE_WORDS: [&str; 4] = ["pass", "passwd", "pat", "pwd"];

/// Whether a key is named like a secret: `botToken`, `signingSecret`, `api_key`.
#[must_use]
pub fn is_sensitive_key(key: &str) -> bool {
    let plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let last_word = key.rsplit_once(['_', '-']).map(|(_, last)| last.to_ascii_lowercase());
    SENSITIVE_ENDINGS.iter().any(|end| plain.ends_with(end))
        || last_word.is_some_and(|last| SENSITIVE_WORDS.contains(&last.as_str()))
}

/// The value with every secret replaced by [`REDACTED`]. `schema` is the schema of the value, as from
/// [`schema()`](crate::schema()).
#[must_use]
pub fn redact(value: &Value, schema: &'static Value) -> Value {
    walk(value, Some(schema), false)
}

/// Every secret in a value, by the same rules: what must never be shown to a model or stand in a log.
#[must_use]
pub fn secrets_in(value: &Value, schema: &'static Value) -> Vec<String> {
    let mut found = Vec::new();
    gather(value, Some(schema), false, &mut found);
    found
}

fn gather(value: &Value, schema: Option<&'static Value>, sensitive: bool, found: &mut Vec<String>) {
    let secret = sensitive || schema.is_some_and(is_secret);
    match value {
        Value::String(text) if secret && hides(text) => found.push(text.clone()),
        Value::Array(list) => {
            let schema = schema.and_then(items);
            list.iter().for_each(|v| gather(v, schema, sensitive, found));
        }
        Value::Object(map) => {
            for (key, value) in map {
                gather(value, schema.and_then(|s| property(s, key)), is_sensitive_key(key), found);
            }
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// How a secret is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptHow {
    /// In the file, as it is.
    Plain,
    /// In variables the text names.
    Variables(Vec<String>),
    /// Where a reference says: what kind of place, and its name there.
    Reference { source: String, id: String },
}

impl KeptHow {
    /// In a word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Plain => "plain",
            Self::Variables(_) => "variable",
            Self::Reference { source, .. } => source,
        }
    }
}

/// A place of the file that holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretPlace {
    pub path: String,
    pub kept: KeptHow,
}

impl SecretPlace {
    /// The variables it needs.
    #[must_use]
    pub fn needs(&self) -> Vec<String> {
        match &self.kept {
            KeptHow::Variables(names) => names.clone(),
            KeptHow::Reference { source, id } if source == "env" => vec![id.clone()],
            KeptHow::Plain | KeptHow::Reference { .. } => Vec::new(),
        }
    }
}

/// Where a file holds secrets and how each is kept, by the same rules. Values are not told.
#[must_use]
pub fn secret_places(parsed: &Value, schema: &'static Value) -> Vec<SecretPlace> {
    let mut found = Vec::new();
    places(parsed, Some(schema), false, &ValuePath::default(), &mut found);
    found
}

fn places(
    value: &Value,
    schema: Option<&'static Value>,
    sensitive: bool,
    path: &ValuePath,
    found: &mut Vec<SecretPlace>,
) {
    let secret = sensitive || schema.is_some_and(is_secret);
    let mut tell = |kept| found.push(SecretPlace { path: path.to_string(), kept });
    match value {
        Value::String(text) if secret && !text.is_empty() => match variables(text) {
            names if names.is_empty() => tell(KeptHow::Plain),
            names => tell(KeptHow::Variables(names)),
        },
        Value::Object(map) if secret && map.contains_key("source") && map.contains_key("id") => {
            let text = |name: &str| map.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            tell(KeptHow::Reference { source: text("source"), id: text("id") });
        }
        Value::Array(list) => {
            let schema = schema.and_then(items);
            for (at, value) in list.iter().enumerate() {
                places(value, schema, sensitive, &path.index(at), found);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                let own = schema.and_then(|s| property(s, key));
                places(value, own, is_sensitive_key(key), &path.key(key), found);
            }
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// The same for a section without a schema: only names decide.
pub(crate) fn redact_section(value: &Value) -> Value {
    walk(value, None, false)
}

fn walk(value: &Value, schema: Option<&'static Value>, sensitive: bool) -> Value {
    let secret = sensitive || schema.is_some_and(is_secret);
    match value {
        Value::String(text) if secret && hides(text) => Value::String(REDACTED.to_owned()),
        Value::Number(_) if secret => Value::String(REDACTED.to_owned()),
        Value::Array(list) => {
            let schema = schema.and_then(items);
            Value::Array(list.iter().map(|v| walk(v, schema, sensitive)).collect())
        }
        Value::Object(map) => {
            let member = |(key, value): (&String, &Value)| {
                let schema = schema.and_then(|s| property(s, key));
                (key.clone(), walk(value, schema, is_sensitive_key(key)))
            };
            Value::Object(map.iter().map(member).collect())
        }
        other => other.clone(),
    }
}

fn hides(text: &str) -> bool {
    !text.is_empty() && !has_reference(text)
}

/// The text with every secret replaced, comments and layout kept.
pub(crate) fn redact_text(text: &str, root: &Node, schema: &'static Value) -> String {
    let mut found = Vec::new();
    spans(root, Some(schema), false, &mut found);
    let sentinel = Value::String(REDACTED.to_owned()).to_string();
    let replacements: Vec<_> = found.into_iter().map(|span| (span, sentinel.clone())).collect();
    replace_texts(text, &replacements)
}

fn spans(
    node: &Node,
    schema: Option<&'static Value>,
    sensitive: bool,
    found: &mut Vec<std::ops::Range<usize>>,
) {
    let secret = sensitive || schema.is_some_and(is_secret);
    match &node.kind {
        Kind::Scalar(Value::String(text)) if secret && hides(text) => found.push(node.span.clone()),
        Kind::Scalar(Value::Number(_)) if secret => found.push(node.span.clone()),
        Kind::Scalar(_) => {}
        Kind::Array(list) => list.iter().for_each(|n| spans(n, schema.and_then(items), sensitive, found)),
        Kind::Object(members) => {
            for member in members {
                let schema = schema.and_then(|s| property(s, &member.key));
                spans(&member.value, schema, is_sensitive_key(&member.key), found);
            }
        }
    }
}

#[cfg(test)]
mod tests;
