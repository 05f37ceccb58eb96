//! What callers may write.

use serde_json::{Value, json};

use super::{AgentCall, NamedKey, WakeCall};

fn fields(body: &Value) -> serde_json::Map<String, Value> {
    body.as_object().unwrap().clone()
}

#[test]
fn a_call_that_is_wrong_is_told_what_is_wrong() {
    let rows = [
        (json!({}), "message required"),
        (json!({"message": "  "}), "message required"),
        (json!({"message": 1}), "message must be a string"),
        (json!({"message": "m", "sessionMode": "shared"}), "sessionMode must be isolated or persistent"),
        (json!({"message": "m", "wakeMode": "later"}), "wakeMode must be now or next-heartbeat"),
        (json!({"message": "m", "deliver": "yes"}), "deliver must be true or false"),
        (json!({"message": "m", "waitForCompletion": 1}), "waitForCompletion must be true or false"),
        (json!({"message": "m", "thinking": "a lot"}), "thinking is not a known level"),
        (json!({"message": "m", "timeoutSeconds": 0}), "timeoutSeconds must be between 1 and 86400"),
        (json!({"message": "m", "timeoutSeconds": -1}), "timeoutSeconds must be between 1 and 86400"),
        (json!({"message": "m", "timeoutSeconds": "5"}), "timeoutSeconds must be between 1 and 86400"),
        (json!({"message": "m", "channel": []}), "channel must be a string"),
        (
            json!({"message": "m", "idempotencyKey": "k".repeat(257)}),
            "the idempotency key is longer than 256 characters",
        ),
    ];
    for (body, expected) in rows {
        assert_eq!(AgentCall::read(&fields(&body)).unwrap_err().to_string(), expected, "{body}");
    }
    for (body, expected) in [
        (json!({}), "text required"),
        (json!({"text": ""}), "text required"),
        (json!({"text": "t", "mode": "soon"}), "mode must be now or next-heartbeat"),
    ] {
        assert_eq!(WakeCall::read(&fields(&body)).unwrap_err().to_string(), expected, "{body}");
    }
}

#[test]
fn what_is_left_out_has_its_usual_value_and_what_is_unknown_is_passed_over() {
    let call = AgentCall::read(&fields(&json!({"message": " m ", "somebody": "else's field"}))).unwrap();
    assert_eq!((call.message.as_str(), call.name.as_str(), call.waits), ("m", "Hook", false));
    assert!(!call.delivery.is_asked_for() && call.delivery.is_wanted() && !call.is_trusted);
    let call = AgentCall::read(&fields(&json!({
        "message": "m", "name": "a\nb", "sessionKey": "k", "channel": "telegram", "timeoutSeconds": 5,
    })))
    .unwrap();
    assert_eq!((call.name.as_str(), call.target.key), ("a b", Some(NamedKey::Callers("k".to_owned()))));
    assert!(call.delivery.is_asked_for() && call.delivery.is_wanted());
    let silent = json!({"message": "m", "deliver": false, "channel": "telegram"});
    let silent = AgentCall::read(&fields(&silent)).unwrap().delivery;
    assert!(!silent.is_asked_for() && !silent.is_wanted());
}
