//! Calls that models write as text are found; texts that only look like one are left alone.

use proptest::prelude::{any, prop_assert, proptest};
use serde_json::json;

use super::written_calls;
use crate::call::request::ToolSpec;

fn offered() -> Vec<ToolSpec> {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({}).into(),
    };
    vec![tool("read"), tool("exec")]
}

/// The calls in short words, and what is left.
fn found(text: &str) -> Option<(String, String)> {
    let (calls, left) = written_calls(text, &offered())?;
    let told: Vec<String> = calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
    Some((told.join("; "), left))
}

#[test]
fn calls_written_as_text_are_found() {
    let rows = [
        (
            r#"<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>"#,
            r#"read {"path":"a"}"#,
            "",
        ),
        (
            "Let me look.\n<tool_call>\n{\"name\": \"read\", \"arguments\": {}}\n</tool_call>\n<tool_call>{\"name\":\"exec\",\"parameters\":{\"command\":\"ls\"}}</tool_call>",
            r#"read {}; exec {"command":"ls"}"#,
            "Let me look.",
        ),
        ("<tool_call>{\"name\":\"read\",\"arguments\":\"{\\\"path\\\":1}\"}", r#"read {"path":1}"#, ""),
        (
            "```json\n{\"name\": \"exec\", \"arguments\": {\"command\": \"ls\"}}\n```",
            r#"exec {"command":"ls"}"#,
            "",
        ),
        (r#"{"function": {"name": "read", "arguments": {}}}"#, "read {}", ""),
        (r#"[{"name": "read", "arguments": {}}, {"name": "exec", "args": {}}]"#, "read {}; exec {}", ""),
    ];
    for (text, calls, left) in rows {
        assert_eq!(found(text), Some((calls.to_owned(), left.to_owned())), "{text}");
    }
}

#[test]
fn what_is_no_call_stays_text() {
    let rows = [
        "",
        "hello",
        r#"{"answer": 42}"#,
        r#"{"name": "format_disk", "arguments": {}}"#,
        r#"<tool_call>{"name": "format_disk", "arguments": {}}</tool_call>"#,
        r#"{"name": "read", "arguments": [1]}"#,
        r#"{"name": "read"}"#,
        "A call looks like this:\n```json\n{\"name\": \"read\", \"arguments\": {}}\n```",
        "<tool_call>{half",
    ];
    for text in rows {
        assert_eq!(found(text), None, "{text}");
    }
    assert_eq!(written_calls(r#"{"name": "read", "arguments": {}}"#, &[]), None, "nothing was offered");
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>(), inside in any::<String>()) {
        let marked = format!("{text}<tool_call>{inside}</tool_call>```{text}");
        for text in [&text, &marked] {
            if let Some((calls, _)) = written_calls(text, &offered()) {
                prop_assert!(calls.iter().all(|call| ["read", "exec"].contains(&call.name.as_str())));
            }
        }
    }
}
