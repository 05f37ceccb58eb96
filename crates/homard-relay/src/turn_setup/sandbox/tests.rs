//! Which conversations belong into a sandbox, and which folder they have.

use homard_protocol::SessionKey;
use serde_json::json;

use super::{folder, not_held, of};
use crate::fixture::config;

#[test]
fn the_mode_says_which_conversations_belong_into_a_sandbox() {
    let rows = [
        ("off", "agent:main:main", false),
        ("off", "agent:main:irc:group:#x", false),
        ("non-main", "agent:main:main", false),
        ("non-main", "agent:main:irc:group:#x", true),
        ("non-main", "agent:main:story", true),
        ("non-main", "agent:main:subagent:1", true),
        ("all", "agent:main:main", true),
        ("all", "agent:main:cron:1", true),
    ];
    for (mode, key, expected) in rows {
        let config = config(&json!({"agents": {"defaults": {"sandbox": {"mode": mode}}}}));
        let key = SessionKey::parse(key).unwrap();
        assert_eq!(of(config.agents.default_agent(), &key).is_some(), expected, "{mode} {key}");
        assert_eq!(not_held(&config).is_empty(), mode == "off", "{mode}");
    }
}

#[test]
fn a_conversation_without_the_workspace_has_a_folder_of_its_scope() {
    let at = |access: &str, scope: &str, key: &str| {
        let config = config(&json!({"agents": {"defaults": {"workspace": "/work", "sandbox":
            {"mode": "non-main", "workspaceAccess": access, "scope": scope, "workspaceRoot": "/boxes"}}}}));
        let folder = folder(config.agents.default_agent(), &SessionKey::parse(key).unwrap());
        folder.display().to_string()
    };
    let (one, other) = ("agent:main:irc:group:#x", "agent:main:irc:group:#y");
    assert_eq!(at("none", "agent", "agent:main:main"), "/work");
    assert_eq!(at("rw", "session", one), "/work");
    assert_eq!(at("ro", "session", one), "/work");
    assert_eq!(at("none", "agent", one), at("none", "agent", other));
    assert!(at("none", "agent", one).starts_with("/boxes/agent-main-"), "{}", at("none", "agent", one));
    assert!(at("none", "shared", one).starts_with("/boxes/shared-"));
    assert_ne!(at("none", "session", one), at("none", "session", other));
    // Keys that read alike do not share a folder.
    assert_ne!(at("none", "session", "agent:main:a-b"), at("none", "session", "agent:main:a_b"));
    let long = format!("agent:main:{}", "x".repeat(200));
    assert!(at("none", "session", &long).len() < "/boxes/".len() + 42);
}
