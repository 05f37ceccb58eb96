//! Stored keys and logins: whether their files can be read and which are over.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::files::{entries, name_of};
use crate::finding::{Act, Finding};
use crate::scene::Scene;

/// How long before its end a login is told about, in milliseconds.
const ENDING_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let agents = entries(&scene.source.paths.agents_dir());
    agents.iter().flat_map(|agent| of_agent(agent, scene.now_ms())).collect()
}

fn of_agent(agent: &Path, now: i64) -> Vec<Finding> {
    let path = agent.join("agent").join("auth-profiles.json");
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            let words = format!("{} cannot be read: {error}", path.display());
            return vec![Finding::error("credentials.unreadable", words)];
        }
    };
    let Ok(stored) = serde_json::from_slice::<Value>(&text) else {
        let words = format!("{} is no JSON, so no stored key of this agent can be used", path.display());
        return vec![Finding::error("credentials.broken", words).act(Act::SetAside { path })];
    };
    let profiles = stored.get("profiles").and_then(Value::as_object).into_iter().flatten();
    profiles.filter_map(|(id, profile)| over(&name_of(agent), id, profile, now)).collect()
}

/// A login that ends and cannot be renewed.
fn over(agent: &str, id: &str, profile: &Value, now: i64) -> Option<Finding> {
    let end = profile.get("expires").and_then(Value::as_i64)?;
    let renews = profile.get("refresh").and_then(Value::as_str).is_some_and(|token| !token.is_empty());
    if renews || end - now > ENDING_MS {
        return None;
    }
    let provider = profile.get("provider").and_then(Value::as_str).unwrap_or("PROVIDER");
    let again = format!("homard models auth login --provider {provider}");
    Some(if end <= now {
        Finding::error("credentials.expired", format!("the login {id} (agent {agent}) has expired"))
            .fix(again)
    } else {
        let hours = (end - now) / (60 * 60 * 1000);
        Finding::warn("credentials.ending", format!("the login {id} (agent {agent}) ends in {hours} h"))
            .fix(again)
    })
}
