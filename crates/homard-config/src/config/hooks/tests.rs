//! What hooks people write mean.

use serde_json::{Value, json};

use super::{HookAction, Hooks, Resolve, SessionMode, WakeMode};
use crate::config::gateway::Gateway;
use crate::env::Environment;
use crate::paths::Paths;

fn decided(written: &Value) -> (Hooks, Vec<String>, Vec<String>) {
    let env = Environment::default();
    let paths = Paths::under(std::path::Path::new("home"));
    let mut cx = Resolve::new(&paths, &env);
    let gateway = json!({"auth": {"token": "the-gateways-own"}});
    let gateway = Gateway::resolve(serde_json::from_value(gateway).unwrap(), &mut cx);
    let hooks = Hooks::resolve(serde_json::from_value(written.clone()).unwrap(), &gateway.auth, &mut cx);
    let places = |issues: &[crate::issue::Issue]| issues.iter().map(|issue| issue.path.clone()).collect();
    (hooks, places(&cx.issues), places(&cx.warnings))
}

#[test]
fn hooks_need_a_token_of_their_own_and_a_path_of_their_own() {
    let rows = [
        (json!({}), &[][..]),
        (json!({"enabled": true, "token": "a-token"}), &[]),
        (json!({"enabled": true}), &["hooks.token"]),
        (json!({"enabled": true, "token": "  "}), &["hooks.token"]),
        (json!({"enabled": true, "token": "the-gateways-own"}), &["hooks.token"]),
        (json!({"path": "/"}), &["hooks.path"]),
        (json!({"path": ""}), &["hooks.path"]),
    ];
    for (written, expected) in rows {
        assert_eq!(decided(&written).1, expected, "{written}");
    }
    for (path, expected) in [("in", "/in"), ("/in/", "/in"), ("/a/b", "/a/b")] {
        assert_eq!(decided(&json!({"path": path})).0.path, expected);
    }
}

#[test]
fn an_empty_list_of_agents_names_nobody_and_a_star_anybody() {
    let rows = [
        (json!({}), None),
        (json!({"allowedAgentIds": []}), Some(vec![])),
        (json!({"allowedAgentIds": ["Main", " "]}), Some(vec!["main".to_owned()])),
        (json!({"allowedAgentIds": ["main", "*"]}), None),
    ];
    for (written, expected) in rows {
        assert_eq!(decided(&written).0.allowed_agents, expected, "{written}");
    }
}

#[test]
fn mappings_are_read_in_order_and_presets_come_last() {
    let (hooks, issues, warnings) = decided(&json!({
        "presets": ["gmail", "frobnicate"],
        "gmail": {"model": "fake/fake-1", "allowUnsafeExternalContent": true},
        "mappings": [
            {"match": {"path": "/ci/"}, "action": "wake", "wakeMode": "next-heartbeat", "textTemplate": "t"},
            {"id": "bug", "sessionMode": "persistent", "messageTemplate": "m", "forEach": "issues"},
            {"transform": {"module": "x.js"}},
        ],
    }));
    assert_eq!(issues, Vec::<String>::new());
    assert_eq!(warnings, ["hooks.mappings[2].transform", "hooks.presets"]);
    let ids: Vec<&str> = hooks.mappings.iter().map(|mapping| mapping.id.as_str()).collect();
    assert_eq!(ids, ["mapping-1", "bug", "mapping-3", "gmail"]);
    let [ci, bug, script, mail] = &hooks.mappings[..] else { panic!("{ids:?}") };
    assert_eq!(
        (ci.path.as_deref(), ci.action, ci.wake_mode),
        (Some("ci"), HookAction::Wake, Some(WakeMode::NextHeartbeat))
    );
    assert_eq!((bug.session_mode, bug.for_each.as_deref()), (SessionMode::Persistent, Some("issues")));
    assert_eq!(script.transform.as_deref(), Some("x.js"));
    assert!(mail.is_mail() && mail.trusts_content && mail.turn.model.is_some());
}
