//! Chat requests as they are read, good and bad.

use serde_json::{Value, json};

use super::ChatRequest;
use super::request::talk;
use crate::parse;
use crate::parts::{Content, Part};
use crate::talk::{Talk, TalkPiece};

fn read(body: &Value) -> Result<Talk, String> {
    let asked: ChatRequest = parse(body.to_string().as_bytes()).map_err(|error| error.to_string())?;
    asked.streaming().map_err(|error| error.to_string())?;
    talk(asked.messages).map_err(|error| error.to_string())
}

#[test]
fn a_conversation_is_read_in_order_and_instructions_apart() {
    let body = json!({
        "model": "openclaw",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "developer", "content": [{"type": "text", "text": "in French"}]},
            {"role": "user", "content": "hello", "name": "Ann"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Paris\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
            {"role": "user", "content": [
                {"type": "text", "text": "and this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
            ]},
        ],
        "unknown": {"is": "ignored"},
    });
    let talk = read(&body).unwrap();
    assert_eq!(talk.system, ["be brief", "in French"]);
    let [
        TalkPiece::User(first),
        TalkPiece::Assistant { calls, .. },
        TalkPiece::Result { id, text },
        TalkPiece::User(last),
    ] = talk.said.as_slice()
    else {
        panic!("{talk:?}")
    };
    assert_eq!(first, &[Part::Text("hello".to_owned())]);
    assert_eq!(calls[0].arguments, json!({"city": "Paris"}));
    assert_eq!((id.as_str(), text.as_str()), ("c1", "sunny"));
    let picture = Content::Sent { kind: Some("image/png".to_owned()), data: "AAAA".to_owned() };
    assert_eq!(last, &[Part::Text("and this?".to_owned()), Part::Image(picture)]);
}

#[test]
fn bodies_that_are_no_request_are_refused() {
    let with = |messages: Value| json!({"model": "openclaw", "messages": messages});
    let cases = [
        json!({}),
        json!({"model": "openclaw"}),
        json!({"model": 7, "messages": []}),
        with(json!("hello")),
        with(json!([7])),
        with(json!([{"content": "hello"}])),
        with(json!([{"role": "wizard", "content": "hello"}])),
        with(json!([{"role": "user"}])),
        with(json!([{"role": "user", "content": 7}])),
        with(json!([{"role": "user", "content": [{"type": "input_audio"}]}])),
        with(json!([{"role": "user", "content": [{"type": "image_url"}]}])),
        with(json!([{"role": "system", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}])),
        with(
            json!([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png,x"}}]}]),
        ),
        with(json!([{"role": "tool", "content": "x"}])),
        with(
            json!([{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "x", "arguments": "["}}]}]),
        ),
        json!({"model": "openclaw", "messages": [], "stream": "yes"}),
        json!({"model": "openclaw", "messages": [], "n": 2}),
    ];
    for case in cases {
        assert!(read(&case).is_err(), "{case}");
    }
    for bytes in [&b"{"[..], b"[]", b"null", b"", b"\xff"] {
        assert!(parse::<ChatRequest>(bytes).is_err());
    }
}
