//! Response requests as they are read, good and bad.

use serde_json::{Value, json};

use super::ResponsesRequest;
use super::request::talk;
use crate::parse;
use crate::parts::{Content, Part};
use crate::talk::{Talk, TalkPiece};

fn read(input: &Value) -> Result<Talk, String> {
    let body = json!({"model": "openclaw", "input": input, "store": true, "truncation": "auto"});
    let asked: ResponsesRequest = parse(body.to_string().as_bytes()).map_err(|error| error.to_string())?;
    talk(asked.input).map_err(|error| error.to_string())
}

#[test]
fn items_are_read_in_order_in_both_spellings() {
    let input = json!([
        {"role": "system", "content": "be brief"},
        {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "look"},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
            {"type": "input_image", "source": {"type": "url", "url": "https://example.com/a.png"}},
            {"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,AAAA"},
            {"type": "input_file", "source": {"type": "base64", "media_type": "Text/Plain", "data": "AAAA", "filename": "b.txt"}},
        ]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "item_reference", "id": "msg_1"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "nice", "annotations": []}]},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "weather", "arguments": "{}"},
        {"type": "function_call", "call_id": "c2", "name": "time", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
        {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "noon"}]},
    ]);
    let talk = read(&input).unwrap();
    assert_eq!(talk.system, ["be brief"]);
    let [
        TalkPiece::User(parts),
        TalkPiece::Assistant { text, calls },
        TalkPiece::Result { .. },
        TalkPiece::Result { text: noon, .. },
    ] = talk.said.as_slice()
    else {
        panic!("{talk:?}")
    };
    let sent = |kind: &str| Content::Sent { kind: Some(kind.to_owned()), data: "AAAA".to_owned() };
    let expected = [
        Part::Text("look".to_owned()),
        Part::Image(sent("image/png")),
        Part::Image(Content::At("https://example.com/a.png".to_owned())),
        Part::File { name: Some("a.txt".to_owned()), content: sent("text/plain") },
        Part::File { name: Some("b.txt".to_owned()), content: sent("text/plain") },
    ];
    assert_eq!(parts, &expected);
    assert_eq!((text.as_str(), calls.len(), noon.as_str()), ("nice", 2, "noon"));
}

#[test]
fn inputs_that_are_none_are_refused() {
    let part = |part: Value| json!([{"role": "user", "content": [part]}]);
    let cases = [
        json!(null),
        json!(7),
        json!([7]),
        json!([{"type": "computer_call"}]),
        json!([{"role": "tool", "content": "x"}]),
        json!([{"role": "user"}]),
        json!([{"type": "function_call", "name": "x"}]),
        json!([{"type": "function_call", "call_id": "c", "name": "x", "arguments": "7"}]),
        json!([{"role": "system", "content": [{"type": "input_image", "image_url": "https://example.com"}]}]),
        part(json!({"type": "input_audio"})),
        part(json!({"type": "input_image", "file_id": "file_1"})),
        part(json!({"type": "input_file", "file_id": "file_1"})),
        part(json!({"type": "input_image", "image_url": "data:image/png,x"})),
    ];
    for case in cases {
        assert!(read(&case).is_err(), "{case}");
    }
    assert!(parse::<ResponsesRequest>(b"{\"input\": \"no model\"}").is_err());
}
