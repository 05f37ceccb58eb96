//! What forms ask, and what they make of answers.

use serde_json::{Value, json};

use super::{FieldKind, FormField, fields};

fn schema() -> Value {
    let secret = json!({"anyOf": [{"x-secret": true, "anyOf": [{"type": "string"}]}, {"type": "null"}], "x-form": {
        "needed": true, "pattern": r"^\d+:\w+$", "problem": "No token.", "instead": ["tokenFile"],
    }});
    let account = json!({"anyOf": [{"type": "object", "properties": {
        "enabled": {"type": "boolean"},
        "user": {"type": "string", "x-form": {}},
    }}, {"type": "null"}], "title": "Account", "x-form": {}});
    json!({"properties": {
        "botToken": secret,
        "tokenFile": {"type": ["string", "null"]},
        "port": {"type": ["integer", "null"], "minimum": 1, "maximum": 9, "x-form": {"problem": "No port."}},
        "tls": {"type": "boolean", "x-form": {"initial": true}},
        "rooms": {"type": "array", "items": {"type": "string"}, "x-form": {"pattern": "^#"}},
        "mode": {"enum": ["slow", "fast"], "x-form": {"more": true}},
        "account": account,
    }})
}

fn field(key: &str) -> FormField {
    fields(&schema(), None).into_iter().find(|field| field.key == key).unwrap()
}

#[test]
fn whatever_has_a_hint_is_asked_in_its_order() {
    let asked: Vec<_> =
        fields(&schema(), None).into_iter().map(|field| (field.key, field.label, field.kind)).collect();
    let row = |key: &str, label: &str, kind| (key.to_owned(), label.to_owned(), kind);
    let expected = [
        row("botToken", "Bot token", FieldKind::Secret),
        row("port", "Port", FieldKind::Number { min: Some(1), max: Some(9) }),
        row("tls", "Tls", FieldKind::Switch),
        row("rooms", "Rooms", FieldKind::List),
        row("mode", "Mode", FieldKind::Select(vec!["slow".to_owned(), "fast".to_owned()])),
        row("account", "Account", FieldKind::Group),
        row("account.user", "User", FieldKind::Text),
    ];
    assert_eq!(asked, expected);
}

#[test]
fn answers_are_read_as_the_schema_wants_them() {
    let rows = [
        ("botToken", " 1:a ", Ok(Some(json!("1:a")))),
        ("botToken", "", Ok(None)),
        ("botToken", "${TOKEN}", Ok(Some(json!("${TOKEN}")))),
        ("botToken", "wrong", Err("No token.")),
        ("port", "7", Ok(Some(json!(7)))),
        ("port", "10", Err("No port.")),
        ("port", "x", Err("No port.")),
        ("rooms", "#a, #b", Ok(Some(json!(["#a", "#b"])))),
        ("rooms", "#a, b", Err("\u{201c}b\u{201d}: This does not look right.")),
        ("mode", "fast", Ok(Some(json!("fast")))),
        ("mode", "odd", Err("This does not look right.")),
        ("tls", "true", Ok(Some(json!(true)))),
    ];
    for (key, text, expected) in rows {
        assert_eq!(field(key).read(text), expected.map_err(str::to_owned), "{key} {text}");
    }
}

#[test]
fn a_value_is_found_and_put_where_it_belongs() {
    let mut section = json!({"tokenFile": "/t"}).as_object().cloned().unwrap();
    assert!(field("botToken").is_held(&section), "another key holds it");
    assert!(!field("account.user").is_held(&section));
    field("account.user").put(&mut section, json!("mia"));
    assert_eq!(field("account.user").written(&section), Some(&json!("mia")));
    assert_eq!(Value::Object(section), json!({"tokenFile": "/t", "account": {"user": "mia"}}));
}
