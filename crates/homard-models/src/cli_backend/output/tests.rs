//! Whatever a program prints is read, or told apart from an answer.

use homard_config::config::agents::cli_backends::CliOutput;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use serde_json::{Value, json};

use super::{is_session_id, read};

fn fields() -> Vec<String> {
    ["session_id", "sessionId", "conversation_id", "thread_id"].map(str::to_owned).to_vec()
}

/// Text, session, input/output/cache read, error and brokenness of a reading.
fn told(format: CliOutput, printed: &str) -> Value {
    let r = read(format, printed, &fields());
    let usage = r.usage;
    json!([r.text, r.session, [usage.input, usage.output, usage.cache_read], r.error, r.broken])
}

#[test]
fn a_session_is_found_under_the_names_the_owner_gives() {
    let printed = r#"{"result":"hi","own_id":"s-1","session_id":"s-2"}"#;
    let read = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        super::read(CliOutput::Json, printed, &names).session
    };
    assert_eq!((read(&["own_id"]).as_deref(), read(&["other"])), (Some("s-1"), None));
}

#[test]
fn plain_text_is_the_answer() {
    for (printed, text) in [(" hello\n", "hello"), ("", ""), ("{\"result\":\"x\"}", "{\"result\":\"x\"}")] {
        assert_eq!(told(CliOutput::Text, printed), json!([text, null, [0, 0, 0], null, false]));
    }
}

#[test]
fn one_document_is_read_in_every_shape() {
    let rows = [
        (
            r#"{"type":"result","result":"hi","session_id":"s-1","usage":{"input_tokens":3,"output_tokens":2,"cache_read_input_tokens":7}}"#,
            json!(["hi", "s-1", [3, 2, 7], null, false]),
        ),
        (
            r#"{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}"#,
            json!(["ab", null, [0, 0, 0], null, false]),
        ),
        (r#"{"response":" hi ","conversation_id":"c"}"#, json!(["hi", "c", [0, 0, 0], null, false])),
        ("warning: old version\n{\"text\":\"hi\"}", json!(["hi", null, [0, 0, 0], null, false])),
        (
            r#"[{"type":"system","session_id":"s"},{"type":"result","result":"hi"}]"#,
            json!(["hi", "s", [0, 0, 0], null, false]),
        ),
        (
            r#"{"is_error":true,"result":"Invalid API key","session_id":"s"}"#,
            json!(["", "s", [0, 0, 0], "Invalid API key", false]),
        ),
        (
            r#"{"is_error":true,"subtype":"error_during_execution","errors":["No conversation found with session ID: x"]}"#,
            json!(["", null, [0, 0, 0], "No conversation found with session ID: x", false]),
        ),
        (
            r#"{"is_error":true,"subtype":"error_max_turns"}"#,
            json!(["", null, [0, 0, 0], "error_max_turns", false]),
        ),
        (r#"{"error":{"message":"quota exceeded"}}"#, json!(["", null, [0, 0, 0], "quota exceeded", false])),
        (r#"{"result":"hi","session_id":"--evil"}"#, json!(["hi", null, [0, 0, 0], null, false])),
        (
            r#"{"result":"hi","usage":{"input_tokens":-4,"output_tokens":"x"}}"#,
            json!(["hi", null, [0, 0, 0], null, false]),
        ),
        (r#"{"result":"cut of"#, json!(["", null, [0, 0, 0], null, true])),
        ("just words", json!(["just words", null, [0, 0, 0], null, false])),
        ("", json!(["", null, [0, 0, 0], null, false])),
        ("{}", json!(["", null, [0, 0, 0], null, false])),
    ];
    for (printed, expected) in rows {
        assert_eq!(told(CliOutput::Json, printed), expected, "{printed}");
    }
}

#[test]
fn events_are_read_line_by_line() {
    let codex = r#"{"type":"thread.started","thread_id":"t-1"}
chatter
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"0","type":"reasoning","text":"hmm"}}
{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"first"}}
{"type":"item.completed","item":{"id":"2","type":"command_execution","text":"ls"}}
{"type":"item.completed","item":{"id":"3","type":"agent_message","text":"second"}}
{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":5}}"#;
    let rows = [
        (codex, json!(["first\n\nsecond", "t-1", [40, 5, 60], null, false])),
        (
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"a"}]}}
{"type":"result","result":"whole","session_id":"s","usage":{"input_tokens":1,"output_tokens":1}}"#,
            json!(["whole", "s", [1, 1, 0], null, false]),
        ),
        (
            r#"{"type":"error","message":"Reconnecting 1/5"}
{"type":"item.completed","item":{"type":"agent_message","text":"ok"}}"#,
            json!(["ok", null, [0, 0, 0], null, false]),
        ),
        (
            r#"{"type":"item.completed","item":{"type":"agent_message","text":"half"}}
{"type":"turn.failed","error":{"message":"usage limit"}}"#,
            json!(["", null, [0, 0, 0], "usage limit", false]),
        ),
        (r#"{"type":"error","message":"boom"}"#, json!(["", null, [0, 0, 0], "boom", false])),
        (r#"{"text":"loose"}"#, json!(["loose", null, [0, 0, 0], null, false])),
        ("no events at all", json!(["no events at all", null, [0, 0, 0], null, false])),
        (r#"{"type":"thread.sta"#, json!(["", null, [0, 0, 0], null, true])),
    ];
    for (printed, expected) in rows {
        assert_eq!(told(CliOutput::Jsonl, printed), expected, "{printed}");
    }
}

#[test]
fn a_huge_line_is_an_answer_like_any_other() {
    let long = "x".repeat(4 * 1024 * 1024);
    let printed = json!({ "type": "result", "result": long }).to_string();
    assert_eq!(read(CliOutput::Jsonl, &printed, &fields()).text.len(), long.len());
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(CliOutput::Json, &deep, &fields()).broken);
}

#[test]
fn only_what_can_be_an_argument_names_a_session() {
    for (text, is) in [("0199-ab", true), ("", false), ("-x", false), ("a b", false), ("a\nb", false)] {
        assert_eq!(is_session_id(text), is, "{text:?}");
    }
    assert!(!is_session_id(&"x".repeat(201)));
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just(r#"{"type":"item.completed","item":{"type":"agent_message","text":"a"}}"#.to_owned()),
        Just(r#"{"type":"result","is_error":true,"errors":[{"error":{"error":{}}}]}"#.to_owned()),
        Just(r#"{"message":{"message":{"message":{"message":[[[[["deep"]]]]]}}}}"#.to_owned()),
        Just("[{}".to_owned()),
        Just("\n".to_owned()),
    ]
}

proptest! {
    #[test]
    fn nothing_a_program_prints_makes_us_fall(pieces in proptest::collection::vec(piece(), 0..6), cut in any::<usize>()) {
        let mut printed = pieces.concat();
        let at = printed.floor_char_boundary(cut % (printed.len() + 1));
        printed.truncate(at);
        for format in [CliOutput::Text, CliOutput::Json, CliOutput::Jsonl] {
            let reading = read(format, &printed, &fields());
            assert!(reading.error.is_none() || reading.text.is_empty());
            assert!(reading.session.as_deref().is_none_or(is_session_id));
        }
    }
}
