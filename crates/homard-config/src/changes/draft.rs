//! What the file is to become: changes, one after the other, applied to what is on disk. Nothing is written here.

use serde_json::{Map, Value};

use crate::changes::restore::restore;
use crate::changes::write::WriteError;
use crate::load::Snapshot;
use crate::syntax::document;
use crate::syntax::merge_patch::merge_patch;
use crate::syntax::splice::rewrite;
use crate::syntax::substitute::expand;
use crate::syntax::value_path::ValuePath;

/// One change of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    Set {
        path: String,
        value: Value,
    },
    /// Puts an object's keys into the object that is there; `null` takes one out.
    Merge {
        path: String,
        value: Value,
    },
    Unset {
        path: String,
    },
    /// A JSON merge patch of the whole: `null` deletes, lists of objects with ids merge by id unless their place is
    /// among `replace_paths`.
    Patch {
        patch: Value,
        replace_paths: Vec<String>,
    },
    /// Changes nothing, and fails where the place holds something else; `None` wants nothing there.
    Expect {
        path: String,
        value: Option<Value>,
    },
}

impl Edit {
    /// Sets one place.
    #[must_use]
    pub fn set(path: &str, value: Value) -> Self {
        Self::Set { path: path.to_owned(), value }
    }

    /// Takes one place out.
    #[must_use]
    pub fn unset(path: &str) -> Self {
        Self::Unset { path: path.to_owned() }
    }
}

/// A new text, and what must be true of it once it is resolved.
pub(crate) struct Draft {
    pub(crate) text: String,
    /// Places and the values they must resolve to; `None` for a place that must be gone.
    pub(crate) promises: Vec<(ValuePath, Option<Value>)>,
}

impl Draft {
    /// The file after these changes, in their order.
    pub(crate) fn of(before: &Snapshot, edits: &[Edit]) -> Result<Self, WriteError> {
        let mut new = readable(before)?.clone();
        let mut places = Vec::new();
        for edit in edits {
            match edit {
                Edit::Set { path, value } => places.push(set(&mut new, path, value.clone())?),
                Edit::Merge { path, value } => {
                    let place = ValuePath::parse(path)?;
                    let mut merged = place.get(&new).cloned().unwrap_or_else(|| Value::Object(Map::new()));
                    merge_patch(&mut merged, value, &[]);
                    places.push(set(&mut new, path, merged)?);
                }
                Edit::Unset { path } => places.extend(unset(before, &mut new, path)?),
                Edit::Patch { patch, replace_paths } => merge_patch(&mut new, patch, replace_paths),
                Edit::Expect { path, value } => {
                    let found = ValuePath::parse(path)?.get(&new).cloned();
                    if found != *value {
                        return Err(WriteError::NotAsExpected(path.clone()));
                    }
                }
            }
        }
        restore(&mut new, &before.parsed, &before.environment)?;
        let promise = |place: ValuePath| {
            let wanted = place.get(&new).map(|value| expanded(value, before));
            (place, wanted)
        };
        Ok(Self { text: rewrite(text_of(before), &new), promises: places.into_iter().map(promise).collect() })
    }

    /// The file without these places, whatever else is wrong with it.
    pub(crate) fn without(before: &Snapshot, paths: &[String]) -> Result<Self, WriteError> {
        let mut new = readable(before)?.clone();
        // From the back, so that what is taken out of a list does not move what is still to go.
        for path in paths.iter().rev() {
            if ValuePath::parse(path)?.remove(&mut new).is_none() {
                return Err(WriteError::NotSet(path.clone()));
            }
        }
        Ok(Self { text: rewrite(text_of(before), &new), promises: Vec::new() })
    }

    /// Another text altogether.
    pub(crate) fn replace(before: &Snapshot, raw: &str) -> Result<Self, WriteError> {
        let mut new = read_object(raw)?;
        restore(&mut new, &before.parsed, &before.environment)?;
        Ok(Self { text: rewrite(raw, &new), promises: Vec::new() })
    }
}

fn set(new: &mut Value, path: &str, value: Value) -> Result<ValuePath, WriteError> {
    let place = ValuePath::parse(path)?;
    if place.set(new, value) { Ok(place) } else { Err(WriteError::InTheWay(path.to_owned())) }
}

/// Takes a place out; what can be promised about it afterwards.
fn unset(before: &Snapshot, new: &mut Value, path: &str) -> Result<Option<ValuePath>, WriteError> {
    let place = ValuePath::parse(path)?;
    if place.remove(new).is_none() {
        let included = place.get(&before.resolved).is_some();
        let path = path.to_owned();
        return Err(if included { WriteError::InIncludedFile(path) } else { WriteError::NotSet(path) });
    }
    // Taking an element out of a list moves the others; then nothing can be promised about the place.
    let in_list =
        path.ends_with(']') || path.rsplit('.').next().is_some_and(|last| last.parse::<usize>().is_ok());
    Ok((!in_list).then_some(place))
}

/// Reads a text that must be one object, as the file is written.
///
/// # Errors
/// When it is something else.
pub fn read_object(raw: &str) -> Result<Value, WriteError> {
    let value = document::parse(raw).map_err(|e| WriteError::Syntax(e.to_string()))?.to_value();
    if value.is_object() {
        Ok(value)
    } else {
        Err(WriteError::Syntax("expected one object { … }".to_owned()))
    }
}

/// The value on disk, when there is one to change.
fn readable(before: &Snapshot) -> Result<&Value, WriteError> {
    let broken = before.exists
        && before.raw.as_deref().is_none_or(|raw| !raw.trim().is_empty() && read_object(raw).is_err());
    if broken { Err(WriteError::BrokenOnDisk(before.issues.clone())) } else { Ok(&before.parsed) }
}

fn text_of(before: &Snapshot) -> &str {
    before.raw.as_deref().filter(|raw| !raw.trim().is_empty()).unwrap_or("{}\n")
}

fn expanded(value: &Value, before: &Snapshot) -> Value {
    match value {
        Value::String(text) => Value::String(expand(text, &before.environment).0),
        Value::Array(items) => Value::Array(items.iter().map(|v| expanded(v, before)).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(k, v)| (k.clone(), expanded(v, before))).collect())
        }
        other => other.clone(),
    }
}
