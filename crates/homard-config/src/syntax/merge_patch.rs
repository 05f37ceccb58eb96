//! JSON merge patches, with one addition: lists of objects with ids merge by id.

use serde_json::{Map, Value};

use crate::syntax::value_path::ValuePath;

/// Applies a patch: null deletes, objects merge, lists with ids merge by id unless their place is listed.
pub(crate) fn merge_patch(target: &mut Value, patch: &Value, replace_paths: &[String]) {
    walk(target, patch, replace_paths, &ValuePath::default());
}

fn walk(target: &mut Value, patch: &Value, replace_paths: &[String], path: &ValuePath) {
    match (target, patch) {
        (target, Value::Object(members)) => {
            if !target.is_object() {
                *target = Value::Object(Map::new());
            }
            let Some(map) = target.as_object_mut() else { return };
            for (key, value) in members {
                if value.is_null() {
                    map.shift_remove(key);
                } else {
                    walk(map.entry(key.clone()).or_insert(Value::Null), value, replace_paths, &path.key(key));
                }
            }
        }
        (Value::Array(items), Value::Array(patches))
            if have_ids(items) && have_ids(patches) && !replace_paths.contains(&path.to_string()) =>
        {
            for patch in patches {
                match items.iter().position(|item| item.get("id") == patch.get("id")) {
                    Some(at) => {
                        if let Some(item) = items.get_mut(at) {
                            walk(item, patch, replace_paths, &path.index(at));
                        }
                    }
                    None => items.push(patch.clone()),
                }
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}

fn have_ids(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(|item| item.get("id").is_some_and(Value::is_string))
}

#[cfg(test)]
mod tests;
