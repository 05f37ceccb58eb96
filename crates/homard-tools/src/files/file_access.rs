//! Which files a turn may have, by who asked for it.
//!
//! The gateway's own records (settings, logins, conversations, the database) are read and changed through their own
//! methods and by nobody through a file tool, the owner's model included. People who are not the owner have the
//! workspace, less what is about the owner, and what was given to the conversation: skills, and files by the
//! unguessable names they were kept under.

use std::path::{Component, Path, PathBuf};

use homard_config::Records;

/// Where files that came with messages are kept, in the state directory.
const RECEIVED: &str = "media/inbound";
/// Files of the workspace that are about the owner; in lower case.
const OWNERS_FILES: [&str; 5] = ["boot.md", "bootstrap.md", "heartbeat.md", "memory.md", "user.md"];
/// The folder of the workspace with what the assistant remembers.
const OWNERS_FOLDER: &str = "memory";

/// Who asked for what a turn does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Caller {
    #[default]
    Owner,
    /// Anybody else: a person, a hook, a helper that works for them.
    Guest,
}

/// What a turn may have of the disk. The default is the owner's turn in a house without records.
#[derive(Debug, Clone, Default)]
pub struct FileAccess {
    pub caller: Caller,
    /// Whether a guest has all files the owner has, because the owner says so.
    pub is_widened: bool,
    /// The gateway's own records.
    pub records: Records,
    /// Folders outside the workspace that were given to the turn: its skills.
    pub given: Vec<PathBuf>,
    /// Whether file tools stay inside the workspace; `None` means as the tools were built.
    pub workspace_only: Option<bool>,
    /// Whether the conversation belongs into a sandbox: whoever asks, it has the workspace and what was given to it.
    pub is_confined: bool,
}

/// Why a file is not to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Withheld {
    /// It is one of the gateway's own records.
    #[error("belongs to the gateway's own records, which file tools do not read")]
    Record,
    /// It lies elsewhere, and the owner did not ask.
    #[error("lies outside the workspace, and only the owner may have files from there")]
    Outside,
    /// It lies elsewhere, and the conversation belongs into a sandbox.
    #[error(
        "lies outside the folder of this conversation, which belongs into a sandbox and has no other files"
    )]
    Confined,
    /// It is about the owner, who did not ask.
    #[error("is about the owner, and only the owner may have it")]
    Private,
}

impl FileAccess {
    /// Whether a turn may have a file, all links followed; `workspace` is real, too.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, workspace: &Path, real: &Path) -> Result<(), Withheld> {
        if self.records.contain(workspace, real) {
            return Err(Withheld::Record);
        }
        let is_owners = self.caller == Caller::Owner || self.is_widened;
        if is_owners && !self.is_confined {
            return Ok(());
        }
        if let Ok(inside) = real.strip_prefix(workspace) {
            return if !is_owners && is_about_owner(inside) { Err(Withheld::Private) } else { Ok(()) };
        }
        let is_given = self.given.iter().any(|folder| real.starts_with(real_path(folder)));
        // Names there are made of what is in the files: who knows one was told it. A list would tell all.
        let received = real_path(&self.records.state_dir).join(RECEIVED);
        let is_received = real.parent() == Some(&received) && real.is_file();
        match is_given || is_received {
            true => Ok(()),
            false if self.is_confined => Err(Withheld::Confined),
            false => Err(Withheld::Outside),
        }
    }
}

/// Whether a file of the workspace is about the owner: what is remembered of them, and everything hidden, such as the
/// history of what was remembered.
fn is_about_owner(inside: &Path) -> bool {
    let parts: Vec<String> = inside.components().map(lower).collect();
    let Some((name, folders)) = parts.split_last() else { return false };
    let is_hidden = parts.iter().any(|part| part.starts_with('.'));
    let is_remembered = folders.first().unwrap_or(name) == OWNERS_FOLDER;
    is_hidden || is_remembered || (folders.is_empty() && OWNERS_FILES.contains(&name.as_str()))
}

fn lower(part: Component<'_>) -> String {
    part.as_os_str().to_string_lossy().to_lowercase()
}

pub(crate) fn real_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests;
