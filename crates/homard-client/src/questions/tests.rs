//! What a person reads before deciding, and how it ended.

use serde_json::{Value, json};

use homard_protocol::methods::approvals::ApprovalKind;

use super::Change;

fn heard(event: &str, payload: &Value) -> Option<Change> {
    let frame = serde_json::from_value(json!({"type": "event", "event": event, "payload": payload})).unwrap();
    Change::read(&frame)
}

#[test]
fn a_command_is_worded_with_everything_that_matters() {
    let payload = json!({"approvalKind": "exec", "id": "01234567-89ab", "createdAtMs": 0, "expiresAtMs": 119_000,
        "request": {"command": "git push \\\n  --force\u{1b}[2J", "cwd": "/home/me", "host": "gateway",
            "resolvedPath": "/usr/bin/git", "sessionKey": "agent:main:main", "runId": "r",
            "reasons": ["not on the allowlist", "web page https://example.com"],
            "allowedDecisions": ["allow-once", "allow-always", "deny"]}});
    let Some(Change::Asked(asked)) = heard("exec.approval.requested", &payload) else { panic!("not read") };
    assert_eq!(
        (asked.kind, asked.can_always, asked.run_id.as_deref()),
        (ApprovalKind::Exec, true, Some("r"))
    );
    let expected = [
        "approval needed: exec (01234567, 1 min left)",
        "  git push \\",
        "    --force\\u{1b}[2J",
        "  in       /home/me",
        "  program  /usr/bin/git",
        "  for      agent:main:main",
        "  because  not on the allowlist",
        "           web page https://example.com",
    ];
    assert_eq!(asked.lines("1 min"), expected);
    assert_eq!((asked.left_ms(1_000), asked.left_ms(500_000)), (118_000, 0));
}

#[test]
fn another_tool_is_worded_with_its_whole_action() {
    let payload = json!({"approvalKind": "plugin", "id": "x", "createdAtMs": 0, "expiresAtMs": 0,
        "request": {"title": "t", "description": "short", "detail": "all of it", "severity": "warning",
            "toolName": "web_fetch", "allowedDecisions": ["allow-once", "deny"]}});
    let Some(Change::Asked(asked)) = heard("plugin.approval.requested", &payload) else { panic!("not read") };
    assert_eq!((asked.kind, asked.can_always), (ApprovalKind::Plugin, false));
    assert_eq!(asked.lines("0 s"), ["approval needed: web_fetch (x, 0 s left)", "  all of it"]);
}

#[test]
fn ends_are_worded_by_who_and_why() {
    let cases = [
        (
            json!({"id": "x", "decision": "allow-once", "resolvedBy": "cli", "terminalReason": "user"}),
            "allowed once by cli",
        ),
        (
            json!({"id": "x", "decision": "deny", "terminalReason": "timeout"}),
            "nobody answered in time, which is a no",
        ),
        (json!({"id": "x", "decision": null}), "denied"),
    ];
    for (payload, words) in cases {
        let Some(Change::Ended(ended)) = heard("exec.approval.resolved", &payload) else {
            panic!("not read")
        };
        assert_eq!(ended.words(), words);
    }
    assert_eq!(heard("chat", &json!({})), None);
}
