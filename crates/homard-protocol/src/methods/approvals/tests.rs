//! Spellings clients rely on.

use serde_json::json;

use super::{ApprovalDecision, ApprovalKind, ApprovalResolveParams, ExecApproval, ExecApprovalDetails};

#[test]
fn every_spelling_of_a_decision_is_read_and_one_is_written() {
    let cases = [
        ("allow", ApprovalDecision::AllowOnce),
        ("allow_once", ApprovalDecision::AllowOnce),
        ("allow-once", ApprovalDecision::AllowOnce),
        ("always_allow", ApprovalDecision::AllowAlways),
        ("allow_always", ApprovalDecision::AllowAlways),
        ("allow-always", ApprovalDecision::AllowAlways),
        ("deny", ApprovalDecision::Deny),
    ];
    for (word, decision) in cases {
        let params: ApprovalResolveParams =
            serde_json::from_value(json!({"id": "x", "decision": word})).unwrap();
        assert_eq!(params.decision, decision, "{word}");
    }
    let written = [ApprovalDecision::AllowOnce, ApprovalDecision::AllowAlways, ApprovalDecision::Deny];
    assert_eq!(json!(written), json!(["allow-once", "allow-always", "deny"]));
    for word in ["", "yes", "ALLOW", "allow-twice"] {
        let params = json!({"id": "x", "decision": word});
        assert!(serde_json::from_value::<ApprovalResolveParams>(params).is_err(), "{word}");
    }
}

#[test]
fn a_pending_command_is_spelled_as_clients_know_it() {
    let approval = ExecApproval {
        approval_kind: ApprovalKind::Exec,
        id: "1".parse().unwrap(),
        request: ExecApprovalDetails {
            command: "ls".to_owned(),
            warning_text: Some("because".to_owned()),
            allowed_decisions: vec![ApprovalDecision::Deny],
            tool_call_id: Some("c".parse().unwrap()),
            ..ExecApprovalDetails::default()
        },
        created_at_ms: 1,
        expires_at_ms: 2,
    };
    let expected = json!({
        "approvalKind": "exec", "id": "1", "createdAtMs": 1, "expiresAtMs": 2,
        "request": {"command": "ls", "host": "gateway", "warningText": "because",
            "allowedDecisions": ["deny"], "toolCallId": "c"},
    });
    assert_eq!(serde_json::to_value(approval).unwrap(), expected);
}
