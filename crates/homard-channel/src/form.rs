//! What a person is asked when an account is set up: whatever carries an `x-form` in the schema of a platform's section,
//! in its order. The page draws the same; here it is for those who ask one question after the other.

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::registry::ChannelEntry;

/// What is said of a value that does not fit where the schema has no words for it.
const ODD: &str = "This does not look right.";
/// What is said where something must be given.
pub const NEEDED: &str = "This is needed.";

/// What is asked about an account of a platform.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// What is done on the platform first.
    pub steps: Vec<String>,
    /// What stands before our name as people there write it.
    pub handle: String,
    /// The key that holds our name there.
    pub named: Option<String>,
    /// What to do when the platform does not accept the credentials.
    pub refused: Option<String>,
    /// Whether accounts may be at different servers; then one never gets the secrets of another.
    pub servers: bool,
    /// The ways in which people may be let in, in the words of the section; none where the platform knows none.
    pub ways_in: Vec<String>,
    /// How people there are written in lists.
    pub people: Option<String>,
    pub fields: Vec<FormField>,
}

/// One thing that is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct FormField {
    /// Its place in the section: `nick`, `sasl.password`.
    pub key: String,
    pub kind: FieldKind,
    pub label: String,
    pub help: Option<String>,
    pub example: Option<String>,
    /// What a new account begins with.
    pub initial: Option<Value>,
    pattern: Option<String>,
    problem: Option<String>,
    /// Other keys that may hold it.
    pub instead: Vec<String>,
    pub needed: bool,
    /// Whether it is asked only of those who want to say more.
    pub more: bool,
    /// The key of the group it is part of; asked for only while that is on.
    pub group: Option<String>,
}

/// What kind of value is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    Secret,
    Number {
        min: Option<i64>,
        max: Option<i64>,
    },
    Switch,
    /// One of these words.
    Select(Vec<String>),
    List,
    /// A switch with the fields that follow in it.
    Group,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PlatformHint {
    steps: Vec<String>,
    handle: String,
    named: Option<String>,
    refused: Option<String>,
    servers: bool,
    people: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FieldHint {
    needed: bool,
    more: bool,
    help: Option<String>,
    example: Option<String>,
    initial: Option<Value>,
    pattern: Option<String>,
    problem: Option<String>,
    instead: Vec<String>,
}

impl Form {
    /// What is asked about an account of this platform.
    #[must_use]
    pub fn of(entry: &ChannelEntry) -> Self {
        let schema = (entry.keys.own)();
        let PlatformHint { steps, handle, named, refused, servers, people } =
            hint(&schema).unwrap_or_default();
        let ways_in = match entry.keys.schema().pointer("/properties/dmPolicy").and_then(kind_of) {
            Some(FieldKind::Select(words)) => words,
            _ => Vec::new(),
        };
        Self { steps, handle, named, refused, servers, ways_in, people, fields: fields(&schema, None) }
    }

    /// Our name as people on the platform write it.
    #[must_use]
    pub fn handled(&self, name: &str) -> String {
        if name.starts_with(&self.handle) { name.to_owned() } else { format!("{}{name}", self.handle) }
    }
}

fn hint<T: serde::de::DeserializeOwned>(schema: &Value) -> Option<T> {
    serde_json::from_value(schema.get("x-form")?.clone()).ok()
}

fn fields(schema: &Value, group: Option<&str>) -> Vec<FormField> {
    let keys = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    keys.flat_map(|(name, node)| asked(name, node, group)).collect()
}

/// A field and, of a group, those in it.
fn asked(name: &str, node: &Value, group: Option<&str>) -> Vec<FormField> {
    let Some(hint) = hint::<FieldHint>(node) else { return Vec::new() };
    let shape = without_nothing(node);
    let Some(kind) = kind_of(shape).filter(|kind| group.is_none() || *kind != FieldKind::Group) else {
        return Vec::new();
    };
    let place = |one: &str| group.map_or_else(|| one.to_owned(), |group| format!("{group}.{one}"));
    let inner = if kind == FieldKind::Group { fields(shape, Some(name)) } else { Vec::new() };
    let field = FormField {
        key: place(name),
        kind,
        label: node.get("title").and_then(Value::as_str).map_or_else(|| spoken(name), str::to_owned),
        help: hint.help,
        example: hint.example,
        initial: hint.initial,
        pattern: hint.pattern,
        problem: hint.problem,
        instead: hint.instead.iter().map(|one| place(one)).collect(),
        needed: hint.needed,
        more: hint.more,
        group: group.map(str::to_owned),
    };
    std::iter::once(field).chain(inner).collect()
}

/// The shape itself where "or nothing" is the other choice.
fn without_nothing(node: &Value) -> &Value {
    let choices = node.get("anyOf").and_then(Value::as_array).filter(|_| node.get("x-secret").is_none());
    let is_something = |choice: &&Value| choice.get("type").and_then(Value::as_str) != Some("null");
    let mut choices = choices.into_iter().flatten().filter(is_something);
    match (choices.next(), choices.next()) {
        (Some(only), None) => only,
        _ => node,
    }
}

fn kind_of(node: &Value) -> Option<FieldKind> {
    if node.get("x-secret") == Some(&Value::Bool(true)) {
        return Some(FieldKind::Secret);
    }
    if let Some(words) = node.get("enum").and_then(Value::as_array) {
        let words = words.iter().filter(|word| !word.is_null());
        return words
            .map(|word| word.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .map(FieldKind::Select);
    }
    let types = match node.get("type")? {
        Value::Array(types) => types.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut types = types.iter().filter_map(Value::as_str).filter(|word| *word != "null");
    let bound = |name: &str| node.get(name).and_then(Value::as_i64);
    match (types.next()?, types.next()) {
        ("string", None) => Some(FieldKind::Text),
        ("boolean", None) => Some(FieldKind::Switch),
        ("integer", None) => Some(FieldKind::Number { min: bound("minimum"), max: bound("maximum") }),
        ("array", None) => Some(FieldKind::List),
        ("object", None) => node.get("properties").map(|_| FieldKind::Group),
        _ => None,
    }
}

/// A key as words: `apiRoot` is "Api root".
fn spoken(name: &str) -> String {
    let mut words = String::new();
    for (place, letter) in name.chars().enumerate() {
        match (place, letter.is_uppercase()) {
            (0, _) => words.extend(letter.to_uppercase()),
            (_, true) => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            (_, false) => words.push(letter),
        }
    }
    words
}

impl FormField {
    /// Reads what was typed; `None` for nothing. A `${NAME}` is looked up in the environment when it is used.
    ///
    /// # Errors
    /// With what is wrong, in the schema's own words where it has some.
    pub fn read(&self, text: &str) -> Result<Option<Value>, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        if text.starts_with("${") && text.ends_with('}') {
            return Ok(Some(text.into()));
        }
        let fits = |one: &str| {
            let pattern = self.pattern.as_deref().and_then(|pattern| Regex::new(pattern).ok());
            pattern.is_none_or(|pattern| pattern.is_match(one))
        };
        let problem = || self.problem.clone().unwrap_or_else(|| ODD.to_owned());
        match &self.kind {
            FieldKind::Number { min, max } => {
                let is_within = |number: &i64| {
                    min.is_none_or(|min| *number >= min) && max.is_none_or(|max| *number <= max)
                };
                let number = text.parse::<i64>().ok().filter(is_within).filter(|_| fits(text));
                number.map(|number| Some(number.into())).ok_or_else(problem)
            }
            FieldKind::List => {
                let items = text.split([',', '\n']).map(str::trim).filter(|item| !item.is_empty());
                let items: Vec<&str> = items.collect();
                match items.iter().find(|item| !fits(item)) {
                    Some(odd) => Err(format!("\u{201c}{odd}\u{201d}: {}", problem())),
                    None => Ok(Some(items.into())),
                }
            }
            FieldKind::Select(words) if !words.iter().any(|word| word == text) => Err(problem()),
            FieldKind::Text | FieldKind::Secret | FieldKind::Select(_) if fits(text) => Ok(Some(text.into())),
            FieldKind::Text | FieldKind::Secret | FieldKind::Select(_) => Err(problem()),
            FieldKind::Switch | FieldKind::Group => match text {
                "true" => Ok(Some(true.into())),
                "false" => Ok(Some(false.into())),
                _ => Err(problem()),
            },
        }
    }

    /// What a section says at this field's place.
    #[must_use]
    pub fn written<'a>(&self, section: &'a Map<String, Value>) -> Option<&'a Value> {
        at(section, &self.key)
    }

    /// Whether a section holds it, there or at one of the places that do as well.
    #[must_use]
    pub fn is_held(&self, section: &Map<String, Value>) -> bool {
        let is_filled =
            |key: &str| at(section, key).is_some_and(|value| !value.is_null() && value.as_str() != Some(""));
        is_filled(&self.key) || self.instead.iter().any(|key| is_filled(key))
    }

    /// Puts a value at this field's place.
    pub fn put(&self, section: &mut Map<String, Value>, value: Value) {
        match self.key.split_once('.') {
            None => {
                section.insert(self.key.clone(), value);
            }
            Some((group, name)) => {
                let group = section.entry(group).or_insert_with(|| Value::Object(Map::new()));
                if let Some(group) = group.as_object_mut() {
                    group.insert(name.to_owned(), value);
                }
            }
        }
    }
}

fn at<'a>(section: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        None => section.get(key),
        Some((group, name)) => section.get(group)?.get(name),
    }
}

#[cfg(test)]
mod tests;
