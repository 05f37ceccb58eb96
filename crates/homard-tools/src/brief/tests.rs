//! Tools that explain themselves only when asked.

use serde_json::json;

use super::{asks_for_help, asks_nothing};
use crate::tool::ToolSpec;

fn spec(description: &str) -> ToolSpec {
    ToolSpec {
        name: "t".to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        parallel: true,
    }
}

#[test]
fn in_brief_a_tool_is_its_first_sentence_and_open_arguments() {
    let full = spec("Do e.g.this. And more.");
    let brief = full.in_brief();
    assert_eq!(brief.description, "Do e.g.this.");
    assert!(brief.is_brief() && !full.is_brief());
    assert_eq!((brief.name, brief.parallel), (full.name, full.parallel));
    let none = ToolSpec { parameters: json!({"type": "object", "properties": {}}), ..spec("x") };
    assert!(!none.is_brief(), "a tool without arguments has nothing to explain");
}

#[test]
fn a_question_is_told_from_a_call() {
    for (arguments, helps, nothing) in [
        (json!({"help": true}), true, false),
        (json!({"help": false}), false, false),
        (json!({"help": true, "a": 1}), false, false),
        (json!({}), false, true),
        (json!(null), false, true),
        (json!([]), false, false),
    ] {
        assert_eq!((asks_for_help(&arguments), asks_nothing(&arguments)), (helps, nothing), "{arguments}");
    }
}
