//! `memory.*`: what an agent wrote down. The relay's `recall` searches; here it is put into the wire's words.

use homard_memory::{Skipped, Synced};
use homard_protocol::methods::memory::index::{
    MemoryForget, MemoryForgetParams, MemoryForgetResult, MemoryIndex, MemoryIndexParams, MemoryIndexResult,
    MemoryProgress, MemorySkipped, MemoryStatus, MemoryStatusResult,
};
use homard_protocol::methods::memory::{
    DEFAULT_MEMORY_HITS, MAX_MEMORY_HITS, MAX_MEMORY_QUERY_CHARS, MemoryGet, MemoryGetParams,
    MemoryGetResult, MemoryHit, MemoryList, MemoryListParams, MemoryListResult, MemorySearch,
    MemorySearchParams, MemorySearchResult, MemoryWhose,
};
use homard_relay::{Indexed, NotRecalled, RecalledPassage};

use super::check_range;
use super::config::blocking;
use crate::error::RequestError;
use crate::table::{Cx, MethodTable};

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<MemoryForget, _, _>(forget)
        .on::<MemoryGet, _, _>(get)
        .on::<MemoryIndex, _, _>(index)
        .on::<MemoryList, _, _>(list)
        .on::<MemorySearch, _, _>(search)
        .on::<MemoryStatus, _, _>(status)
}

/// `memory.list`.
pub(super) async fn list(cx: Cx, params: MemoryListParams) -> Result<MemoryListResult, RequestError> {
    let (agent_id, place) = cx.gateway.relay().recall().place_of(params.agent_id.as_ref())?;
    let memory = place.memory();
    let found = blocking(move || memory.files()).await?;
    Ok(MemoryListResult {
        agent_id,
        workspace: place.workspace.display().to_string(),
        files: found.files,
        truncated: found.truncated.then_some(true),
    })
}

/// `memory.get`.
pub(super) async fn get(cx: Cx, params: MemoryGetParams) -> Result<MemoryGetResult, RequestError> {
    let (agent_id, place) = cx.gateway.relay().recall().place_of(params.agent_id.as_ref())?;
    let path = params.path;
    let name = path.clone();
    let file = blocking(move || place.memory().read(&name)).await??;
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
    if !(1..=MAX_MEMORY_QUERY_CHARS).contains(&params.query.trim().chars().count()) {
        let wanted = format!("ask for something, in {MAX_MEMORY_QUERY_CHARS} characters at most");
        return Err(RequestError::invalid(format!("invalid {NAME} params: at /query: {wanted}")));
    }
    check_range(NAME, "limit", params.limit, 1..=MAX_MEMORY_HITS)?;
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_MEMORY_HITS)).unwrap_or(1);
    let recall = cx.gateway.relay().recall();
    // One more tells whether there are more.
    let asked = recall.search(params.agent_id.as_ref(), params.query, Some(limit + 1), params.min_score);
    let mut found = asked.await?;
    let has_more = found.passages.len() > limit;
    found.passages.truncate(limit);
    Ok(MemorySearchResult {
        agent_id: found.agent_id,
        results: found.passages.into_iter().map(hit).collect(),
        truncated: has_more.then_some(true),
        model: found.model,
        note: found.note,
    })
}

fn hit(passage: RecalledPassage) -> MemoryHit {
    let (source, by) = (passage.source(), passage.by());
    let RecalledPassage { found, updated_at_ms, from_others, session_key } = passage;
    MemoryHit {
        path: found.path,
        start_line: found.start_line,
        end_line: found.end_line,
        line: found.line,
        score: found.score,
        snippet: found.snippet,
        updated_at_ms,
        heading: Some(found.heading).filter(|heading| !heading.is_empty()),
        date: found.day.map(|day| day.to_string()),
        matched: found.matched,
        vector_score: found.vector_score,
        whose: MemoryWhose {
            source,
            by,
            from_others: from_others.map(|label| label.to_string()),
            session_key,
        },
    }
}

/// `memory.status`.
pub(super) async fn status(cx: Cx, params: MemoryListParams) -> Result<MemoryStatusResult, RequestError> {
    let found = cx.gateway.relay().recall().standing(params.agent_id.as_ref()).await?;
    let standing = found.standing;
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Ok(MemoryStatusResult {
        agent_id: found.agent_id,
        index: found.index.display().to_string(),
        index_bytes: standing.bytes,
        files: standing.size.files,
        sessions: standing.size.sessions,
        passages: standing.size.passages,
        vectors: standing.size.vectors,
        model: found.model,
        trouble: found.trouble,
        progress: standing
            .progress
            .map(|(done, total)| MemoryProgress { done: count(done), total: count(total) }),
        skipped: skipped(standing.skipped),
        was_broken: standing.was_broken.then_some(true),
    })
}

/// `memory.index`.
pub(super) async fn index(cx: Cx, params: MemoryIndexParams) -> Result<MemoryIndexResult, RequestError> {
    let recall = cx.gateway.relay().recall();
    let Indexed { agent_id, synced } =
        recall.index(params.agent_id.as_ref(), params.force == Some(true)).await?;
    let busy = synced.is_none().then_some(true);
    let Synced { indexed, forgotten, unchanged, skipped: passed_over, .. } = synced.unwrap_or_default();
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Ok(MemoryIndexResult {
        agent_id,
        indexed: count(indexed),
        forgotten: count(forgotten),
        unchanged: count(unchanged),
        skipped: skipped(passed_over),
        busy,
    })
}

/// `memory.forget`.
pub(super) async fn forget(cx: Cx, params: MemoryForgetParams) -> Result<MemoryForgetResult, RequestError> {
    let (agent_id, place) = cx.gateway.relay().recall().place_of(params.agent_id.as_ref())?;
    let path = params.path.clone();
    let line = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
    let (removed, hash) = blocking(move || {
        let lines = line(params.start_line)..=line(params.end_line);
        place.memory().replace_lines(&params.path, &params.hash, lines, params.replacement.as_deref())
    })
    .await??;
    Ok(MemoryForgetResult { agent_id, path, hash, removed })
}

fn skipped(files: Vec<Skipped>) -> Vec<MemorySkipped> {
    let told = |file: Skipped| MemorySkipped { path: file.path, reason: file.reason.to_owned() };
    files.into_iter().map(told).collect()
}

impl From<NotRecalled> for RequestError {
    fn from(error: NotRecalled) -> Self {
        match error {
            NotRecalled::File(error) => error.into(),
            NotRecalled::UnknownAgent(_) | NotRecalled::Off(_) => Self::invalid(error.to_string()),
            NotRecalled::Index(_) | NotRecalled::Store(_) | NotRecalled::Stopped => {
                tracing::error!(%error, "a memory cannot be used");
                Self::unavailable(error.to_string())
            }
        }
    }
}
