//! Putting back what clients cannot send: secrets they were shown as sentinels, and references they were
//! shown resolved.

use serde_json::Value;

use crate::env::Environment;
use crate::secret::REDACTED;
use crate::syntax::substitute::resolves_to;
use crate::syntax::value_path::ValuePath;

/// A sentinel stands where there is no secret on disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` holds the placeholder for a hidden value, but there is no value on disk to keep")]
pub struct NothingToRestore {
    pub path: String,
}

/// Replaces sentinels in `new` by what stands at the same place of `old`, and resolved texts by the reference
/// they were written as.
pub(crate) fn restore(new: &mut Value, old: &Value, env: &Environment) -> Result<(), NothingToRestore> {
    walk(new, Some(old), env, &ValuePath::default())
}

fn walk(
    new: &mut Value,
    old: Option<&Value>,
    env: &Environment,
    path: &ValuePath,
) -> Result<(), NothingToRestore> {
    match new {
        Value::String(text) if text == REDACTED => match old {
            Some(old) if !old.is_null() && old != REDACTED => {
                *new = old.clone();
                Ok(())
            }
            _ => Err(NothingToRestore { path: path.to_string() }),
        },
        Value::String(_) => {
            if let Some(old) = old.filter(|old| resolves_to(old, new, env)) {
                *new = old.clone();
            }
            Ok(())
        }
        Value::Object(map) => map
            .iter_mut()
            .try_for_each(|(key, value)| walk(value, old.and_then(|o| o.get(key)), env, &path.key(key))),
        Value::Array(items) => {
            let before = old.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            items.iter_mut().enumerate().try_for_each(|(at, item)| {
                let old = same_element(item, at, before);
                walk(item, old, env, &path.index(at))
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// The element that was there before: the one with the same id where there are ids, else the same position.
fn same_element<'v>(item: &Value, at: usize, before: &'v [Value]) -> Option<&'v Value> {
    match item.get("id") {
        Some(id) => before.iter().find(|old| old.get("id") == Some(id)),
        None => before.get(at),
    }
}
