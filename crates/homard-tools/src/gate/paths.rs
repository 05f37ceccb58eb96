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

/// What the folders of the gateway's files begin with in which others work, too.
const SHARED_FOLDERS: [&str; 3] = ["media", "skills", "workspace"];

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

/// The first of these files that is one of the gateway's own in `house`: its settings, rules and records. Workspaces,
/// and what is taught and received, also lie there and are not. Blocks on the disk.
pub(super) fn of_house(house: &Path, workspace: &Path, places: &[Place]) -> Option<PathBuf> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (house, workspace) = (real(house), real(workspace));
    let is_of_house = |path: &&Path| {
        let Ok(relative) = path.strip_prefix(&house) else { return false };
        let first = relative.components().next().map(|part| part.as_os_str().to_string_lossy());
        let is_shared =
            first.is_none_or(|first| SHARED_FOLDERS.iter().any(|shared| first.starts_with(shared)));
        let is_work = workspace.starts_with(&house) && path.starts_with(&workspace);
        !is_shared && !is_work
    };
    places.iter().map(Place::path).find(is_of_house).map(Path::to_owned)
}
