//! Where a call's files are, and which of them steer the assistant.

use std::path::{Component, Path, PathBuf};

use crate::files::paths::Paths;
use crate::words_of_others::taint::misleads;

/// What files are called that the assistant, or another agent that works in the same folder, is told at the beginning of
/// every conversation, or that decide what it does by itself; up to the first dot, folded.
const STEERING_FILES: [&str; 17] = [
    "agent",
    "agents",
    "boot",
    "bootstrap",
    "claude",
    "codex",
    "crush",
    "gemini",
    "heartbeat",
    "identity",
    "memory",
    "opencode",
    "qwen",
    "soul",
    "tools",
    "user",
    "warp",
];
/// Those of them that are also written as settings.
const STEERING_SETTINGS: [&str; 3] = ["codex", "crush", "opencode"];
/// Folders whose files are instructions or run by themselves. Everything that begins with a dot does, too: `.git`
/// (also as a file), `.env`, `.envrc`, `.husky`, `.claude`, `.mcp.json`, `.vscode`, `.cargo`.
const STEERING_FOLDERS: [&str; 2] = ["hooks", "skills"];

/// Where a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FilePlace {
    Inside(PathBuf),
    Outside(PathBuf),
    /// In the workspace, and the assistant goes by it.
    Steers(PathBuf),
}

impl FilePlace {
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
pub(super) fn places(home: &Path, workspace: &Path, names: &[String]) -> Vec<FilePlace> {
    let paths = Paths::new(home, false);
    let inside = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
    let real = names.iter().filter_map(|name| paths.resolve(workspace, name).ok());
    real.map(|path| place(&inside, path)).collect()
}

fn place(workspace: &Path, path: PathBuf) -> FilePlace {
    let Ok(relative) = path.strip_prefix(workspace) else { return FilePlace::Outside(path) };
    let parts: Vec<String> = relative.components().map(folded).collect();
    let name = parts.last().map_or("", String::as_str);
    let steers = |part: &String| part.starts_with('.') || STEERING_FOLDERS.contains(&part.as_str());
    if parts.iter().any(steers) || is_steering(name) {
        FilePlace::Steers(path)
    } else {
        FilePlace::Inside(path)
    }
}

/// Whether a file is one that agents are told: `AGENTS.md`, `CLAUDE.local.md`, `opencode.json`.
fn is_steering(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    match last {
        "md" | "mdx" => STEERING_FILES.contains(&first),
        "json" | "jsonc" | "toml" => STEERING_SETTINGS.contains(&first),
        _ => false,
    }
}

/// A name as a file system that does not tell some letters apart may read it: without characters nobody sees, in one
/// case.
fn folded(part: Component<'_>) -> String {
    let seen = part.as_os_str().to_string_lossy().chars().filter(|c| !misleads(*c)).collect::<String>();
    seen.to_uppercase().to_lowercase()
}
