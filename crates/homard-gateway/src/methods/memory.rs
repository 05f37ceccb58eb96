//! `memory.*`: what an agent wrote down: `MEMORY.md` and the Markdown files under `memory/`, and nothing else of its
//! workspace. Links are not followed: they may lead anywhere.

mod find;

use std::path::{Component, Path, PathBuf};

use homard_protocol::ErrorShape;
use homard_protocol::methods::agents::MAX_AGENT_FILE_BYTES;
use homard_protocol::methods::memory::{
    DEFAULT_MEMORY_HITS, MAX_MEMORY_HITS, MAX_MEMORY_QUERY_CHARS, MemoryFile, MemoryGetParams,
    MemoryGetResult, MemoryListParams, MemoryListResult, MemorySearchParams, MemorySearchResult,
};

use super::agents::files::{changed_at, look, workspace};
use super::check_range;
use super::config::blocking;
use crate::gateway::Gateway;
use crate::table::Cx;

/// The file with what is always known.
const MAIN: &str = "MEMORY.md";
/// The folder with the rest, by day or by subject.
const FOLDER: &str = "memory";
/// How deep folders in it are looked into.
const MAX_DEPTH: usize = 6;
/// Most files that are listed or searched.
const MAX_FILES: usize = 5_000;
/// Most things in folders that are looked at, files of a memory or not.
const MAX_ENTRIES: usize = 50_000;
/// Most that is read for one search, in bytes; the newest files come first.
const MAX_SEARCH_BYTES: u64 = 64 * 1024 * 1024;

/// `memory.list`.
pub(super) async fn list(cx: Cx, params: MemoryListParams) -> Result<MemoryListResult, ErrorShape> {
    let (agent_id, folder) = place(&cx.gateway, params.agent_id.as_deref())?;
    let there = folder.clone();
    let found = blocking(move || files(&there)).await?;
    Ok(MemoryListResult {
        agent_id,
        workspace: folder.display().to_string(),
        files: found.files,
        truncated: found.truncated.then_some(true),
    })
}

/// `memory.get`.
pub(super) async fn get(cx: Cx, params: MemoryGetParams) -> Result<MemoryGetResult, ErrorShape> {
    let (agent_id, folder) = place(&cx.gateway, params.agent_id.as_deref())?;
    let path = params.path;
    let name = path.clone();
    let file = blocking(move || {
        confined(&folder, &name)?;
        look(&folder, &name, true)
    });
    let file = file.await??;
    if file.missing {
        return Err(ErrorShape::invalid(format!("there is no file `{path}` in this memory")));
    }
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
pub(super) async fn search(cx: Cx, params: MemorySearchParams) -> Result<MemorySearchResult, ErrorShape> {
    const NAME: &str = "memory.search";
    check_range(NAME, "query", Some(params.query.trim().chars().count()), 1..=MAX_MEMORY_QUERY_CHARS)?;
    check_range(NAME, "limit", params.limit, 1..=MAX_MEMORY_HITS)?;
    let (agent_id, folder) = place(&cx.gateway, params.agent_id.as_deref())?;
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_MEMORY_HITS)).unwrap_or(1);
    let now = cx.gateway.clock().now_ms();
    let looked = blocking(move || look_through(&folder, &params.query, limit, now)).await?;
    Ok(MemorySearchResult { agent_id, ..looked })
}

fn place(gateway: &Gateway, id: Option<&str>) -> Result<(String, PathBuf), ErrorShape> {
    match id {
        Some(id) => workspace(gateway, id),
        None => workspace(gateway, gateway.config().current().agents.default_agent().id.as_str()),
    }
}

/// Reads the newest files first, as many as may be, and keeps the passages that fit best.
fn look_through(workspace: &Path, query: &str, limit: usize, now: i64) -> MemorySearchResult {
    let question = find::MemoryQuery::read(query);
    let Files { mut files, mut truncated } = files(workspace);
    files.sort_by_key(|file| std::cmp::Reverse(file.updated_at_ms));
    let mut left = MAX_SEARCH_BYTES;
    let mut hits = Vec::new();
    for file in files {
        if file.size > MAX_AGENT_FILE_BYTES || file.size > left {
            truncated = true;
            continue;
        }
        left -= file.size;
        // A file that went meanwhile, or may not be read, has nothing to say.
        let Ok(read) = look(workspace, &file.path, true) else { continue };
        hits.extend(question.passages(&file, read.content.as_deref().unwrap_or_default(), now));
    }
    hits.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| other.updated_at_ms.cmp(&one.updated_at_ms))
    });
    truncated |= hits.len() > limit;
    hits.truncate(limit);
    MemorySearchResult {
        results: hits,
        truncated: truncated.then_some(true),
        ..MemorySearchResult::default()
    }
}

/// The files of a memory.
#[derive(Debug, Default)]
struct Files {
    files: Vec<MemoryFile>,
    /// Whether there are more than are told.
    truncated: bool,
}

fn files(workspace: &Path) -> Files {
    let mut found = Files::default();
    if let Ok(main) = look(workspace, MAIN, false)
        && !main.missing
    {
        let (path, size) = (MAIN.to_owned(), main.size.unwrap_or_default());
        found.files.push(MemoryFile { path, size, updated_at_ms: main.updated_at_ms });
    }
    let mut entries = 0_usize;
    let mut open = vec![(FOLDER.to_owned(), 0_usize)];
    while let Some((folder, depth)) = open.pop() {
        let is_folder = std::fs::symlink_metadata(workspace.join(&folder)).is_ok_and(|meta| meta.is_dir());
        let Some(inside) = is_folder.then(|| std::fs::read_dir(workspace.join(&folder)).ok()).flatten()
        else {
            continue;
        };
        for entry in inside.flatten() {
            entries += 1;
            if entries > MAX_ENTRIES || found.files.len() >= MAX_FILES {
                found.truncated = true;
                break;
            }
            // A name that is not text cannot be asked for.
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Of a link this says that it is one.
            let Ok(meta) = entry.metadata() else { continue };
            let path = format!("{folder}/{name}");
            if meta.is_dir() && depth < MAX_DEPTH && !name.starts_with('.') {
                open.push((path, depth + 1));
            } else if meta.is_file() && is_note(&name) {
                found.files.push(MemoryFile { path, size: meta.len(), updated_at_ms: changed_at(&meta) });
            }
        }
    }
    found.files.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn is_note(name: &str) -> bool {
    !name.starts_with('.')
        && Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
}

/// Refuses a path that is not of a memory, or whose folders are links.
fn confined(workspace: &Path, path: &str) -> Result<(), ErrorShape> {
    let odd = || {
        ErrorShape::invalid(format!("`{path}` is not a file of a memory; memory.list names those there are"))
    };
    if path == MAIN {
        return Ok(());
    }
    if path.contains('\\') || path.contains('\0') || !path.starts_with("memory/") || path.contains("//") {
        return Err(odd());
    }
    let parts: Vec<&str> = Path::new(path)
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str().ok_or_else(odd),
            _ => Err(odd()),
        })
        .collect::<Result<_, _>>()?;
    let Some((name, folders)) = parts.split_last() else { return Err(odd()) };
    if !is_note(name) || folders.len() > MAX_DEPTH + 1 || folders.iter().any(|part| part.starts_with('.')) {
        return Err(odd());
    }
    let mut at = workspace.to_path_buf();
    for folder in folders {
        at.push(folder);
        if std::fs::symlink_metadata(&at).is_ok_and(|meta| !meta.is_dir()) {
            return Err(odd());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
