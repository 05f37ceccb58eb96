//! Which program a word names: the way the shell would look for it.

use std::path::{Component, Path, PathBuf};

use crate::unix;

/// A program that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name as it is called; programs with several names behave by it.
    pub name: String,
    /// Where it is: folders without links, and the name it is called by.
    pub path: PathBuf,
    /// The file behind all links.
    pub real: PathBuf,
    /// Whether it was looked up by its name rather than named by a path.
    pub by_name: bool,
}

/// Folders whose programs are what their names say, because the system put them there.
const TRUSTED_DIRS: [&str; 7] = [
    "/bin",
    "/opt/homebrew/bin",
    "/run/current-system/sw/bin",
    "/sbin",
    "/usr/bin",
    "/usr/local/bin",
    "/usr/sbin",
];

impl Program {
    /// Whether it is what its name says.
    pub(super) fn is_trusted(&self) -> bool {
        self.path.parent().is_some_and(|dir| TRUSTED_DIRS.iter().any(|trusted| Path::new(trusted) == dir))
    }
}

/// Looks for what `word` names, from `cwd` for paths and in `search` (a `PATH`) for names. Reads the disk.
///
/// A relative folder in `search` ends the search, because what it holds depends on where the shell is.
pub(super) fn find(word: &str, cwd: Option<&Path>, search: &str) -> Option<Program> {
    if word.contains('/') {
        let path = Path::new(word);
        let path = if path.is_absolute() { path.to_owned() } else { cwd?.join(path) };
        return at(&path, false);
    }
    for dir in search.split(':') {
        if !dir.starts_with('/') {
            return None;
        }
        let candidate = Path::new(dir).join(word);
        if unix::is_executable(&candidate) {
            return at(&candidate, true);
        }
    }
    None
}

fn at(path: &Path, by_name: bool) -> Option<Program> {
    let Some(Component::Normal(name)) = path.components().next_back() else { return None };
    if !unix::is_executable(path) {
        return None;
    }
    let parent = path.parent()?.canonicalize().ok()?;
    Some(Program {
        name: name.to_str()?.to_owned(),
        path: parent.join(name),
        real: path.canonicalize().ok()?,
        by_name,
    })
}
