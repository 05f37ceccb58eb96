//! What hooks people write mean.

use serde_json::{Value, json};

use super::{HookAction, HookTransform, Hooks, Resolve, SessionMode, WakeMode};
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
            {"transform": {"module": "x.js", "export": "word"}}, {"transform": {}},
        ],
    }));
    assert_eq!(issues, Vec::<String>::new());
    assert_eq!(warnings, ["hooks.mappings[3].transform.module", "hooks.presets"]);
    let ids: Vec<&str> = hooks.mappings.iter().map(|mapping| mapping.id.as_str()).collect();
    assert_eq!(ids, ["mapping-1", "bug", "mapping-3", "mapping-4", "gmail"]);
    let [ci, bug, script, _, mail] = &hooks.mappings[..] else { panic!("{ids:?}") };
    assert_eq!(
        (ci.path.as_deref(), ci.action, ci.wake_mode),
        (Some("ci"), HookAction::Wake, Some(WakeMode::NextHeartbeat))
    );
    assert_eq!((bug.session_mode, bug.for_each.as_deref()), (SessionMode::Persistent, Some("issues")));
    let program = HookTransform { module: "x.js".to_owned(), export: Some("word".to_owned()) };
    assert_eq!(script.transform, Some(program));
    assert_eq!((ci.account(), bug.account()), ("ci", "bug"));
    assert!(mail.is_mail() && mail.trusts_content && mail.turn.model.is_some());
}

#[test]
fn programs_that_rewrite_calls_lie_in_the_state_directory() {
    let state = Paths::under(std::path::Path::new("home")).state_dir;
    let usual = state.join("hooks/transforms");
    let inside = state.join("mine");
    let rows = [
        (json!({}), usual.clone(), 0),
        (json!({"transformsDir": "deeper"}), usual.join("deeper"), 0),
        (json!({"transformsDir": "../../.."}), usual.clone(), 1),
        (json!({"transformsDir": "/usr/bin"}), usual.clone(), 1),
        (json!({"transformsDir": "~/elsewhere"}), usual, 1),
        (json!({"transformsDir": "~/.homard/mine"}), inside, 0),
    ];
    for (written, expected, warned) in rows {
        let (hooks, _, warnings) = decided(&written);
        assert_eq!((hooks.transforms_dir, warnings.len()), (expected, warned), "{written}");
    }
}
