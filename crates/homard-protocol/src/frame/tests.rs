//! Good and bad request frames, and that nothing makes the parser panic.

use proptest::prelude::{any, proptest};
use serde_json::json;

use super::{ErrorShape, FrameError, RequestFrame, ResponseFrame};

#[test]
fn a_request_is_read() {
    let frame =
        RequestFrame::parse(r#"{"type":"req","id":"1","method":"health","params":{"probe":true}}"#).unwrap();
    assert_eq!((frame.id.as_str(), frame.method.as_str()), ("1", "health"));
    assert_eq!(frame.params.unwrap().get(), r#"{"probe":true}"#);
    assert!(RequestFrame::parse(r#"{"type":"req","id":"1","method":"health"}"#).unwrap().params.is_none());
}

#[test]
fn a_bad_request_keeps_its_id_for_the_answer() {
    let cases = [
        (r#"{"type":"req","id":"7","method":""}"#, Some("7")),
        (r#"{"type":"req","id":"7"}"#, Some("7")),
        (r#"{"type":"res","id":"7","method":"x"}"#, Some("7")),
        (r#"{"type":"req","id":"7","method":"x","extra":1}"#, Some("7")),
        (r#"{"type":"req","id":"","method":"x"}"#, None),
        (r#"{"type":"req","id":5,"method":"x"}"#, None),
        (r"[1,2]", None),
        (r"5", None),
    ];
    for (text, expected) in cases {
        let Err(FrameError::NotARequest { id, reason }) = RequestFrame::parse(text) else { panic!("{text}") };
        assert_eq!(id.as_deref(), expected, "{text}");
        assert!(!reason.contains(" at line "), "{reason}");
    }
    assert_eq!(RequestFrame::parse("{").unwrap_err(), FrameError::NotJson);
    let long = format!(r#"{{"type":"req","id":"1","method":"x","traceparent":"{}"}}"#, "t".repeat(129));
    assert!(RequestFrame::parse(&long).is_err());
}

#[test]
fn responses_leave_out_what_they_do_not_have() {
    let ok = serde_json::to_value(ResponseFrame::ok("1", json!({"a":1}))).unwrap();
    assert_eq!(ok, json!({"type":"res","id":"1","ok":true,"payload":{"a":1}}));
    let error = ErrorShape::unavailable("starting").retry_after(500);
    let error = serde_json::to_value(ResponseFrame::<()>::error("1", error)).unwrap();
    assert_eq!(
        error,
        json!({"type":"res","id":"1","ok":false,
            "error":{"code":"UNAVAILABLE","message":"starting","retryable":true,"retryAfterMs":500}})
    );
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        let _frame = RequestFrame::parse(&text);
    }
}
