//! Places inside a configuration value: `agents.list[0].model`.
//!
//! One spelling for messages, for `config set` and for reload rules. A key with a dot in it is written
//! `providers["a.b"]`.

use std::fmt;

use homard_runtime::Clip;
use serde_json::{Map, Value};

/// Longest path accepted from outside, in bytes.
const MAX_PATH_LEN: usize = 1_024;

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep {
    Key(String),
    Index(usize),
}

/// A place inside a value; empty is the value itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ValuePath(Vec<PathStep>);

/// Why a text is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a configuration path; write it like `gateway.port` or `agents.list[0].name`")]
pub struct PathSyntaxError {
    /// What was given, shortened.
    text: String,
}

impl ValuePath {
    /// Reads a path.
    pub(crate) fn parse(text: &str) -> Result<Self, PathSyntaxError> {
        let bad = || PathSyntaxError { text: text.clip_chars(80).to_owned() };
        if text.is_empty() || text.len() > MAX_PATH_LEN {
            return Err(bad());
        }
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let (step, after) = bracket(inner).ok_or_else(bad)?;
                steps.push(step);
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let (key, after) = rest.split_at(end);
                if key.is_empty() {
                    return Err(bad());
                }
                steps.push(PathStep::Key(key.to_owned()));
                rest = after;
            }
            if let Some(after) = rest.strip_prefix('.') {
                if after.is_empty() || after.starts_with('[') {
                    return Err(bad());
                }
                rest = after;
            } else if !rest.is_empty() && !rest.starts_with('[') {
                return Err(bad());
            }
        }
        Ok(Self(steps))
    }

    pub(crate) fn key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(PathStep::Key(key.to_owned()));
        Self(steps)
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(PathStep::Index(index));
        Self(steps)
    }

    /// The steps, outermost first.
    pub(crate) fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// The value at this place.
    pub(crate) fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |value, step| match (step, value) {
            (PathStep::Key(key), Value::Object(map)) => map.get(key),
            (PathStep::Key(key), Value::Array(items)) => items.get(key.parse::<usize>().ok()?),
            (PathStep::Index(index), Value::Array(items)) => items.get(*index),
            _ => None,
        })
    }

    /// Puts a value at this place, making objects on the way. `false` when something else is in the way.
    pub(crate) fn set(&self, root: &mut Value, new: Value) -> bool {
        let mut at = root;
        for step in &self.0 {
            if at.is_null() {
                *at = Value::Object(Map::new());
            }
            let next = match (step, at) {
                (PathStep::Key(key), Value::Object(map)) => {
                    Some(map.entry(key.clone()).or_insert(Value::Null))
                }
                (PathStep::Key(key), Value::Array(items)) => key.parse().ok().and_then(|i| element(items, i)),
                (PathStep::Index(index), Value::Array(items)) => element(items, *index),
                _ => None,
            };
            let Some(next) = next else { return false };
            at = next;
        }
        *at = new;
        true
    }

    /// Takes the value at this place out. `None` when there was none.
    pub(crate) fn remove(&self, root: &mut Value) -> Option<Value> {
        let (last, parents) = self.0.split_last()?;
        let parent = parents.iter().try_fold(root, |value, step| match (step, value) {
            (PathStep::Key(key), Value::Object(map)) => map.get_mut(key),
            (PathStep::Key(key), Value::Array(items)) => items.get_mut(key.parse::<usize>().ok()?),
            (PathStep::Index(index), Value::Array(items)) => items.get_mut(*index),
            _ => None,
        })?;
        match (last, parent) {
            (PathStep::Key(key), Value::Object(map)) => map.shift_remove(key),
            (PathStep::Key(key), Value::Array(items)) => take_element(items, key.parse().ok()?),
            (PathStep::Index(index), Value::Array(items)) => take_element(items, *index),
            _ => None,
        }
    }
}

fn element(items: &mut Vec<Value>, index: usize) -> Option<&mut Value> {
    if index == items.len() {
        items.push(Value::Null);
    }
    items.get_mut(index)
}

fn take_element(items: &mut Vec<Value>, index: usize) -> Option<Value> {
    (index < items.len()).then(|| items.remove(index))
}

fn bracket(inner: &str) -> Option<(PathStep, &str)> {
    if let Some(quote) = inner.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let (key, after) = inner.get(1..)?.split_once(quote)?;
        return Some((PathStep::Key(key.to_owned()), after.strip_prefix(']')?));
    }
    let (index, after) = inner.split_once(']')?;
    Some((PathStep::Index(index.parse().ok()?), after))
}

impl fmt::Display for ValuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Key(key) if key.is_empty() || key.contains(['.', '[', ']', '"']) => {
                    write!(f, "[\"{key}\"]")?;
                }
                PathStep::Key(key) if at == 0 => f.write_str(key)?,
                PathStep::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// Places where two values differ: the smallest objects' keys, arrays as a whole.
pub(crate) fn changed_paths(old: &Value, new: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(&ValuePath::default(), old, new, &mut found);
    found
}

fn collect(path: &ValuePath, old: &Value, new: &Value, found: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                collect(&path.key(key), value, b.get(key).unwrap_or(&Value::Null), found);
            }
            for (key, value) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
                collect(&path.key(key), &Value::Null, value, found);
            }
        }
        (Value::Null, Value::Object(b)) if !b.is_empty() => {
            for (key, value) in b {
                collect(&path.key(key), &Value::Null, value, found);
            }
        }
        (Value::Object(a), Value::Null) if !a.is_empty() => {
            for (key, value) in a {
                collect(&path.key(key), value, &Value::Null, found);
            }
        }
        _ if old == new => {}
        _ => found.push(path.to_string()),
    }
}

#[cfg(test)]
mod tests;
