//! Frames are read without parsing; these are the shapes that must not fool that.

use super::super::conn::{is_refusal, quoted_after, response_id};
use super::session_of;

#[test]
fn a_run_is_found_by_plan_and_session() {
    let frame = r#"{"type":"event","event":"chat","payload":{"runId":"load.17.3","state":"final"},"seq":9}"#;
    assert_eq!(session_of(frame, "load"), Some(17));
    assert_eq!(session_of(frame, "loa"), None);
    assert_eq!(session_of(frame, "other"), None);
    assert_eq!(quoted_after(frame, r#""state":""#), Some("final"));
}

#[test]
fn only_responses_have_an_id_and_only_refusals_are_refusals() {
    let good = r#"{"type":"res","id":"4","ok":true,"payload":{"text":"\"ok\":false,\"error\""}}"#;
    let bad = r#"{"type":"res","id":"5","ok":false,"error":{"code":"INVALID_REQUEST"}}"#;
    assert_eq!((response_id(good), is_refusal(good)), (Some("4"), false));
    assert_eq!((response_id(bad), is_refusal(bad)), (Some("5"), true));
    assert_eq!(response_id(r#"{"type":"event","event":"tick","payload":{"id":"1"}}"#), None);
}
