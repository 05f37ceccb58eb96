//! Calls from outside that start something.

use homard_config::config::hooks::Hooks;

use super::gateway::short;
use crate::finding::Finding;
use crate::scene::Scene;

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let settings = scene.settings();
    let hooks = &settings.hooks;
    if !hooks.enabled {
        return Vec::new();
    }
    let mut found = conversations(hooks);
    found.extend(
        hooks.token.as_ref().and_then(|token| short("hooks.token_too_short", "the token of hooks", token)),
    );
    let trusting: Vec<&str> = hooks
        .mappings
        .iter()
        .filter(|mapping| mapping.trusts_content)
        .map(|mapping| mapping.id.as_str())
        .collect();
    if !trusting.is_empty() {
        let words = format!("what comes in by {} counts as your own words", trusting.join(", "));
        found.push(
            Finding::error("hooks.unsafe_external_content", words)
                .fix("take allowUnsafeExternalContent out of them"),
        );
    }
    if hooks.allowed_agents.is_none() && settings.agents.list.len() > 1 {
        let words = "whoever may call a hook may talk to any of your agents";
        found.push(
            Finding::info("hooks.any_agent", words)
                .fix("homard config set hooks.allowedAgentIds '[\"main\"]'"),
        );
    }
    found
}

fn conversations(hooks: &Hooks) -> Vec<Finding> {
    let sessions = &hooks.sessions;
    let mut found = Vec::new();
    if sessions.default_key.is_none() {
        let words = "`hooks.defaultSessionKey` is not set: each call begins a conversation of its own";
        found.push(Finding::info("hooks.default_session_key_unset", words));
    }
    if sessions.callers_choose {
        let words = "callers of hooks choose the conversation they speak in";
        found.push(
            Finding::warn("hooks.request_session_key_enabled", words)
                .fix("homard config unset hooks.allowRequestSessionKey"),
        );
        if sessions.prefixes.is_none() {
            let words = "and may choose any, yours included";
            found.push(
                Finding::error("hooks.request_session_key_prefixes_missing", words)
                    .fix("homard config set hooks.allowedSessionKeyPrefixes '[\"hook:\"]'"),
            );
        }
    }
    found
}
