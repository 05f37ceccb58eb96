//! How shapes become types.

use serde_json::json;

use crate::text::{Names, expression};

#[test]
fn shapes_become_types() {
    let names = Names::from([("Old".to_owned(), "New".to_owned())]);
    let table = [
        (json!(true), "unknown"),
        (json!(false), "never"),
        (json!({"$ref": "#/$defs/Old"}), "New"),
        (json!({"$ref": "#/$defs/Other"}), "Other"),
        (json!({"const": "x"}), "\"x\""),
        (json!({"enum": ["a", null]}), "\"a\" | null"),
        (json!({"type": ["integer", "null"]}), "number | null"),
        (json!({"type": "array", "items": {"type": "string"}}), "Array<string>"),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}]}),
            "[string, boolean]",
        ),
        (json!({"type": "object", "additionalProperties": {"type": "number"}}), "Record<string, number>"),
        (json!({"type": "object", "additionalProperties": false}), "Record<string, never>"),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), "string | null"),
        (
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b-c": true}}),
            "{\n  \"a\": string;\n  \"b-c\"?: unknown;\n}",
        ),
    ];
    for (shape, expected) in table {
        assert_eq!(expression(&shape, &names), expected, "{shape}");
    }
}
