//! The `nodes` tool: what it asks and what it refuses.

use serde_json::{Value, json};

use super::{NodesInput, command, media};

fn asked(input: Value) -> Result<(String, Value), String> {
    let input: NodesInput = serde_json::from_value(input).unwrap();
    command(&input).map_err(|error| error.to_string())
}

#[test]
fn an_action_becomes_the_command_nodes_know() {
    for (input, expected) in [
        (json!({"action": "notify", "body": "tea"}), ("system.notify", json!({"body": "tea"}))),
        (json!({"action": "camera_list"}), ("camera.list", json!({}))),
        (
            json!({"action": "location_get", "desiredAccuracy": "coarse"}),
            ("location.get", json!({"desiredAccuracy": "coarse"})),
        ),
        (json!({"action": "invoke", "command": "device.info"}), ("device.info", json!({}))),
        (json!({"action": "invoke", "command": "a.b", "params": "{\"x\":1}"}), ("a.b", json!({"x": 1}))),
    ] {
        assert_eq!(asked(input.clone()), Ok((expected.0.to_owned(), expected.1)), "{input}");
    }
}

#[test]
fn what_is_missing_or_belongs_elsewhere_is_said() {
    for (input, words) in [
        (json!({"action": "notify"}), "title or body is needed"),
        (json!({"action": "invoke"}), "command is needed"),
        (json!({"action": "invoke", "command": ["ls"]}), "command is needed"),
        (json!({"action": "invoke", "command": "system.run"}), "use exec with host"),
        (json!({"action": "invoke", "command": " system.execApprovals.set"}), "not allowed: the rules"),
        (json!({"action": "invoke", "command": "a.b", "params": "{"}), "params is no JSON"),
    ] {
        let error = asked(input.clone()).unwrap_err();
        assert!(error.starts_with(words), "{input}: {error}");
    }
}

#[test]
fn a_file_is_named_by_what_it_is_and_never_by_what_a_node_would_like() {
    assert_eq!(media(&json!({"format": "JPG", "base64": "aGk="})), Ok((b"hi".to_vec(), "jpg".to_owned())));
    let odd = media(&json!({"format": "../../x", "base64": "aGk="})).unwrap();
    assert_eq!(odd.1, "bin");
    for broken in [json!({}), json!({"base64": 7}), json!({"base64": "?"}), json!(null)] {
        assert!(media(&broken).is_err(), "{broken}");
    }
}
