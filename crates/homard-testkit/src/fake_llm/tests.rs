//! Small facts about the fake; whole conversations with it are in the tests of `homard-llm`.

use serde_json::json;

use super::dialect::pieces;
use super::incoming::{OpenTurn, Outline, control, tool_control};

fn open_turn(body: &serde_json::Value) -> OpenTurn {
    let text = body.to_string();
    serde_json::from_str::<Outline<'_>>(&text).unwrap().open_turn()
}

#[test]
fn the_open_turn_ends_at_the_last_plain_answer() {
    let turn = open_turn(&json!({"model": "m", "messages": [
        {"role": "user", "content": "old"}, {"role": "assistant", "content": "done"},
        {"role": "user", "content": [{"type": "text", "text": "new"}]},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "r"}]}));
    assert_eq!(
        (turn.text.as_str(), turn.has_result, turn.last_role.as_str(), turn.messages),
        ("new", true, "tool", 5)
    );
    let turn = open_turn(
        &json!({"messages": [{"role": "assistant", "content": "done"}, {"role": "user", "content": "x"}]}),
    );
    assert_eq!((turn.text.as_str(), turn.has_result), ("x", false));
}

#[test]
fn controls_are_found_in_the_text() {
    let text = "go [[chunks=3]] [[tool=exec:{\"command\":\"echo hi\"}]] [[chunks=5]]";
    assert_eq!(control(text, "chunks"), Some("5"));
    assert_eq!(control(text, "delay"), None);
    let tool = tool_control(control(text, "tool").unwrap()).unwrap();
    assert_eq!((tool.name.as_str(), tool.args), ("exec", json!({"command": "echo hi"})));
    assert_eq!(tool_control("exec:{broken"), None);
}

#[test]
fn pieces_make_the_whole() {
    for text in ["", "a", "ab", "{\"key\":\"é€😀\"}"] {
        assert_eq!(pieces(text).concat(), text);
    }
}
