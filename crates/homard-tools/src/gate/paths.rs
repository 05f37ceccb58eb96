//! Where a call's files are, and which of them steer the assistant.

use std::path::{Component, Path, PathBuf};

use crate::paths::Paths;

/// Files the assistant is told at the beginning of every conversation, or that decide what it does by itself;
/// in lower case.
const STEERING_FILES: [&str; 10] = [
    "agents.md",
    "boot.md",
    "bootstrap.md",
    "claude.md",
    "heartbeat.md",
    "identity.md",
    "memory.md",
    "soul.md",
    "tools.md",
    "user.md",
];
/// Folders whose files are instructions or run by themselves.
const STEERING_FOLDERS: [&str; 5] = [".git", ".homard", ".openclaw", "hooks", "skills"];

/// Where a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// In the workspace.
    Inside(PathBuf),
    /// Anywhere else.
    Outside(PathBuf),
    /// In the workspace, and the assistant goes by it.
    Steers(PathBuf),
}

impl Place {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Inside(path) | Self::Outside(path) | Self::Steers(path) => path,
        }
    }

    pub(super) fn into_path(self) -> PathBuf {
        match self {
            Self::Inside(path) | Self::Outside(path) | Self::Steers(path) => path,
        }
    }
}

/// Where these files really are. What is no path is left out: the tool says so better. Blocks on the disk.
pub(super) fn places(home: &Path, workspace: &Path, names: &[String]) -> Vec<Place> {
    let paths = Paths { home: home.to_owned(), workspace_only: false };
    let inside = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
    let real = names.iter().filter_map(|name| paths.resolve(workspace, name).ok());
    real.map(|path| place(&inside, path)).collect()
}

fn place(workspace: &Path, path: PathBuf) -> Place {
    let Ok(relative) = path.strip_prefix(workspace) else { return Place::Outside(path) };
    let lower = |part: Component<'_>| part.as_os_str().to_string_lossy().to_lowercase();
    let name = relative.components().next_back().map(lower).unwrap_or_default();
    let in_folder = relative.parent().is_some_and(|parent| {
        parent.components().any(|part| STEERING_FOLDERS.contains(&lower(part).as_str()))
    });
    if in_folder || STEERING_FILES.contains(&name.as_str()) {
        Place::Steers(path)
    } else {
        Place::Inside(path)
    }
}
