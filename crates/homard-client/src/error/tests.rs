//! Every refusal a person can do something about says what.

use homard_protocol::{ErrorCode, ErrorShape};
use serde_json::json;

use super::ClientError;

#[test]
fn refusals_say_what_to_do() {
    let cases = [
        (json!({"code":"AUTH_TOKEN_MISMATCH"}), "gateway.auth.token"),
        (json!({"code":"AUTH_PASSWORD_MISSING"}), "HOMARD_GATEWAY_PASSWORD"),
        (json!({"code":"PAIRING_REQUIRED","requestId":"r-1"}), "homard devices approve r-1"),
        (json!({"code":"PAIRING_REQUIRED"}), "homard devices approve --latest"),
        (json!({"code":"PROTOCOL_MISMATCH"}), "different versions"),
    ];
    for (details, expected) in cases {
        let error = ErrorShape::new(ErrorCode::InvalidRequest, "no").with_details(details.clone());
        let hint = ClientError::Refused { error: Box::new(error) }.hint().unwrap();
        assert!(hint.contains(expected), "{details}: {hint}");
    }
}

#[test]
fn a_lockout_says_how_long() {
    let error = ErrorShape::new(ErrorCode::InvalidRequest, "slow down")
        .with_details(json!({"code":"AUTH_RATE_LIMITED"}))
        .retry_after(1_500);
    let hint = ClientError::Refused { error: Box::new(error) }.hint().unwrap();
    assert!(hint.contains("in 2 s"), "{hint}");
}

#[test]
fn a_missing_scope_is_named() {
    let error = ErrorShape::new(ErrorCode::Forbidden, "missing scope: operator.admin")
        .with_details(json!({"code":"MISSING_SCOPE","missingScope":"operator.admin"}));
    let hint = ClientError::Rejected { method: "x".into(), error: Box::new(error) }.hint().unwrap();
    assert!(hint.contains("operator.admin"), "{hint}");
}
