//! A memory: `MEMORY.md` and the Markdown files under `memory/`, and nothing else of a workspace. Links are not
//! followed: they may lead anywhere.

use std::path::{Component, Path, PathBuf};

use homard_protocol::methods::agents::{AgentFile, MAX_AGENT_FILE_BYTES};
use homard_protocol::methods::memory::{MemoryFile, MemoryHit};

use crate::find;
use crate::workspace_file::{self, WorkspaceFileError, changed_at};

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

/// What an agent wrote down in its workspace.
#[derive(Debug, Clone)]
pub struct Memory {
    workspace: PathBuf,
}

/// The files of a memory.
#[derive(Debug, Default)]
pub struct MemoryFiles {
    pub files: Vec<MemoryFile>,
    /// Whether there are more than are told.
    pub truncated: bool,
}

/// What a search found.
#[derive(Debug, Default)]
pub struct MemoryMatches {
    pub hits: Vec<MemoryHit>,
    /// Whether there are more, or not everything was looked through.
    pub truncated: bool,
}

impl Memory {
    /// The memory in a workspace.
    #[must_use]
    pub fn new(workspace: PathBuf) -> Self {
        Self { workspace }
    }

    /// The files there are.
    #[must_use]
    pub fn files(&self) -> MemoryFiles {
        files(&self.workspace)
    }

    /// One file with its text.
    ///
    /// # Errors
    /// When there is none, it is not of a memory, or it cannot be read.
    pub fn read(&self, path: &str) -> Result<AgentFile, WorkspaceFileError> {
        confined(&self.workspace, path)?;
        let file = workspace_file::read(&self.workspace, path)?;
        if file.missing { Err(WorkspaceFileError::Missing(path.to_owned())) } else { Ok(file) }
    }

    /// The passages that fit some words best, `limit` at most.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize, now: i64) -> MemoryMatches {
        look_through(&self.workspace, query, limit, now)
    }
}

/// Reads the newest files first, as many as may be, and keeps the passages that fit best.
fn look_through(workspace: &Path, query: &str, limit: usize, now: i64) -> MemoryMatches {
    let question = find::MemoryQuery::read(query);
    let MemoryFiles { mut files, mut truncated } = files(workspace);
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
        let Ok(read) = workspace_file::read(workspace, &file.path) else { continue };
        hits.extend(question.passages(&file, read.content.as_deref().unwrap_or_default(), now));
    }
    hits.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| other.updated_at_ms.cmp(&one.updated_at_ms))
    });
    truncated |= hits.len() > limit;
    hits.truncate(limit);
    MemoryMatches { hits, truncated }
}

fn files(workspace: &Path) -> MemoryFiles {
    let mut found = MemoryFiles::default();
    if let Ok(main) = workspace_file::look(workspace, MAIN)
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
fn confined(workspace: &Path, path: &str) -> Result<(), WorkspaceFileError> {
    let odd = || WorkspaceFileError::NotOfAMemory(path.to_owned());
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
