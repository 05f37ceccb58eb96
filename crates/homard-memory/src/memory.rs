//! A memory: `MEMORY.md`, the Markdown files under `memory/`, and what else the owner names; nothing else of a workspace.
//! Links are not followed: they may lead anywhere.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use homard_protocol::methods::agents::AgentFile;
use homard_protocol::methods::memory::MemoryFile;

use crate::workspace_file::{self, WorkspaceFileError, is_text, since_epoch_ms};

/// The file with what is always known, and how it may also be spelled.
const MAIN: &str = "MEMORY.md";
const MAIN_IN_SMALL: &str = "memory.md";
/// The folder with the rest, by day or by subject.
const FOLDER: &str = "memory";
/// How deep folders in it are looked into.
const MAX_DEPTH: usize = 6;
/// Most files that are listed or searched.
const MAX_FILES: usize = 50_000;
/// Why a link is not looked into.
const LINK: &str = "is a link, which may lead anywhere";
/// Why a place the owner named adds nothing.
const NOT_THERE: &str = "is not there";
/// Most things in folders that are looked at, files of a memory or not.
const MAX_ENTRIES: usize = 200_000;

/// What an agent wrote down in its workspace.
#[derive(Debug, Clone)]
pub struct Memory {
    workspace: PathBuf,
    extra: Vec<PathBuf>,
}

/// A file that is not looked into, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub path: String,
    pub reason: &'static str,
}

/// The files of a memory.
#[derive(Debug, Default)]
pub struct MemoryFiles {
    pub files: Vec<MemoryFile>,
    pub skipped: Vec<Skipped>,
    /// Whether there are more than are told.
    pub truncated: bool,
}

/// A file of a memory as it was found, with what tells whether it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteFile {
    /// As it is told.
    pub(crate) path: String,
    pub(crate) place: PathBuf,
    pub(crate) size: u64,
    pub(crate) modified: Option<SystemTime>,
}

/// What a look around found.
#[derive(Debug, Default)]
pub(crate) struct FoundFiles {
    /// By their paths. A map of small pieces and no list: a list of ten thousand is a block of a megabyte, and once such a
    /// block was given back, the C library keeps as much at the end of each of its arenas.
    pub(crate) notes: BTreeMap<String, NoteFile>,
    pub(crate) skipped: Vec<Skipped>,
    /// The folders that were looked into.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) truncated: bool,
}

impl Memory {
    /// The memory in a workspace, and the files and folders the owner counts to it besides.
    #[must_use]
    pub fn new(workspace: PathBuf, extra: Vec<PathBuf>) -> Self {
        let extra = extra.into_iter().map(|path| plain(&workspace.join(path))).collect();
        Self { workspace, extra }
    }

    /// The files there are.
    #[must_use]
    pub fn files(&self) -> MemoryFiles {
        let FoundFiles { notes, skipped, truncated, .. } = self.look();
        let told = |note: NoteFile| MemoryFile {
            path: note.path,
            size: note.size,
            updated_at_ms: note.modified.and_then(since_epoch_ms),
        };
        MemoryFiles { files: notes.into_values().map(told).collect(), skipped, truncated }
    }

    /// The same with what tells whether they changed.
    pub(crate) fn look(&self) -> FoundFiles {
        let mut walk = Walk { workspace: &self.workspace, found: FoundFiles::default(), entries: 0 };
        for path in self.main().into_iter().chain([self.workspace.join(FOLDER)]) {
            walk.look(path);
        }
        for named in &self.extra {
            if std::fs::symlink_metadata(named).is_ok() {
                walk.look(named.clone());
            } else {
                // A slip of the pen, or it comes later: a place that cannot be listened to is looked for again.
                walk.found.folders.push(named.clone());
                walk.skip(named, NOT_THERE);
            }
        }
        walk.found
    }

    /// The file with what is always known, however it is spelled.
    fn main(&self) -> Option<PathBuf> {
        [MAIN, MAIN_IN_SMALL].map(|name| self.workspace.join(name)).into_iter().find(|path| path.exists())
    }

    /// One place of it as it is now: what is told of it, and the file if there still is one that may be read.
    pub(crate) fn look_at(&self, place: &Path) -> Option<(String, Option<NoteFile>)> {
        let path = place.strip_prefix(&self.workspace).unwrap_or(place).to_str()?.to_owned();
        let place = self.place_of(&path).ok()?;
        let is_other_main = path == MAIN_IN_SMALL && self.main().is_some_and(|main| main != place);
        let meta = std::fs::symlink_metadata(&place).ok().filter(|meta| meta.is_file() && !is_other_main);
        let note = meta.map(|meta| NoteFile {
            path: path.clone(),
            size: meta.len(),
            modified: meta.modified().ok(),
            place,
        });
        Some((path, note))
    }

    /// Where a file of this memory is.
    ///
    /// # Errors
    /// When it is not of this memory.
    pub fn place_of(&self, path: &str) -> Result<PathBuf, WorkspaceFileError> {
        let asked = self.workspace.join(path);
        let is_plain = Path::new(path)
            .components()
            .all(|part| !matches!(part, Component::ParentDir | Component::CurDir));
        for extra in self.extra.iter().filter(|_| is_plain && !path.contains('\0')) {
            let inside = asked.strip_prefix(extra).ok();
            if let Some(inside) =
                inside.filter(|_| asked.file_name().and_then(|name| name.to_str()).is_some_and(is_note))
            {
                return without_links(extra, inside)
                    .ok_or_else(|| WorkspaceFileError::NotOfAMemory(path.to_owned()));
            }
        }
        confined(&self.workspace, path)?;
        Ok(asked)
    }

    /// One file with its text.
    ///
    /// # Errors
    /// When there is none, it is not of a memory, or it cannot be read.
    pub fn read(&self, path: &str) -> Result<AgentFile, WorkspaceFileError> {
        let place = self.place_of(path)?;
        let (folder, name) =
            (place.parent().unwrap_or(&self.workspace), place.file_name().unwrap_or_default());
        let mut file = workspace_file::read(folder, &name.to_string_lossy())?;
        path.clone_into(&mut file.name);
        if file.missing {
            return Err(WorkspaceFileError::Missing(path.to_owned()));
        }
        match file.content.as_ref().is_none_or(|text| is_text(text.as_bytes())) {
            true => Ok(file),
            false => Err(WorkspaceFileError::NotText(path.to_owned())),
        }
    }
}

impl Memory {
    /// Takes lines out of a note, counted from 1, and puts others in their place. Returns what was taken out and the
    /// note's new hash.
    ///
    /// # Errors
    /// When the note is not the one that was seen, has no such lines, or cannot be written.
    pub fn replace_lines(
        &self,
        path: &str,
        seen: &str,
        taken: RangeInclusive<usize>,
        replacement: Option<&str>,
    ) -> Result<(String, String), WorkspaceFileError> {
        let file = self.read(path)?;
        if file.hash.as_deref() != Some(seen) {
            return Err(WorkspaceFileError::Changed(path.to_owned()));
        }
        let text = file.content.unwrap_or_default();
        // What was read with other characters in the place of those nobody knows is not written back.
        if file.hash.as_deref() != Some(workspace_file::hash(text.as_bytes()).as_str()) {
            return Err(WorkspaceFileError::NotUtf8(path.to_owned()));
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (from, to) = (taken.start().saturating_sub(1), *taken.end());
        let (Some(before), Some(gone), Some(after)) =
            (lines.get(..from), lines.get(from..to), lines.get(to..))
        else {
            return Err(WorkspaceFileError::NoSuchLines(path.to_owned()));
        };
        let written = [before.concat(), replacement.unwrap_or_default().to_owned(), after.concat()].concat();
        let place = self.place_of(path)?;
        let (folder, name) =
            (place.parent().unwrap_or(&self.workspace), place.file_name().unwrap_or_default());
        workspace_file::replace(folder, &name.to_string_lossy(), &written)?;
        let now = self.read(path)?;
        Ok((gone.concat(), now.hash.unwrap_or_default()))
    }
}

/// A path without `..` and `.` in it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// A path below a folder, if none of its own folders is a link.
fn without_links(folder: &Path, inside: &Path) -> Option<PathBuf> {
    let mut at = folder.to_path_buf();
    for part in inside.components() {
        if std::fs::symlink_metadata(&at).is_ok_and(|meta| meta.is_symlink()) && at != folder {
            return None;
        }
        at.push(part);
    }
    Some(at)
}

/// Looking around for files.
struct Walk<'w> {
    workspace: &'w Path,
    found: FoundFiles,
    entries: usize,
}

impl Walk<'_> {
    fn look(&mut self, from: PathBuf) {
        let mut open = vec![(from, 0_usize)];
        while let Some((path, depth)) = open.pop() {
            let Ok(meta) = std::fs::symlink_metadata(&path) else { continue };
            if meta.is_symlink() {
                self.skip(&path, LINK);
            } else if meta.is_file() {
                // Changes of a single file are heard of in its folder.
                self.found.folders.extend(path.parent().map(Path::to_owned));
                match path.file_name().and_then(|name| name.to_str()).is_some_and(is_note) {
                    true => self.take(&path, &meta),
                    false => self.skip(&path, "is not Markdown (`.md`)"),
                }
            } else if meta.is_dir() {
                self.open(&path, depth, &mut open);
            }
        }
    }

    fn open(&mut self, folder: &Path, depth: usize, open: &mut Vec<(PathBuf, usize)>) {
        let Ok(inside) = std::fs::read_dir(folder) else { return self.skip(folder, "cannot be looked into") };
        self.found.folders.push(folder.to_owned());
        for entry in inside.flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES || self.found.notes.len() >= MAX_FILES {
                self.found.truncated = true;
                return;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let (path, name) = (entry.path(), entry.file_name());
            let Some(name) = name.to_str() else {
                // A name that is not text cannot be asked for.
                if kind.is_dir() || is_note(&name.to_string_lossy()) {
                    self.skip(&path, "has a name that is not UTF-8");
                }
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                match depth < MAX_DEPTH {
                    true => open.push((path, depth + 1)),
                    false => self.skip(&path, "lies too deep"),
                }
            } else if kind.is_symlink() {
                // Whoever keeps notes elsewhere expects them to be found.
                if is_note(name) || path.is_dir() {
                    self.skip(&path, LINK);
                }
            } else if is_note(name) {
                match entry.metadata() {
                    Ok(meta) if meta.is_file() => self.take(&path, &meta),
                    Ok(_) => self.skip(&path, "is no plain file"),
                    // It went away meanwhile.
                    Err(_) => {}
                }
            }
        }
    }

    fn take(&mut self, place: &Path, meta: &std::fs::Metadata) {
        let Some(path) = self.told(place) else { return };
        let (size, modified) = (meta.len(), meta.modified().ok());
        let note = NoteFile { path: path.clone(), place: place.to_owned(), size, modified };
        self.found.notes.entry(path).or_insert(note);
    }

    fn skip(&mut self, path: &Path, reason: &'static str) {
        let path = path.strip_prefix(self.workspace).unwrap_or(path).to_string_lossy().into_owned();
        self.found.skipped.push(Skipped { path, reason });
    }

    /// From the workspace on where it is in there.
    fn told(&self, path: &Path) -> Option<String> {
        path.strip_prefix(self.workspace).unwrap_or(path).to_str().map(str::to_owned)
    }
}

pub(crate) fn is_note(name: &str) -> bool {
    !name.starts_with('.')
        && Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
}

/// Refuses a path that is not of a memory, or whose folders are links.
fn confined(workspace: &Path, path: &str) -> Result<(), WorkspaceFileError> {
    let odd = || WorkspaceFileError::NotOfAMemory(path.to_owned());
    if path == MAIN || path == MAIN_IN_SMALL {
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
