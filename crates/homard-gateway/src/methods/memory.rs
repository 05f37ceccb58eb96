//! `memory.*`: what an agent wrote down (`homard-memory`).

use std::path::PathBuf;

use homard_memory::Memory;
use homard_protocol::AgentId;
use homard_protocol::methods::memory::{
    DEFAULT_MEMORY_HITS, MAX_MEMORY_HITS, MAX_MEMORY_QUERY_CHARS, MemoryGet, MemoryGetParams,
    MemoryGetResult, MemoryList, MemoryListParams, MemoryListResult, MemorySearch, MemorySearchParams,
    MemorySearchResult,
};

use super::agents::files::workspace;
use super::check_range;
use super::config::blocking;
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::table::{Cx, MethodTable};

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table.on::<MemoryGet, _, _>(get).on::<MemoryList, _, _>(list).on::<MemorySearch, _, _>(search)
}

/// `memory.list`.
pub(super) async fn list(cx: Cx, params: MemoryListParams) -> Result<MemoryListResult, RequestError> {
    let (agent_id, folder) = place(&cx.gateway, params.agent_id.as_ref())?;
    let memory = Memory::new(folder.clone());
    let found = blocking(move || memory.files()).await?;
    Ok(MemoryListResult {
        agent_id,
        workspace: folder.display().to_string(),
        files: found.files,
        truncated: found.truncated.then_some(true),
    })
}

/// `memory.get`.
pub(super) async fn get(cx: Cx, params: MemoryGetParams) -> Result<MemoryGetResult, RequestError> {
    let (agent_id, folder) = place(&cx.gateway, params.agent_id.as_ref())?;
    let path = params.path;
    let name = path.clone();
    let read = blocking(move || Memory::new(folder).read(&name)).await?;
    let file = read?;
    Ok(MemoryGetResult {
        agent_id,
        path,
        text: file.content.unwrap_or_default(),
        hash: file.hash.unwrap_or_default(),
        size: file.size.unwrap_or_default(),
        updated_at_ms: file.updated_at_ms,
    })
}

/// `memory.search`.
pub(super) async fn search(cx: Cx, params: MemorySearchParams) -> Result<MemorySearchResult, RequestError> {
    const NAME: &str = "memory.search";
    check_range(NAME, "query", Some(params.query.trim().chars().count()), 1..=MAX_MEMORY_QUERY_CHARS)?;
    check_range(NAME, "limit", params.limit, 1..=MAX_MEMORY_HITS)?;
    let (agent_id, folder) = place(&cx.gateway, params.agent_id.as_ref())?;
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_MEMORY_HITS)).unwrap_or(1);
    let now = cx.gateway.clock().now_ms();
    let found = blocking(move || Memory::new(folder).search(&params.query, limit, now)).await?;
    Ok(MemorySearchResult { agent_id, results: found.hits, truncated: found.truncated.then_some(true) })
}

fn place(gateway: &Gateway, id: Option<&AgentId>) -> Result<(AgentId, PathBuf), RequestError> {
    match id {
        Some(id) => workspace(gateway, id),
        None => workspace(gateway, &gateway.config().current().agents.default_agent().id),
    }
}
