//! Looking around in a workspace: what lies in a folder of it, and any plain file. Nothing is followed that leads out.

use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use homard_protocol::methods::agents::MAX_AGENT_FILE_BYTES;
use homard_protocol::methods::agents::workspace::{WorkspaceEntry, WorkspaceEntryKind};

use crate::workspace_file::{WorkspaceFileError, changed_at, read_plain, unreadable};

/// A file of a workspace as it lies there.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Seen from the workspace.
    pub path: String,
    pub name: String,
    pub updated_at_ms: i64,
    pub bytes: Vec<u8>,
}

/// The folder a path names, seen from the workspace, and what lies in it: folders first, then files, each by name. Links
/// and whatever else is neither are not told.
///
/// # Errors
/// When there is no such folder, or it cannot be read.
pub fn list(workspace: &Path, path: &str) -> Result<(String, Vec<WorkspaceEntry>), WorkspaceFileError> {
    let inside = inside(path)?;
    let (folder, meta) = walk(workspace, &inside, path)?;
    if !meta.is_dir() {
        return Err(WorkspaceFileError::NotAFolder(path.to_owned()));
    }
    let failed = |source| unreadable(path, source);
    let mut entries = Vec::new();
    for found in std::fs::read_dir(folder).map_err(failed)? {
        let found = found.map_err(failed)?;
        // One that went away meanwhile is not there; a name that is no text cannot be told.
        let (Ok(meta), Ok(name)) = (found.metadata(), found.file_name().into_string()) else { continue };
        let kind = match (meta.is_dir(), meta.is_file()) {
            (true, _) => WorkspaceEntryKind::Directory,
            (_, true) => WorkspaceEntryKind::File,
            _ => continue,
        };
        entries.push(WorkspaceEntry {
            path: told(&inside.join(&name)),
            name,
            kind,
            size: meta.is_file().then_some(meta.len()),
            updated_at_ms: changed_at(&meta),
        });
    }
    entries.sort_by(|one, other| {
        let files_last = |entry: &WorkspaceEntry| entry.kind == WorkspaceEntryKind::File;
        (files_last(one), &one.name).cmp(&(files_last(other), &other.name))
    });
    Ok((told(&inside), entries))
}

/// A plain file and what is in it.
///
/// # Errors
/// When there is none, it is too large, or it cannot be read.
pub fn fetch(workspace: &Path, path: &str) -> Result<FoundFile, WorkspaceFileError> {
    let inside = inside(path)?;
    let (place, meta) = walk(workspace, &inside, path)?;
    if !meta.is_file() {
        return Err(WorkspaceFileError::NotPlain(path.to_owned()));
    }
    if meta.len() > MAX_AGENT_FILE_BYTES {
        return Err(WorkspaceFileError::TooLarge(path.to_owned()));
    }
    let bytes = read_plain(&place, MAX_AGENT_FILE_BYTES)
        .map_err(|source| unreadable(path, source))?
        .ok_or_else(|| WorkspaceFileError::TooLarge(path.to_owned()))?;
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(FoundFile { path: told(&inside), name, updated_at_ms: changed_at(&meta).unwrap_or(0), bytes })
}

/// A path that stays below where it begins.
fn inside(path: &str) -> Result<PathBuf, WorkspaceFileError> {
    let mut inside = PathBuf::new();
    for part in Path::new(path.trim()).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => inside.push(name),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(WorkspaceFileError::Outside(path.to_owned()));
            }
        }
    }
    Ok(inside)
}

/// Goes there step by step: a link on the way may lead anywhere.
fn walk(workspace: &Path, inside: &Path, asked: &str) -> Result<(PathBuf, Metadata), WorkspaceFileError> {
    let look = |place: &Path| {
        std::fs::symlink_metadata(place).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => WorkspaceFileError::NotThere(asked.to_owned()),
            _ => unreadable(asked, error),
        })
    };
    let mut place = workspace.to_owned();
    // The workspace itself may be a link: its owner chose it.
    let mut meta = std::fs::metadata(workspace).map_err(|error| unreadable(asked, error))?;
    for part in inside {
        place.push(part);
        meta = look(&place)?;
        if meta.is_symlink() {
            return Err(WorkspaceFileError::NotPlain(asked.to_owned()));
        }
    }
    Ok((place, meta))
}

fn told(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::{fetch, list};

    #[test]
    fn folders_and_files_are_told_and_nothing_leads_out() {
        let home = tempfile::tempdir().unwrap();
        let (workspace, secret) = (home.path().join("work"), home.path().join("secret"));
        fs::create_dir_all(workspace.join("notes/deep")).unwrap();
        fs::write(workspace.join("notes/b.md"), "bee").unwrap();
        fs::write(workspace.join("A.md"), [0xff, 0]).unwrap();
        fs::create_dir(&secret).unwrap();
        fs::write(secret.join("key"), "x").unwrap();
        symlink(&secret, workspace.join("out")).unwrap();

        let names = |path: &str| {
            let (told, entries) = list(&workspace, path).unwrap();
            (told, entries.into_iter().map(|entry| entry.path).collect::<Vec<_>>())
        };
        assert_eq!(names(""), (String::new(), vec!["notes".to_owned(), "A.md".to_owned()]));
        assert_eq!(names("./notes/").1, ["notes/deep", "notes/b.md"]);
        assert_eq!(fetch(&workspace, "notes/b.md").unwrap().bytes, b"bee");
        assert_eq!(fetch(&workspace, "A.md").unwrap().bytes, [0xff, 0]);
        for (path, words) in [
            ("../secret/key", "outside"),
            ("/etc/passwd", "outside"),
            ("out/key", "not a plain file"),
            ("notes/none", "no `notes/none`"),
            ("notes", "not a plain file"),
        ] {
            let refused = fetch(&workspace, path).unwrap_err().to_string();
            assert!(refused.contains(words), "{path}: {refused}");
        }
        assert!(list(&workspace, "out").is_err() && list(&workspace, "A.md").is_err());
    }
}
