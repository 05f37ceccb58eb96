//! What is decided about questions.

use serde_json::{Value, json};

use super::{ApprovalMode, ApprovalRoutes, Resolve};
use crate::env::Environment;
use crate::paths::Paths;

/// What is decided, and where something is wrong or worth a word.
fn decided(written: Value) -> (ApprovalRoutes, Vec<String>) {
    let (paths, none) = (Paths::under(std::path::Path::new("home")), Environment::default());
    let mut cx = Resolve::new(&paths, &none);
    let routes = ApprovalRoutes::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    let places = cx.issues.iter().chain(&cx.warnings).map(|issue| issue.path.to_string());
    (routes, places.collect())
}

#[test]
fn questions_go_nowhere_else_unless_somebody_says_so() {
    assert_eq!(decided(json!({})), (ApprovalRoutes::default(), Vec::new()));
    let (routes, wrong) = decided(json!({
        "exec": {"enabled": true, "mode": "both", "agentFilter": ["main", " "], "sessionFilter": ["telegram"],
                 "targets": [{"channel": "telegram", "to": "7", "accountId": "work", "threadId": 12}]},
        "plugin": {"enabled": true},
    }));
    assert!(wrong.is_empty(), "{wrong:?}");
    let exec = &routes.exec;
    assert_eq!((exec.enabled, exec.mode), (true, ApprovalMode::Both));
    assert_eq!((exec.agents.as_slice(), exec.sessions.len()), (["main".to_owned()].as_slice(), 1));
    let target = exec.targets.first().unwrap();
    assert_eq!((target.channel.as_str(), target.to.as_str()), ("telegram", "7"));
    assert_eq!((target.account.as_deref(), target.thread.as_deref()), (Some("work"), Some("12")));
    assert_eq!((routes.plugin.enabled, routes.plugin.mode), (true, ApprovalMode::Session));
}

#[test]
fn a_place_that_names_nobody_is_said_to_be_wrong() {
    for (written, place) in [
        (json!({"exec": {"targets": [{"channel": "telegram"}]}}), "approvals.exec.targets[0]"),
        (json!({"plugin": {"targets": [{"to": "7"}]}}), "approvals.plugin.targets[0]"),
        (
            json!({"exec": {"targets": [{"channel": "telegram", "to": "7", "threadId": {}}]}}),
            "approvals.exec.targets[0].threadId",
        ),
        (json!({"exec": {"enabled": true, "mode": "targets"}}), "approvals.exec.targets"),
    ] {
        assert_eq!(decided(written.clone()).1, [place], "{written}");
    }
}
