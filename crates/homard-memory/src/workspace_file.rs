//! One file of a workspace: read as it is, replaced in one step. Links and other things that are not plain files are
//! refused: they may lead anywhere.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use homard_protocol::methods::agents::{AgentFile, MAX_AGENT_FILE_BYTES};
use homard_runtime::{FileDraft, hex, millis_i64};
use rustix::fs::{Mode, OFlags};
use sha2::{Digest, Sha256};

/// How much of a file is looked at to find out whether it is text.
const SNIFF_BYTES: usize = 8 * 1024;

/// Why a file of a workspace is not told or not written.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceFileError {
    /// It is not one of a memory.
    #[error("`{0}` is not a file of a memory; memory.list names those there are")]
    NotOfAMemory(String),
    #[error("there is no file `{0}` in this memory")]
    Missing(String),
    #[error("`{0}` has changed since it was looked at; look again")]
    Changed(String),
    #[error("`{0}` has no such lines")]
    NoSuchLines(String),
    #[error("`{0}` is not UTF-8 text; take the lines out with an editor")]
    NotUtf8(String),
    #[error("`{0}` is not text and is not searched either; keep it elsewhere, with a note about it")]
    NotText(String),
    /// The path leads out of the workspace.
    #[error("`{0}` is outside of the workspace")]
    Outside(String),
    #[error("there is no `{0}` in this workspace")]
    NotThere(String),
    #[error("`{0}` is not a folder")]
    NotAFolder(String),
    /// It is a link, a folder or something else.
    #[error("`{0}` is not a plain file")]
    NotPlain(String),
    /// It is larger than files that agents are told may be.
    #[error("`{0}` is larger than {MAX_AGENT_FILE_BYTES} bytes")]
    TooLarge(String),
    /// The disk does not give it.
    #[error("`{name}` could not be read")]
    Unreadable {
        name: String,
        #[source]
        source: io::Error,
    },
    /// The disk does not take it.
    #[error("`{name}` could not be written")]
    Unwritable {
        name: String,
        #[source]
        source: io::Error,
    },
}

/// What a file is, without its text. What is no plain file counts as missing.
///
/// # Errors
/// When it cannot be looked at.
pub fn look(workspace: &Path, name: &str) -> Result<AgentFile, WorkspaceFileError> {
    Ok(found(workspace, name)?.0)
}

/// A file with its text.
///
/// # Errors
/// When it is there but cannot be read, is too large, or is no plain file.
pub fn read(workspace: &Path, name: &str) -> Result<AgentFile, WorkspaceFileError> {
    let (mut file, meta) = found(workspace, name)?;
    let Some(meta) = meta else { return Ok(file) };
    if !meta.is_file() {
        return Err(WorkspaceFileError::NotPlain(name.to_owned()));
    }
    if meta.len() > MAX_AGENT_FILE_BYTES {
        return Err(WorkspaceFileError::TooLarge(name.to_owned()));
    }
    let bytes = read_plain(&workspace.join(name), MAX_AGENT_FILE_BYTES)
        .map_err(|source| unreadable(name, source))?
        .ok_or_else(|| WorkspaceFileError::TooLarge(name.to_owned()))?;
    file.hash = Some(hash(&bytes));
    file.content = Some(String::from_utf8_lossy(&bytes).into_owned());
    Ok(file)
}

/// The bytes of a plain file; nothing where it has more than `most`. What was looked at a moment ago may be a link, a
/// pipe or a device by now: it is refused, and nobody waits for its other end.
pub(crate) fn read_plain(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    if meta.len() > most {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

fn found(workspace: &Path, name: &str) -> Result<(AgentFile, Option<Metadata>), WorkspaceFileError> {
    let path = workspace.join(name);
    let mut file = AgentFile {
        name: name.to_owned(),
        path: path.display().to_string(),
        missing: true,
        ..AgentFile::default()
    };
    let meta = match std::fs::symlink_metadata(&path) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok((file, None));
        }
        Err(error) => return Err(unreadable(name, error)),
    };
    if meta.is_file() {
        (file.missing, file.size, file.updated_at_ms) = (false, Some(meta.len()), changed_at(&meta));
    }
    Ok((file, Some(meta)))
}

pub(crate) fn unreadable(name: &str, source: io::Error) -> WorkspaceFileError {
    WorkspaceFileError::Unreadable { name: name.to_owned(), source }
}

/// Whether the beginning of a file looks like text.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().take(SNIFF_BYTES).any(|byte| *byte == 0)
}

/// When a file last changed, in milliseconds.
pub(crate) fn changed_at(meta: &Metadata) -> Option<i64> {
    since_epoch_ms(meta.modified().ok()?)
}

/// A time of the file system in milliseconds.
pub(crate) fn since_epoch_ms(time: SystemTime) -> Option<i64> {
    Some(millis_i64(time.duration_since(UNIX_EPOCH).ok()?))
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Puts a new text in the place of the old one, in one step.
///
/// # Errors
/// When the disk does not take it; the old text is then still there.
pub fn replace(workspace: &Path, name: &str, text: &str) -> Result<(), WorkspaceFileError> {
    put(workspace, name, text)
        .map_err(|source| WorkspaceFileError::Unwritable { name: name.to_owned(), source })
}

fn put(workspace: &Path, name: &str, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(workspace)?;
    let mut draft = FileDraft::shared(&workspace.join(name))?;
    draft.write_all(text.as_bytes())?;
    draft.commit()
}
