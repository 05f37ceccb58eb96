//! Making all changes of a patch, or none: what was done is taken back when a later step fails.
//!
//! This protects against a disk that refuses half-way. It is not a lock: programs that change the same files at
//! the same moment are not kept out.

use std::fs::{self, Permissions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::files::open_no_symlinks::{HeldFolder, open_no_symlinks};
use crate::files::undo::PlannedChange;
use crate::tools::file_edits::replace_file::{ReplaceError, replace_file};

/// One change to the disk.
#[derive(Debug)]
pub(super) enum PatchStep {
    /// The file holds this afterwards, with the mode of the file it came from.
    Put { path: PathBuf, content: Vec<u8>, mode: Option<Permissions> },
    /// The file is gone afterwards.
    Remove { path: PathBuf },
}

impl PatchStep {
    /// The step as what is kept before it is told.
    pub(super) fn planned(&self) -> PlannedChange {
        match self {
            Self::Put { path, content, .. } => PlannedChange::put(path, content),
            Self::Remove { path } => PlannedChange::remove(path),
        }
    }
}

/// Why a patch was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommitError {
    #[error("nothing was changed")]
    Replace(#[source] ReplaceError),
    #[error("nothing was changed: could not change `{path}`")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the patch was half applied and could not be taken back; look at: {}", shown(paths))]
    Torn {
        paths: Vec<PathBuf>,
        #[source]
        source: Box<Self>,
    },
}

fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ")
}

/// How to take one step back.
struct Undo {
    path: PathBuf,
    before: Option<(Vec<u8>, Permissions)>,
    /// Directories that were not there, the deepest first.
    made: Vec<PathBuf>,
}

/// Does every step, or none.
pub(super) fn commit(steps: &[PatchStep]) -> Result<(), CommitError> {
    let mut undos = Vec::new();
    for step in steps {
        if let Err(error) = perform(step, &mut undos) {
            let paths: Vec<PathBuf> =
                undos.iter().rev().filter(|undo| !undo.take_back()).map(|undo| undo.path.clone()).collect();
            return Err(if paths.is_empty() {
                error
            } else {
                CommitError::Torn { paths, source: Box::new(error) }
            });
        }
    }
    Ok(())
}

fn perform(step: &PatchStep, undos: &mut Vec<Undo>) -> Result<(), CommitError> {
    let (PatchStep::Put { path, .. } | PatchStep::Remove { path }) = step;
    let failed = |source| CommitError::Io { path: path.clone(), source };
    let before = match fs::metadata(path) {
        Ok(found) => Some((read_whole(path).map_err(failed)?, found.permissions())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    let missing = path.ancestors().skip(1).take_while(|parent| !parent.exists());
    undos.push(Undo { path: path.clone(), before, made: missing.map(Path::to_owned).collect() });
    match step {
        PatchStep::Put { content, mode, .. } => {
            replace_file(path, content).map_err(CommitError::Replace)?;
            if let Some(mode) = mode {
                open_no_symlinks(path).and_then(|file| file.set_permissions(mode.clone())).map_err(failed)?;
            }
        }
        PatchStep::Remove { .. } => {
            HeldFolder::of(path).and_then(|folder| fs::remove_file(folder.at(path))).map_err(failed)?;
        }
    }
    Ok(())
}

fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_no_symlinks(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Undo {
    /// Says whether the file is as it was.
    fn take_back(&self) -> bool {
        let restored = match &self.before {
            Some((content, mode)) => {
                replace_file(&self.path, content).is_ok()
                    && fs::set_permissions(&self.path, mode.clone()).is_ok()
            }
            None => fs::remove_file(&self.path).is_ok() || !self.path.exists(),
        };
        for made in &self.made {
            // Somebody may have put something there meanwhile; then it stays.
            fs::remove_dir(made).ok();
        }
        restored
    }
}

#[cfg(test)]
mod tests;
