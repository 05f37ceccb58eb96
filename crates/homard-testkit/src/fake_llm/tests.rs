//! Small facts about the fake; whole conversations with it are in the tests of `homard-llm`.

use serde_json::json;

use super::dialect::pieces;
use super::incoming::{OpenTurn, Outline, control, tool_control};
use super::ollama;

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
fn calls_that_are_items_of_their_own_belong_to_the_words_before_them() {
    let turn = open_turn(&json!({"model": "m", "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "new"}]},
        {"type": "reasoning", "summary": []}, {"type": "message", "role": "assistant", "content": "Reading."},
        {"type": "function_call", "call_id": "1"}, {"type": "function_call_output", "call_id": "1", "output": "r"}]}));
    assert_eq!((turn.text.as_str(), turn.has_result, turn.messages), ("new", true, 5));
    let turn = open_turn(&json!({"input": "only text"}));
    assert_eq!((turn.text.as_str(), turn.messages), ("only text", 0));
}

#[test]
fn a_local_server_tells_about_itself() {
    let rows = [
        ("/api/version", "", 200, "version"),
        ("/api/tags", "", 200, "fake-1"),
        ("/api/show", r#"{"model":"fake-1"}"#, 200, "context_length"),
        ("/api/show", r#"{"model":"other"}"#, 404, "not found"),
        ("/api/show", "{}", 400, "required"),
    ];
    for (path, body, status, part) in rows {
        let (answered, document) = ollama::about(path, body.as_bytes()).unwrap();
        assert!(answered == status && document.to_string().contains(part), "{path}: {answered} {document}");
    }
    assert!(ollama::about("/api/chat", b"").is_none());
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
