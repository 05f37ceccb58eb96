//! `agents.files.*`: the files of a workspace that every turn is told, and no others.

use std::path::PathBuf;

use homard_protocol::AgentId;
use homard_protocol::methods::agents::{
    AgentsFilesGetParams, AgentsFilesGetResult, AgentsFilesListParams, AgentsFilesListResult,
    AgentsFilesSetParams, AgentsFilesSetResult, MAX_AGENT_FILE_BYTES,
};
use serde_json::json;

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::config::blocking;
use crate::table::Cx;

/// The files there may be; other names are not looked at.
const NAMES: [&str; 8] = [
    "AGENTS.md",
    "SOUL.md",
    "TOOLS.md",
    "IDENTITY.md",
    "USER.md",
    "HEARTBEAT.md",
    "BOOTSTRAP.md",
    "MEMORY.md",
];

/// `agents.files.list`.
pub(crate) async fn list(
    cx: Cx,
    params: AgentsFilesListParams,
) -> Result<AgentsFilesListResult, RequestError> {
    let (id, workspace) = workspace(&cx.gateway, &params.agent_id)?;
    let folder = workspace.clone();
    let looked =
        move || NAMES.iter().map(|name| homard_memory::look(&folder, name)).collect::<Result<Vec<_>, _>>();
    let files = blocking(looked).await??;
    Ok(AgentsFilesListResult { agent_id: id, workspace: workspace.display().to_string(), files })
}

/// `agents.files.get`.
pub(crate) async fn get(cx: Cx, params: AgentsFilesGetParams) -> Result<AgentsFilesGetResult, RequestError> {
    let (id, workspace) = workspace(&cx.gateway, &params.agent_id)?;
    let name = known(&params.name)?;
    let folder = workspace.clone();
    let read = blocking(move || homard_memory::read(&folder, name)).await?;
    let file = read?;
    Ok(AgentsFilesGetResult { agent_id: id, workspace: workspace.display().to_string(), file })
}

/// `agents.files.set`.
pub(crate) async fn set(cx: Cx, params: AgentsFilesSetParams) -> Result<AgentsFilesSetResult, RequestError> {
    let (id, workspace) = workspace(&cx.gateway, &params.agent_id)?;
    let name = known(&params.name)?;
    if u64::try_from(params.content.len()).unwrap_or(u64::MAX) > MAX_AGENT_FILE_BYTES {
        return Err(RequestError::invalid(format!(
            "the file would be larger than {MAX_AGENT_FILE_BYTES} bytes"
        )));
    }
    let (folder, agent) = (workspace.clone(), id.clone());
    let file = blocking(move || {
        let now = homard_memory::read(&folder, name)?;
        if let Some(expected) = &params.expected_hash
            && now.hash.as_ref() != Some(expected)
        {
            let said = "the file changed since it was read; read it again and repeat the change";
            return Err(RequestError::invalid(said).with_details(json!({
                "type": "agent_file_conflict", "agentId": agent, "name": name, "currentHash": now.hash,
            })));
        }
        homard_memory::replace(&folder, name, &params.content)?;
        Ok(homard_memory::read(&folder, name)?)
    });
    let file = file.await??;
    Ok(AgentsFilesSetResult { ok: true, agent_id: id, workspace: workspace.display().to_string(), file })
}

pub(crate) fn workspace(gateway: &Gateway, id: &AgentId) -> Result<(AgentId, PathBuf), RequestError> {
    match gateway.config().current().agents.agent(id) {
        Some(agent) => Ok((id.clone(), agent.workspace.clone())),
        None => Err(RequestError::invalid(format!("unknown agent id \"{id}\""))),
    }
}

fn known(name: &str) -> Result<&'static str, RequestError> {
    let unknown =
        || RequestError::invalid(format!("unsupported file \"{name}\"; one of {}", NAMES.join(", ")));
    NAMES.into_iter().find(|known| *known == name).ok_or_else(unknown)
}
