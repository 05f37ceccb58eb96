//! `agents.*.sandbox`: which conversations belong into a sandbox, and what they have of the disk.

use std::path::PathBuf;

use crate::paths::Paths;
use crate::raw::agents as raw;

/// Where folders of sandboxed conversations are, in the state directory.
const FOLDERS: &str = "sandboxes";

/// What is said about sandboxed conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    pub mode: SandboxMode,
    /// What they have of the agent's workspace.
    pub workspace: WorkspaceAccess,
    /// Which of them share a folder.
    pub scope: SandboxScope,
    /// Where their folders are.
    pub root: PathBuf,
    /// Whether they see other conversations as everybody does, and not only those they started.
    pub sees_all_sessions: bool,
}

/// Which conversations are sandboxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxMode {
    Off,
    /// All but the agent's main one.
    NonMain,
    All,
}

/// What a sandboxed conversation has of its agent's workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceAccess {
    /// Nothing; it works in a folder of its own.
    None,
    /// It may read it.
    Read,
    /// It works in it.
    Write,
}

/// Which sandboxed conversations share a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxScope {
    Session,
    Agent,
    Shared,
}

impl Sandbox {
    /// What holds when nobody says anything.
    pub(super) fn usual(paths: &Paths) -> Self {
        Self {
            mode: SandboxMode::Off,
            workspace: WorkspaceAccess::None,
            scope: SandboxScope::Agent,
            root: paths.state_dir.join(FOLDERS),
            sees_all_sessions: false,
        }
    }

    /// The same with what is written laid over it. A word of another version counts as the strictest.
    pub(super) fn with(self, raw: raw::Sandbox, paths: &Paths) -> Self {
        let scope = raw.scope.or_else(|| {
            let older = if raw.per_session? { "session" } else { "shared" };
            Some(older.to_owned())
        });
        Self {
            mode: raw.mode.map_or(self.mode, |word| match word.as_str() {
                "off" => SandboxMode::Off,
                "non-main" => SandboxMode::NonMain,
                _ => SandboxMode::All,
            }),
            workspace: raw.workspace_access.map_or(self.workspace, |word| match word.as_str() {
                "rw" => WorkspaceAccess::Write,
                "ro" => WorkspaceAccess::Read,
                _ => WorkspaceAccess::None,
            }),
            scope: scope.map_or(self.scope, |word| match word.as_str() {
                "shared" => SandboxScope::Shared,
                "agent" => SandboxScope::Agent,
                _ => SandboxScope::Session,
            }),
            root: raw.workspace_root.map_or(self.root, |written| paths.expand(&written)),
            sees_all_sessions: raw
                .session_tools_visibility
                .map_or(self.sees_all_sessions, |word| word == "all"),
        }
    }
}

#[cfg(test)]
mod tests;
