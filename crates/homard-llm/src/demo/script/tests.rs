//! The demo's moves, as a table of conversations.

use std::sync::Arc;

use homard_protocol::Message;
use homard_runtime::Clock;
use proptest::prelude::{any, proptest};
use serde_json::{Value, json};

use super::{ScriptStep, next};
use crate::call::request::{Request, ThinkingLevel, ToolSpec};
use crate::demo::Demo;

fn ask(messages: Vec<Value>, tools: &[&str]) -> ScriptStep {
    let tool = |name: &&str| ToolSpec {
        name: (*name).to_owned(),
        description: String::new(),
        parameters: json!({}).into(),
    };
    let request = Request {
        model: Demo::new(Clock::fixed(0)).model(),
        system: Arc::from(""),
        messages: messages
            .into_iter()
            .map(|m| Arc::new(serde_json::from_value::<Message>(m).unwrap()))
            .collect(),
        tools: tools.iter().map(tool).collect(),
        max_tokens: None,
        sampling: crate::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        program_dir: None,
    };
    next(&request, "2026-02-17")
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text, "timestamp": 1})
}

fn result(tool: &str, text: &str, is_error: bool) -> Value {
    json!({"role": "toolResult", "toolCallId": "c", "toolName": tool, "isError": is_error,
           "content": [{"type": "text", "text": text}], "timestamp": 1})
}

const ALL: &[&str] = &["edit", "exec", "read", "write"];

#[test]
fn requests_become_tool_calls() {
    let rows = [
        ("list the files here", "exec", json!({"command": "ls -la"})),
        ("run `date`", "exec", json!({"command": "date"})),
        ("read notes.txt", "read", json!({"path": "notes.txt"})),
        ("what do you remember?", "read", json!({"path": "MEMORY.md"})),
        ("remember that I like tea", "read", json!({"path": "MEMORY.md"})),
    ];
    for (text, name, arguments) in rows {
        let call = ask(vec![user(text)], ALL).call.unwrap();
        assert_eq!((call.name, call.arguments), (name, arguments));
    }
}

#[test]
fn tools_that_are_not_offered_are_not_called() {
    for text in ["list the files", "run `date`", "read a.txt", "what do you remember", "remember that x"] {
        let step = ask(vec![user(text)], &["edit"]);
        assert_eq!(step.call, None, "{text}");
        assert!(step.text.contains("tool"), "{}", step.text);
    }
}

#[test]
fn a_fact_is_added_below_the_earlier_ones() {
    let rows = [
        (
            result("read", "# Memory\n\n- 2026-01-01: I like tea\n", false),
            "# Memory\n\n- 2026-01-01: I like tea\n- 2026-02-17: x\n",
        ),
        (result("read", "`MEMORY.md` does not exist", true), "# Memory\n- 2026-02-17: x\n"),
    ];
    for (read, content) in rows {
        let call = ask(vec![user("remember that x"), read], ALL).call.unwrap();
        assert_eq!((call.name, call.arguments), ("write", json!({"path": "MEMORY.md", "content": content})));
    }
}

#[test]
fn a_memory_that_was_not_read_whole_is_not_overwritten() {
    let long = "- a fact\n".repeat(5_000);
    for read in [result("read", &long, false), result("read", "permission denied", true)] {
        assert_eq!(ask(vec![user("remember that x"), read], ALL).call, None);
    }
}

#[test]
fn results_are_put_into_words() {
    let listing = ask(vec![user("list the files"), result("exec", "total 0\n-rw a.txt", false)], ALL);
    assert!(listing.call.is_none() && listing.text.contains("-rw a.txt"), "{}", listing.text);
    let failed = ask(vec![user("run `nope`"), result("exec", "nope: not found", true)], ALL);
    assert!(failed.text.contains("nope: not found"), "{}", failed.text);
    let done = ask(
        vec![user("remember that x"), result("read", "missing", true), result("write", "ok", false)],
        ALL,
    );
    assert!(done.call.is_none() && done.text.contains('x'), "{}", done.text);
}

#[test]
fn every_answer_that_is_no_tool_says_it_is_a_demo() {
    for text in ["hello", "what can you do", "why is the sky blue"] {
        assert!(ask(vec![user(text)], ALL).text.to_lowercase().contains("demo"), "{text}");
    }
}

proptest! {
    #[test]
    fn no_conversation_makes_it_panic(text in any::<String>(), answer in any::<String>(), failed in any::<bool>()) {
        drop(ask(vec![user(&text), result("read", &answer, failed)], ALL));
        drop(ask(vec![user(&format!("remember that {text}")), result("read", &answer, failed)], ALL));
        drop(ask(vec![result("exec", &answer, failed)], ALL));
    }
}

#[test]
fn the_time_in_front_of_a_message_is_not_repeated() {
    let asked = json!({"role": "user", "content": "[Sun 2026-11-15 22:54 UTC] sing to me", "timestamp": 1});
    let ScriptStep { text, .. } = ask(vec![asked], &[]);
    assert!(text.contains("sing to me") && !text.contains("22:54"), "{text}");
}
