//! Where a file tool may reach: from the text a model wrote to one real path.
//!
//! Symbolic links are followed here, one by one, also dangling ones and also above files that do not exist
//! yet, so that "inside the workspace" is decided on the path the system will really use. The guard stops
//! mistakes and tricks in arguments; it is not a sandbox against programs running at the same time.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::cx::ToolCx;
use crate::files::file_access::{FileAccess, Withheld, real_path};

/// Longest path a model may write, in characters; also the system's own limit.
pub(crate) const MAX_PATH_CHARS: usize = 4096;
/// Most symbolic links followed in one path; the system's own limit.
const MAX_LINKS: usize = 40;

/// Why a text is not a path that may be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PathError {
    #[error("the path is empty: name a file, for example `notes.md`")]
    Empty,
    #[error("the path has a NUL character")]
    Nul,
    #[error("the path is longer than {limit} characters")]
    TooLong { limit: usize },
    #[error("`{path}` is outside the workspace `{workspace}`: use a path inside it")]
    Outside { path: String, workspace: PathBuf },
    #[error("`{path}` {why}")]
    Withheld { path: String, why: Withheld },
    #[error("`{path}` leads through more than {MAX_LINKS} symbolic links")]
    TooManyLinks { path: String },
    #[error("could not look at `{path}`")]
    Look {
        path: String,
        #[source]
        source: io::Error,
    },
}

/// The rules for paths, the same for every file tool.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) home: PathBuf,
    /// Whether paths that lead out of the workspace are refused.
    pub(crate) workspace_only: bool,
    /// Which files whoever asked may have.
    pub(crate) access: FileAccess,
}

impl Paths {
    /// The rules a tool is built with; each call brings its own.
    pub(crate) fn new(home: &Path, workspace_only: bool) -> Self {
        Self { home: home.to_owned(), workspace_only, access: FileAccess::default() }
    }

    /// The rules for one call: the run's own word about the workspace counts.
    pub(crate) fn for_call(&self, cx: &ToolCx) -> Self {
        let workspace_only = cx.scope.access.workspace_only.unwrap_or(self.workspace_only);
        Self { workspace_only, access: cx.scope.access.clone(), ..self.clone() }
    }

    /// The rules for a call that changes files: what was given to a sandboxed conversation is only read.
    pub(crate) fn for_change(&self, cx: &ToolCx) -> Self {
        let paths = self.for_call(cx);
        Self { workspace_only: paths.workspace_only || paths.access.is_confined, ..paths }
    }

    /// The same for a tool with a rule of its own about the workspace, which a run can only make stricter.
    pub(crate) fn narrowed_for(&self, cx: &ToolCx) -> Self {
        let access = &cx.scope.access;
        let workspace_only = self.workspace_only || access.workspace_only == Some(true) || access.is_confined;
        Self { workspace_only, access: cx.scope.access.clone(), ..self.clone() }
    }

    /// The real path `raw` means, with every symbolic link followed. The file need not exist. Blocks on the
    /// disk, so call it off the async threads.
    pub(crate) fn resolve(&self, workspace: &Path, raw: &str) -> Result<PathBuf, PathError> {
        check(raw)?;
        let look = |source| PathError::Look { path: raw.to_owned(), source };
        let asked = std::path::absolute(self.place(workspace, raw)).map_err(look)?;
        let real = follow(&asked, raw)?;
        let inside = real_path(workspace);
        if self.workspace_only && !real.starts_with(&inside) {
            return Err(PathError::Outside { path: raw.to_owned(), workspace: inside });
        }
        self.access.check(&inside, &real).map_err(|why| PathError::Withheld { path: raw.to_owned(), why })?;
        Ok(real)
    }

    /// Whether the last part of `raw` is itself a link; `resolve` answers for what it points to.
    pub(crate) fn is_link(&self, workspace: &Path, raw: &str) -> bool {
        self.place(workspace, raw).symlink_metadata().is_ok_and(|found| found.is_symlink())
    }

    fn place(&self, workspace: &Path, raw: &str) -> PathBuf {
        match raw.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => self.home.join(rest.trim_start_matches('/')),
            Some(_) | None => workspace.join(raw),
        }
    }
}

fn check(raw: &str) -> Result<(), PathError> {
    if raw.trim().is_empty() {
        return Err(PathError::Empty);
    }
    if raw.contains('\0') {
        return Err(PathError::Nul);
    }
    if raw.chars().count() > MAX_PATH_CHARS {
        return Err(PathError::TooLong { limit: MAX_PATH_CHARS });
    }
    Ok(())
}

/// Walks `path` from the root, replacing each link by what it points to.
fn follow(path: &Path, raw: &str) -> Result<PathBuf, PathError> {
    let mut real = PathBuf::from("/");
    let mut ahead = reversed_parts(path);
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        if part == "/" {
            real = PathBuf::from("/");
        } else if part == ".." {
            real.pop();
        } else if part != "." {
            match link_target(&real.join(&part), raw)? {
                None => real.push(part),
                Some(_) if links == MAX_LINKS => {
                    return Err(PathError::TooManyLinks { path: raw.to_owned() });
                }
                Some(target) => {
                    links += 1;
                    ahead.extend(reversed_parts(&target));
                }
            }
        }
    }
    Ok(real)
}

fn reversed_parts(path: &Path) -> Vec<OsString> {
    path.components().rev().map(|part| OsStr::to_owned(part.as_os_str())).collect()
}

/// What the link at `path` points to; `None` when it is no link or nothing is there.
fn link_target(path: &Path, raw: &str) -> Result<Option<PathBuf>, PathError> {
    let look = |source| PathError::Look { path: raw.to_owned(), source };
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => path.read_link().map(Some).map_err(look),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(look(source)),
    }
}

#[cfg(test)]
mod tests;
