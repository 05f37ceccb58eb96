//! Patches.

use serde_json::{Value, json};

use super::merge_patch;

#[track_caller]
fn check(mut target: Value, patch: &Value, replace: &[&str], expected: &Value) {
    let replace: Vec<String> = replace.iter().map(|&p| p.to_owned()).collect();
    merge_patch(&mut target, patch, &replace);
    assert_eq!(target, *expected);
}

#[test]
fn patches_merge_delete_and_replace() {
    check(
        json!({"a": 1, "b": {"c": 1}}),
        &json!({"a": null, "b": {"d": 2}}),
        &[],
        &json!({"b": {"c": 1, "d": 2}}),
    );
    check(json!({"a": 1}), &json!({"a": {"b": 1, "c": null}}), &[], &json!({"a": {"b": 1}}));
    check(json!({"l": [1, 2]}), &json!({"l": [3]}), &[], &json!({"l": [3]}));
}

#[test]
fn lists_with_ids_merge_by_id_unless_told_otherwise() {
    let target = json!({"l": [{"id": "a", "x": 1}, {"id": "b"}]});
    let patch = json!({"l": [{"id": "a", "y": 2}, {"id": "c"}]});
    let merged = json!({"l": [{"id": "a", "x": 1, "y": 2}, {"id": "b"}, {"id": "c"}]});
    check(target.clone(), &patch, &[], &merged);
    check(target, &patch, &["l"], &patch);
}
