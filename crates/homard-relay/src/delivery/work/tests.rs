//! What is shown of tools and of what an answer cost.

use homard_agent::Step;
use homard_policy::words::Verbosity;
use homard_protocol::{Cost, SessionKey, ToolCall, ToolCallId, ToolResultMessage, Usage, UserBlock};
use serde_json::json;

use super::{ResponseUsage, ShownWork, Work};

fn told(tools: Verbosity, output: &str, is_error: bool) -> Vec<String> {
    let work = Work::default();
    work.show(ShownWork { tools, usage: ResponseUsage::Off });
    let call = ToolCall {
        id: ToolCallId::parse("c1").unwrap(),
        name: "exec".to_owned(),
        arguments: json!({"command": "ls\n-la", "workdir": "x"}),
        thought_signature: None,
    };
    let result = ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: vec![UserBlock::Text { text: output.to_owned() }],
        details: None,
        is_error,
        timestamp: 0,
    };
    work.step(&Step::ToolStart(&call));
    work.step(&Step::ToolEnd { call: &call, result: &result });
    let lines = work.unsaid();
    assert!(work.unsaid().is_empty());
    lines
}

#[test]
fn tools_are_told_as_far_as_the_conversation_wants_to_know() {
    assert!(told(Verbosity::Off, "a.txt", true).is_empty());
    assert_eq!(told(Verbosity::On, "a.txt", false), ["🛠️ exec: ls -la"]);
    assert_eq!(
        told(Verbosity::On, "no such file", true),
        ["🛠️ exec: ls -la", "⚠️ exec failed: no such file"]
    );
    let full = told(Verbosity::Full, "a.txt\n```\nb", false);
    assert_eq!(full, ["🛠️ exec: ls -la", "🛠️ exec\n```\na.txt\n'''\nb\n```"]);
    let long = told(Verbosity::Full, &"x".repeat(20_000), false);
    assert!(long[1].chars().count() < 8_100, "{}", long[1].len());
    let failed = told(Verbosity::Full, &"x".repeat(20_000), true);
    assert!(failed[1].chars().count() < 450, "{}", failed[1].len());
}

#[test]
fn the_line_below_an_answer_says_what_was_asked_for() {
    let key = SessionKey::parse("agent:main:main").unwrap();
    let usage = Usage {
        input: 1_234,
        output: 56,
        cost: Cost { total: 0.0123, ..Cost::default() },
        ..Usage::default()
    };
    let line = |line, usage: &Usage| {
        let work = Work::default();
        work.show(ShownWork { tools: Verbosity::Off, usage: line });
        work.usage_line(usage, &key)
    };
    assert_eq!(line(ResponseUsage::Off, &usage), None);
    assert_eq!(line(ResponseUsage::Tokens, &usage).as_deref(), Some("Usage: 1.2k in / 56 out"));
    let full = "Usage: 1.2k in / 56 out · est $0.0123 · session agent:main:main";
    assert_eq!(line(ResponseUsage::Full, &usage).as_deref(), Some(full));
    let unpriced = Usage { cost: Cost::default(), ..usage };
    let full = "Usage: 1.2k in / 56 out · session agent:main:main";
    assert_eq!(line(ResponseUsage::Full, &unpriced).as_deref(), Some(full));
}
