//! The JSON of steps, as programs read it.

use serde_json::{Value, json};

use super::{AgentData, AgentStream, CompactionPhase, RunPhase, TerminalReply, ToolItem, ToolPhase};
use crate::id::{RunId, ToolCallId};

fn shown(data: &AgentData) -> (Value, Value) {
    (json!(data.stream()), serde_json::to_value(data).unwrap())
}

#[test]
fn the_life_of_a_run() {
    let told = |phase| shown(&AgentData::Lifecycle(phase)).1;
    assert_eq!(told(RunPhase::Start { started_at: 5 }), json!({"phase": "start", "startedAt": 5}));
    let steered = RunPhase::Steered { steered_run_id: RunId::parse("r2").unwrap() };
    assert_eq!(told(steered), json!({"phase": "steered", "steeredRunId": "r2"}));
    let fallback = RunPhase::Fallback(json!({"provider": "p", "tookMs": 3}));
    assert_eq!(told(fallback), json!({"phase": "fallback", "provider": "p", "tookMs": 3}));
    let end = RunPhase::End {
        started_at: 1,
        ended_at: 2,
        stop_reason: "stop".into(),
        aborted: false,
        terminal_reply: TerminalReply::Visible { text: "hi".into() },
    };
    assert_eq!(
        told(end),
        json!({"phase": "end", "startedAt": 1, "endedAt": 2, "stopReason": "stop", "aborted": false,
            "terminalReply": {"disposition": "visible", "text": "hi"}})
    );
    assert_eq!(json!(TerminalReply::Silent), json!({"disposition": "silent"}));
}

#[test]
fn words_tokens_and_summaries() {
    let assistant = AgentData::Assistant { text: "a b".into(), delta: "b".into(), item_id: "r:1".into() };
    assert_eq!(
        shown(&assistant),
        (json!("assistant"), json!({"text": "a b", "delta": "b", "itemId": "r:1"}))
    );
    assert_eq!(shown(&AgentData::Usage { output_tokens: 7 }), (json!("usage"), json!({"outputTokens": 7})));
    let status = AgentData::RunStatus { phase: "starting_model" };
    assert_eq!(shown(&status), (json!("run_status"), json!({"phase": "starting_model"})));
    let flush = AgentData::Compaction(CompactionPhase::MemoryFlush { status: "start" });
    assert_eq!(shown(&flush), (json!("compaction"), json!({"phase": "memory-flush", "status": "start"})));
}

#[test]
fn calls_of_tools() {
    let call = ToolCallId::parse("c1").unwrap();
    let start =
        ToolPhase::Start { name: "read".into(), tool_call_id: call.clone(), args: json!({"path": "a"}) };
    assert_eq!(
        shown(&AgentData::Tool(start)),
        (json!("tool"), json!({"phase": "start", "name": "read", "toolCallId": "c1", "args": {"path": "a"}}))
    );
    let item = ToolItem {
        item_id: "tool:c1".into(),
        tool_call_id: call,
        name: "read".into(),
        kind: "tool",
        phase: "end",
        title: "read".into(),
        status: "completed",
        started_at: None,
        ended_at: Some(9),
    };
    let data = AgentData::Item(item);
    assert!(data.stream() == AgentStream::Item && data.stream().needs_tool_cap());
    assert_eq!(
        serde_json::to_value(data).unwrap(),
        json!({"itemId": "tool:c1", "toolCallId": "c1", "name": "read", "kind": "tool", "phase": "end",
            "title": "read", "status": "completed", "endedAt": 9})
    );
}
