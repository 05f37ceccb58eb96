//! Where things lie on disk, and making folders and files only their owner can read.
//!
//! Session ids come from outside and become file names here, so this is where a name that could leave its
//! folder is refused.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use homard_protocol::{AgentId, SessionId};

use crate::transcripts::TranscriptError;

/// Longest file name most file systems take.
const MAX_FILE_NAME_LEN: usize = 200;

/// The paths the store works with.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) database: PathBuf,
    pub(crate) agents_dir: PathBuf,
}

impl Layout {
    /// The folder of an agent's transcripts.
    pub(crate) fn sessions_dir(&self, agent: &AgentId) -> PathBuf {
        self.agents_dir.join(agent.as_str()).join("sessions")
    }

    /// The path of a transcript file, by the name stored for it.
    pub(crate) fn transcript(&self, agent: &AgentId, file: &str) -> PathBuf {
        self.sessions_dir(agent).join(file)
    }

    /// The agents that have a folder, in no order.
    pub(crate) fn agents(&self) -> Vec<AgentId> {
        let Ok(entries) = std::fs::read_dir(&self.agents_dir) else { return Vec::new() };
        entries.filter_map(|entry| AgentId::parse(entry.ok()?.file_name().to_str()?).ok()).collect()
    }
}

/// The name of a session's transcript file.
pub(crate) fn transcript_file_name(session_id: &SessionId) -> Result<String, TranscriptError> {
    let id = session_id.as_str();
    if is_plain_name(id) {
        Ok(format!("{id}.jsonl"))
    } else {
        Err(TranscriptError::BadName { session_id: session_id.clone() })
    }
}

/// Whether a name stays in its folder: no separators, not hidden, not too long.
pub(crate) fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_FILE_NAME_LEN
        && !name.starts_with('.')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// Opens a file for reading and writing, made if missing and then closed to everybody but the owner.
pub(crate) fn open_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests;
