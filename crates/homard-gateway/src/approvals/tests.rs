//! What clients are shown of a question.

use homard_protocol::methods::approvals::{
    ApprovalDecision, ApprovalKind, MAX_APPROVAL_DESCRIPTION, MAX_APPROVAL_TITLE,
};
use homard_protocol::session_words::ExecHost;
use homard_protocol::{RunId, SessionKey};
use homard_tools::{ApprovalOutcome, ApprovalRequest, CommandTerms, Question};
use serde_json::json;

use super::{decided, exec, kind, plugin, step};

fn question(tool: &str, action: &str) -> Question {
    Question {
        id: "01234567-89ab".parse().unwrap(),
        request: ApprovalRequest {
            tool: tool.to_owned(),
            action: action.to_owned(),
            cwd: Some("/home/me".to_owned()),
            resolved_path: Some("/usr/bin/git".to_owned()),
            reasons: vec!["not on the allowlist".to_owned(), "web page https://example.com".to_owned()],
            can_always: false,
            terms: CommandTerms {
                security: Some("allowlist".to_owned()),
                ask: Some("on-miss".to_owned()),
                on_node: false,
            },
            session_key: Some(SessionKey::parse("agent:work:main").unwrap()),
            run_id: Some(RunId::parse("run-1").unwrap()),
            call_id: None,
            for_guest: false,
        },
        created_at: 1,
        expires_at: 2,
        outcome: None,
        answered_by: None,
    }
}

#[test]
fn a_command_is_shown_with_its_reasons_and_what_may_be_said() {
    let shown = exec(&question("exec", "git push\u{1b}[8m --force"));
    assert_eq!(shown.approval_kind, ApprovalKind::Exec);
    let request = shown.request;
    assert_eq!(request.command, "git push\\u{1b}[8m --force");
    assert_eq!(request.warning_text.unwrap(), "not on the allowlist\nweb page https://example.com");
    assert_eq!(request.reasons.len(), 2);
    assert_eq!(request.allowed_decisions, [ApprovalDecision::AllowOnce, ApprovalDecision::Deny]);
    assert_eq!(request.agent_id.unwrap().as_str(), "work");
    assert_eq!(request.resolved_path.unwrap(), "/usr/bin/git");
    assert_eq!(request.host, ExecHost::Gateway);
    let mut elsewhere = question("exec", "git push");
    elsewhere.request.terms.on_node = true;
    assert_eq!(exec(&elsewhere).request.host, ExecHost::Node);
}

#[test]
fn another_tool_fits_its_title_and_keeps_its_reasons() {
    let long = "x".repeat(2_000);
    let shown = plugin(&question("web_fetch", &long)).request;
    assert!(shown.title.starts_with("web_fetch: xxx") && shown.title.chars().count() == MAX_APPROVAL_TITLE);
    assert!(shown.description.chars().count() <= MAX_APPROVAL_DESCRIPTION);
    assert!(shown.description.ends_with("not on the allowlist; web page https://example.com"));
    assert_eq!(shown.detail.unwrap(), long);
    let short = plugin(&question("write", "write /etc/hosts")).request;
    assert_eq!((short.detail, short.title.as_str()), (None, "write: write /etc/hosts"));
}

#[test]
fn ends_are_told_in_words_clients_know() {
    use ApprovalOutcome::{Expired, NoRoute, Said, Withdrawn};
    let cases = [
        (Said(ApprovalDecision::AllowOnce), Some(ApprovalDecision::AllowOnce), "user", "approved"),
        (Said(ApprovalDecision::AllowAlways), Some(ApprovalDecision::AllowAlways), "user", "approved"),
        (Said(ApprovalDecision::Deny), Some(ApprovalDecision::Deny), "user", "denied"),
        (Expired, None, "timeout", "expired"),
        (NoRoute, None, "no-route", "unavailable"),
        (Withdrawn, None, "cancelled", "cancelled"),
    ];
    for (outcome, decision, reason, status) in cases {
        let ended = Question { outcome: Some(outcome), ..question("exec", "ls") };
        let told = decided(&ended, outcome);
        assert_eq!(
            (told.decision, told.terminal_reason.map(|reason| reason.as_str())),
            (decision, Some(reason))
        );
        let step = step(&ended);
        assert_eq!((step.phase.as_str(), step.status.as_str()), ("resolved", status));
    }
}

#[test]
fn who_watches_the_run_learns_that_it_waits_but_not_for_what() {
    let step = step(&question("exec", "cat secret.txt"));
    assert_eq!(kind(&question("exec", "")), ApprovalKind::Exec);
    let expected = json!({"phase": "requested", "status": "pending", "kind": "exec", "title": "exec",
        "approvalId": "01234567-89ab", "approvalSlug": "01234567", "toolCallId": null});
    assert_eq!(json!(step), expected);
}
