//! `agents.workspace.*`: looking around in an agent's folder.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_media::file_type::type_of_name;
use homard_protocol::methods::agents::workspace::{
    AgentsWorkspaceGetParams, AgentsWorkspaceGetResult, AgentsWorkspaceListParams, AgentsWorkspaceListResult,
    MAX_WORKSPACE_ENTRIES, WorkspaceEncoding, WorkspaceFile,
};

use super::files::workspace;
use crate::error::RequestError;
use crate::methods::check_range;
use crate::methods::config::blocking;
use crate::table::Cx;

/// `agents.workspace.list`.
pub(crate) async fn list(
    cx: Cx,
    params: AgentsWorkspaceListParams,
) -> Result<AgentsWorkspaceListResult, RequestError> {
    check_range("agents.workspace.list", "limit", params.limit, 1..=MAX_WORKSPACE_ENTRIES)?;
    let (agent_id, folder) = workspace(&cx.gateway, &params.agent_id)?;
    let asked = params.path.unwrap_or_default();
    let (path, entries) = blocking(move || homard_memory::list(&folder, &asked)).await??;
    let parent = path.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned());
    let (total, offset) = (entries.len() as u64, params.offset.unwrap_or(0));
    let skip = usize::try_from(offset).unwrap_or(usize::MAX);
    let limit = usize::try_from(params.limit.unwrap_or(MAX_WORKSPACE_ENTRIES)).unwrap_or(1);
    Ok(AgentsWorkspaceListResult {
        agent_id,
        parent_path: (!path.is_empty()).then_some(parent),
        path,
        entries: entries.into_iter().skip(skip).take(limit).collect(),
        total_entries: total,
        offset,
    })
}

/// `agents.workspace.get`.
pub(crate) async fn get(
    cx: Cx,
    params: AgentsWorkspaceGetParams,
) -> Result<AgentsWorkspaceGetResult, RequestError> {
    let (agent_id, folder) = workspace(&cx.gateway, &params.agent_id)?;
    let found = blocking(move || homard_memory::fetch(&folder, &params.path)).await??;
    let size = found.bytes.len() as u64;
    let (encoding, content) = match String::from_utf8(found.bytes) {
        Ok(text) => (WorkspaceEncoding::Utf8, text),
        Err(raw) => (WorkspaceEncoding::Base64, STANDARD.encode(raw.as_bytes())),
    };
    let file = WorkspaceFile {
        mime_type: type_of_name(&found.name).to_owned(),
        path: found.path,
        name: found.name,
        size,
        updated_at_ms: found.updated_at_ms,
        encoding,
        content,
    };
    Ok(AgentsWorkspaceGetResult { agent_id, file })
}
