//! Putting new content in a file's place in one step.
//!
//! Every tool that changes files does it here, after it had what it replaces kept (`undo`).

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::files::open_no_symlinks::HeldFolder;
use homard_runtime::FileDraft;

/// Why a file could not be replaced.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplaceError {
    #[error("`{path}` is not a regular file")]
    NotAFile { path: PathBuf },
    #[error("could not create the directory `{path}`")]
    Parent {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("could not write `{path}`")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// That nothing but a regular file would be replaced.
pub(crate) fn check_replaceable(path: &Path) -> Result<(), ReplaceError> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(ReplaceError::NotAFile { path: path.to_owned() }),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Writes `content` beside `path` and renames it into place, so that readers see the old file or the new one
/// and never a part. Creates parents; keeps the mode of a file that was there. Says whether it was new.
///
/// `path` has no links in it; one that was put there since is not followed. The data is not forced to disk: it survives
/// our own death, not a power cut, and costs no flush per edit.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> Result<bool, ReplaceError> {
    let parent = path.parent().ok_or_else(|| ReplaceError::NotAFile { path: path.to_owned() })?;
    fs::create_dir_all(parent).map_err(|source| ReplaceError::Parent { path: parent.to_owned(), source })?;
    let failed = |source| ReplaceError::Write { path: path.to_owned(), source };
    let folder = HeldFolder::of(path).map_err(failed)?;
    let old = match fs::symlink_metadata(folder.at(path)) {
        Ok(found) if !found.is_file() => return Err(ReplaceError::NotAFile { path: path.to_owned() }),
        Ok(found) => Some(found.permissions()),
        Err(_) => None,
    };
    let created = old.is_none();
    write_beside(&folder.at(path), content, old).map_err(failed)?;
    Ok(created)
}

fn write_beside(path: &Path, content: &[u8], mode: Option<Permissions>) -> io::Result<()> {
    let mut draft = FileDraft::shared(path)?;
    draft.write_all(content)?;
    if let Some(mode) = mode {
        draft.file().set_permissions(mode)?;
    }
    draft.commit_unflushed()
}
