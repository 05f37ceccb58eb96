//! What can go wrong with a backup, in words that say what was left as it was.

use std::io;
use std::path::{Path, PathBuf};

/// Why a backup was not made, not read, or not put back.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("could not read `{path}`")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("could not write `{path}`")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the disk holding `{path}` is full; nothing was changed, and what was begun is gone")]
    Full { path: PathBuf },
    /// There is nothing to keep.
    #[error("there is nothing to back up in `{0}`")]
    Nothing(PathBuf),
    #[error("`{0}` is there already; nothing was written")]
    Exists(PathBuf),
    #[error("the database `{path}` could not be copied")]
    Database {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("`{0}` became shorter while it was read; try again")]
    Changed(PathBuf),
    #[error("`{path}` is not an archive of Homard: {why}")]
    NotOurs { path: PathBuf, why: &'static str },
    /// Cut off, or changed since.
    #[error("`{path}` is damaged: {why}")]
    Damaged { path: PathBuf, why: String },
    #[error("`{0}` is encrypted; its passphrase is needed")]
    Locked(PathBuf),
    #[error("this is not the passphrase of `{0}`")]
    WrongPassphrase(PathBuf),
    #[error("the archive was made by a newer Homard (format {found}, this one knows {known})")]
    Newer { found: u32, known: u32 },
    /// The archive holds a path that leads out of it.
    #[error(
        "the archive holds `{0}`, which leads out of the folder it is unpacked into; nothing was changed"
    )]
    Outside(String),
    /// The archive would put a workspace where something else is.
    #[error(
        "the archive holds a workspace that was in `{0}`, and what is there now is none; nothing was changed. Move it away, \
         or unpack the archive elsewhere with --to"
    )]
    Occupied(PathBuf),
    #[error("a gateway (process {process}) runs on `{path}`; stop it first with `homard gateway stop`")]
    Running { path: PathBuf, process: String },
    #[error("the system has no random bytes to give")]
    NoRandomness,
}

impl BackupError {
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            _other => Self::Write { path, source },
        }
    }
}
