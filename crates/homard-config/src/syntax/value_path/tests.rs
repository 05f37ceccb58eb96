//! Paths read, write and print the same.

use serde_json::json;

use super::{ValuePath, changed_paths};

#[test]
fn paths_print_as_they_are_read() {
    for text in ["gateway.port", "agents.list[0].model", "models.providers[\"a.b\"].models[2]", "a[1][2]"] {
        assert_eq!(ValuePath::parse(text).unwrap().to_string(), text);
    }
    for text in ["", ".", "a.", "a..b", "a[", "a[x]", "a[0]b", "[\"a]", "a.[0]"] {
        assert!(ValuePath::parse(text).is_err(), "{text}");
    }
    assert!(ValuePath::parse(&"a".repeat(2_000)).is_err());
}

#[test]
fn setting_makes_objects_on_the_way_and_removing_takes_one_value_out() {
    let mut value = json!({ "list": [1, 2] });
    let set = |value: &mut _, path: &str, new| ValuePath::parse(path).unwrap().set(value, new);
    assert!(set(&mut value, "a.b.c", json!(1)));
    assert!(set(&mut value, "list[2]", json!(3)));
    assert!(set(&mut value, "list.0", json!(0)));
    assert!(!set(&mut value, "list[9]", json!(9)));
    assert!(!set(&mut value, "a.b.c.d", json!(9)));
    assert_eq!(value, json!({ "list": [0, 2, 3], "a": { "b": { "c": 1 } } }));
    assert_eq!(ValuePath::parse("list[1]").unwrap().remove(&mut value), Some(json!(2)));
    assert_eq!(ValuePath::parse("a.b.c").unwrap().remove(&mut value), Some(json!(1)));
    assert_eq!(ValuePath::parse("a.x.c").unwrap().remove(&mut value), None);
    assert_eq!(value, json!({ "list": [0, 3], "a": { "b": {} } }));
}

#[test]
fn differences_are_named_by_their_smallest_place() {
    let old = json!({ "a": { "b": 1, "c": 2 }, "l": [1], "gone": { "x": 1 } });
    let new = json!({ "a": { "b": 1, "c": 3 }, "l": [1, 2], "new": { "y": { "z": 1 } } });
    assert_eq!(changed_paths(&old, &new), ["a.c", "l", "gone.x", "new.y.z"]);
    assert_eq!(changed_paths(&old, &old), [""; 0]);
}
