//! Templates of mappings: `{{payload.a}}`, `{{a[0].b}}`, `{{headers.h}}`, `{{query.q}}`, `{{path}}`, `{{now}}`.
//!
//! What is filled in is never read again, so a payload cannot bring expressions of its own.

use std::collections::BTreeMap;

use homard_runtime::Clip;
use serde_json::{Value, json};

/// Longest text a template comes to; the rest is cut.
pub const MAX_RENDERED: usize = 512 * 1024;
/// Steps of one expression; longer ones find nothing.
const MAX_STEPS: usize = 32;

/// What expressions find.
#[derive(Debug, Clone, Copy)]
pub struct TemplateValues<'a> {
    pub payload: &'a Value,
    /// Its headers, by lower-case name, without those that prove who calls.
    pub headers: &'a BTreeMap<String, String>,
    pub query: &'a BTreeMap<String, String>,
    /// Its path below the hooks' own.
    pub path: &'a str,
    /// The time of day.
    pub now: &'a str,
    /// The item of a list it is about, and its place.
    pub item: Option<(&'a Value, usize)>,
}

impl TemplateValues<'_> {
    /// All of it, as the program of a mapping reads it.
    pub fn told(&self, mapping: &str) -> Value {
        let (item, index) = self.item.unzip();
        json!({
            "mapping": mapping, "path": self.path, "headers": self.headers, "query": self.query,
            "payload": self.payload, "item": item, "index": index, "now": self.now,
        })
    }
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// Fills a template in. Text that is no expression stays as it is.
pub fn render(template: &str, given: &TemplateValues<'_>) -> String {
    render_with(template, given, |value| value)
}

/// The same for texts that name something: what is filled in can only be part of a name.
pub fn render_name(template: &str, given: &TemplateValues<'_>) -> String {
    render_with(template, given, |value| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        value.trim().chars().map(|c| if plain(c) { c } else { '-' }).take(MAX_NAME_PART).collect()
    })
}

/// Longest part of a name that a call fills in.
const MAX_NAME_PART: usize = 120;

fn render_with(template: &str, given: &TemplateValues<'_>, shape: impl Fn(String) -> String) -> String {
    let mut rendered = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((expression, onward)) = after.split_once("}}") else { break };
        rendered.push_str(before);
        rendered.push_str(&shape(find(expression.trim(), given)));
        rest = onward;
        if rendered.len() > MAX_RENDERED {
            break;
        }
    }
    if rendered.len() <= MAX_RENDERED {
        rendered.push_str(rest);
    }
    rendered.truncate(rendered.clip_bytes(MAX_RENDERED).len());
    rendered
}

fn find(expression: &str, given: &TemplateValues<'_>) -> String {
    let Some(steps) = steps(expression) else { return String::new() };
    let Some((Step::Key(head), rest)) = steps.split_first() else { return String::new() };
    let named = |from: &BTreeMap<String, String>| match rest {
        [Step::Key(name)] => from.get(&name.to_lowercase()).cloned().unwrap_or_default(),
        _ => String::new(),
    };
    match (head.as_str(), rest.is_empty()) {
        ("headers", false) => named(given.headers),
        ("query", false) => match rest {
            [Step::Key(name)] => given.query.get(name).cloned().unwrap_or_default(),
            _ => String::new(),
        },
        ("path", true) => given.path.to_owned(),
        ("now", true) => given.now.to_owned(),
        ("payload", _) => shown(walk(given.payload, rest)),
        ("item", _) if given.item.is_some() => shown(given.item.and_then(|(item, _)| walk(item, rest))),
        ("index", true) => given.item.map(|(_, at)| at.to_string()).unwrap_or_default(),
        _ => shown(walk(given.payload, &steps)),
    }
}

/// The list an expression names in a payload.
pub fn list<'v>(expression: &str, payload: &'v Value) -> Option<&'v Vec<Value>> {
    walk(payload, &in_payload(expression)?)?.as_array()
}

/// The payload with one thing in the place of the list.
pub fn replace_list(expression: &str, mut payload: Value, with: Vec<Value>) -> Value {
    if let Some(place) = in_payload(expression).and_then(|steps| walk_mut(&mut payload, &steps)) {
        *place = Value::Array(with);
    }
    payload
}

fn in_payload(expression: &str) -> Option<Vec<Step>> {
    let expression = expression.trim().trim_start_matches("{{").trim_end_matches("}}").trim();
    let mut steps = steps(expression)?;
    if steps.len() > 1 && steps.first() == Some(&Step::Key("payload".to_owned())) {
        steps.remove(0);
    }
    Some(steps)
}

/// Reads `a.b[0].c`; `None` when it is not that.
fn steps(expression: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in expression.split('.') {
        let (name, mut places) = match part.find('[') {
            Some(at) => part.split_at(at),
            None => (part, ""),
        };
        let name = name.trim();
        if !name.is_empty() {
            let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@');
            if !name.chars().all(plain) {
                return None;
            }
            steps.push(Step::Key(name.to_owned()));
        } else if places.is_empty() {
            return None;
        }
        while let Some(inner) = places.strip_prefix('[') {
            let (place, rest) = inner.split_once(']')?;
            let place = place.trim();
            let quoted = place.strip_prefix(['"', '\'']).and_then(|text| text.strip_suffix(['"', '\'']));
            steps.push(match quoted {
                Some(key) => Step::Key(key.to_owned()),
                None => Step::Index(place.parse().ok()?),
            });
            places = rest;
        }
        if !places.is_empty() {
            return None;
        }
    }
    (steps.len() <= MAX_STEPS).then_some(steps)
}

fn walk<'v>(value: &'v Value, steps: &[Step]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.as_object()?.get(key),
        Step::Index(at) => value.as_array()?.get(*at),
    })
}

fn walk_mut<'v>(value: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.as_object_mut()?.get_mut(key),
        Step::Index(at) => value.as_array_mut()?.get_mut(*at),
    })
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
