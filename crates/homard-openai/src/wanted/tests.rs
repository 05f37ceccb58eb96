//! Which agent a model name means.

use super::{named_by, user_part};

#[test]
fn the_model_names_an_agent_or_the_default_and_nothing_else() {
    let named = |model: &str| named_by(model).map(|agent| agent.map(|agent| agent.to_string()));
    for default in ["openclaw", "openclaw/default", "OpenClaw", "homard", "homard/default"] {
        assert_eq!(named(default).unwrap(), None, "{default}");
    }
    for ops in ["openclaw/ops", "openclaw:ops", "agent:ops", "homard/ops", "homard:ops"] {
        assert_eq!(named(ops).unwrap().as_deref(), Some("ops"), "{ops}");
    }
    for other in ["", "gpt-4o", "openclawx", "openclaw/", "agent:", "openclaw/a b", "anthropic/claude", "ops"]
    {
        let error = named(other).unwrap_err().to_string();
        assert!(error.starts_with("Invalid `model`"), "{other}: {error}");
    }
}

#[test]
fn no_two_end_users_share_a_session() {
    assert_eq!(user_part("alice@example.com"), "alice@example.com");
    let odd = ["Alice", "alice:thread:1", "a b", "ÄLICE", "~", &"x".repeat(65)];
    let mut parts: Vec<String> = odd.iter().map(|user| user_part(user)).collect();
    assert!(parts.iter().all(|part| part.starts_with('~') && part.len() == 33), "{parts:?}");
    parts.sort();
    parts.dedup();
    assert_eq!(parts.len(), odd.len());
}
