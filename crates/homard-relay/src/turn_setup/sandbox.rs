//! Which conversations belong into a sandbox, and what they are left with as long as there is none: no commands, and
//! files of one folder. Everything that depends on it asks here.

use std::path::PathBuf;

use homard_config::Config;
use homard_config::config::agents::Agent;
use homard_config::config::agents::sandbox::{Sandbox, SandboxMode, SandboxScope, WorkspaceAccess};
use homard_protocol::SessionKey;
use homard_runtime::{OrLog as _, hex};
use homard_tools::{Layer, LayerName, SANDBOX_ALLOW, SANDBOX_DENY};
use sha2::{Digest as _, Sha256};

/// Longest readable part of a folder's name.
const MAX_SLUG: usize = 32;
/// Bytes of the hash behind it.
const HASH_BYTES: usize = 4;
/// What runs programs.
const RUNNING: [&str; 2] = ["exec", "process"];
/// What changes files.
const CHANGING: [&str; 3] = ["apply_patch", "edit", "write"];

/// The sandbox a conversation of `agent` belongs into; `None` for one that does not.
pub(crate) fn of<'a>(agent: &'a Agent, key: &SessionKey) -> Option<&'a Sandbox> {
    let belongs = match agent.sandbox.mode {
        SandboxMode::Off => false,
        SandboxMode::NonMain => !key.is_main(),
        SandboxMode::All => true,
    };
    belongs.then_some(&agent.sandbox)
}

/// The folder a conversation works in: the agent's, or one apart from it.
pub(crate) fn folder(agent: &Agent, key: &SessionKey) -> PathBuf {
    match of(agent, key) {
        Some(sandbox) if sandbox.workspace == WorkspaceAccess::None => {
            let scope = match sandbox.scope {
                SandboxScope::Session => key.to_string(),
                SandboxScope::Agent => format!("agent:{}", agent.id),
                SandboxScope::Shared => "shared".to_owned(),
            };
            sandbox.root.join(slug(&scope))
        }
        Some(_) | None => agent.workspace.clone(),
    }
}

/// The same, made when it is one apart and missing.
pub(crate) async fn open(agent: &Agent, key: &SessionKey) -> PathBuf {
    let folder = folder(agent, key);
    if folder != agent.workspace {
        let made = tokio::fs::create_dir_all(&folder).await;
        made.or_log("the folder of a sandboxed conversation could not be made");
    }
    folder
}

/// What a sandboxed conversation is left with.
pub(super) fn layers(config: &Config, agent: &Agent, key: &SessionKey) -> Vec<Layer> {
    let Some(sandbox) = of(agent, key) else { return Vec::new() };
    let (own, all) = (&agent.tools.sandbox, &config.tools.sandbox);
    let usual = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
    let allow = own.allow.as_ref().or(all.allow.as_ref()).cloned().unwrap_or_else(|| usual(SANDBOX_ALLOW));
    let deny = own.deny.as_ref().or(all.deny.as_ref()).cloned().unwrap_or_else(|| usual(SANDBOX_DENY));
    let is_own = own.allow.is_some() || own.deny.is_some();
    let place = if is_own {
        format!("agents.list[{}].tools.sandbox.tools", agent.id)
    } else {
        "tools.sandbox.tools".to_owned()
    };
    let mut layers = vec![
        Layer::new(LayerName::Sandbox, &allow, &deny).at(place),
        Layer::new(LayerName::Sandbox, &[], &RUNNING).at("sandbox.mode").remedy(
            "commands of this conversation belong into a sandbox, and there is none yet: they run nowhere; \
             sandbox.mode decides which conversations that are",
        ),
    ];
    if sandbox.workspace == WorkspaceAccess::Read {
        let words = "this conversation may only read the workspace; `rw` would let it write there";
        let layer = Layer::new(LayerName::Sandbox, &[], &CHANGING).at("sandbox.workspaceAccess");
        layers.push(layer.remedy(words));
    }
    layers
}

/// What does not hold of what the owner wrote about sandboxes, one sentence for each agent.
pub(crate) fn not_held(config: &Config) -> Vec<String> {
    let sentence = |agent: &Agent| {
        let which = match agent.sandbox.mode {
            SandboxMode::Off => return None,
            SandboxMode::NonMain => "its conversations but the main one",
            SandboxMode::All => "its conversations",
        };
        let files = match agent.sandbox.workspace {
            WorkspaceAccess::None => "files of a folder apart from the workspace",
            WorkspaceAccess::Read => "reading files of the workspace",
            WorkspaceAccess::Write => "files of the workspace",
        };
        Some(format!(
            "agent `{}`: there is no sandbox yet, so {which} run no commands and have only {files}",
            agent.id
        ))
    };
    config.agents.list.iter().filter_map(sentence).collect()
}

/// A folder's name for a scope: readable, and different for different scopes.
fn slug(scope: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let readable: String = scope.to_lowercase().chars().map(plain).take(MAX_SLUG).collect();
    let hash = Sha256::digest(scope.as_bytes());
    let hash = hex(hash.iter().take(HASH_BYTES));
    format!("{}-{hash}", readable.trim_matches('-'))
}

#[cfg(test)]
mod tests;
