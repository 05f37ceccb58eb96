//! `auth-profiles.json` on disk: reading, the lock shared with other processes, and replacing it in one step.
//!
//! Only who holds the [`Lock`] can write, so a change is always made on what is on disk at that moment. A file
//! that cannot be read is never replaced.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_runtime::{FileDraft, OrLog as _, create_private_dir};
use tokio::time::{Instant, sleep};

use super::document::{Document, Unreadable};

/// Largest file read, in bytes; thousands of profiles.
const MAX_FILE: u64 = 8 * 1024 * 1024;
/// How often a lock that is taken is tried again.
const LOCK_RETRY: Duration = Duration::from_millis(20);
/// A lock directory (some programs lock that way, and touch it while they work) this old was left by a crash.
const STALE_LOCK_DIR: Duration = Duration::from_secs(60);
/// The file an older program kept beside ours.
const OLDER_FILE: &str = "auth.json";

/// Why stored credentials could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The content makes no sense; nothing was changed.
    #[error("`{path}` cannot be read: {why}; mend it, or move it away and log in again")]
    Broken {
        path: PathBuf,
        /// What is wrong, without quoting it.
        #[source]
        why: Unreadable,
    },
    /// Larger than any real one.
    #[error("`{path}` is larger than {MAX_FILE} bytes and was not read")]
    TooLarge { path: PathBuf },
    /// The file system refused.
    #[error("could not use `{path}`: {source}")]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Another process keeps the file locked.
    #[error("another program has held `{path}` for {waited:?}; try again, or stop it")]
    Locked {
        path: PathBuf,
        /// How long was waited.
        waited: Duration,
    },
    /// No profile has this id.
    #[error("there is no profile `{id}`; `homard models auth list` shows what there is")]
    NoSuchProfile {
        /// What was asked for.
        id: String,
    },
    /// The id belongs to somebody else.
    #[error("profile `{id}` belongs to `{owner}`, not to `{provider}`")]
    WrongProvider {
        id: String,
        owner: String,
        /// Whose it was said to be.
        provider: String,
    },
    /// Something needed is missing.
    #[error("{0}")]
    Incomplete(&'static str),
    /// The work was dropped, which happens at shutdown only.
    #[error("the program is stopping")]
    Stopped,
}

/// Tells one state of a file from the next without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    seconds: i64,
    nanos: i64,
    len: u64,
    inode: u64,
}

impl Stamp {
    /// Whether the file held nothing at all, which no program leaves behind on purpose.
    pub(crate) fn is_blank(self) -> bool {
        self.len == 0
    }
}

/// One file.
#[derive(Debug, Clone)]
pub(crate) struct StoreFile {
    path: PathBuf,
}

/// A file's content and the stamp it had.
#[derive(Debug, Clone, Default)]
pub(crate) struct Loaded {
    pub(crate) document: Document,
    pub(crate) stamp: Option<Stamp>,
}

impl StoreFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The state of the file now; `None` when there is none.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        let meta = std::fs::metadata(&self.path).or_else(|_| std::fs::metadata(self.older())).ok()?;
        Some(Stamp { seconds: meta.mtime(), nanos: meta.mtime_nsec(), len: meta.len(), inode: meta.ino() })
    }

    /// Reads the file, or the older program's beside it; no file is an empty store.
    pub(crate) fn read(&self) -> Result<Loaded, StoreError> {
        // The stamp first: a change in between is then noticed at the next look.
        let stamp = self.stamp();
        if let Some(bytes) = self.bytes(&self.path)? {
            self.tighten();
            let document = Document::parse(&bytes).map_err(|why| self.broken(&self.path, why))?;
            return Ok(Loaded { document, stamp });
        }
        let older = self.older();
        let Some(bytes) = self.bytes(&older)? else { return Ok(Loaded { stamp, ..Loaded::default() }) };
        let document = Document::parse_older(&bytes).map_err(|why| self.broken(&older, why))?;
        Ok(Loaded { document, stamp })
    }

    /// Takes the lock, waiting at most `limit` for other processes and other handles.
    pub(crate) async fn lock(&self, limit: Duration) -> Result<Lock, StoreError> {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        let until = Instant::now() + limit;
        loop {
            if let Some(file) = try_lock(&self.path, &path)? {
                return Ok(Lock { _file: file, store: self.clone() });
            }
            if Instant::now() >= until {
                return Err(StoreError::Locked { path, waited: limit });
            }
            sleep(LOCK_RETRY).await;
        }
    }

    /// Moves a file that cannot be read out of the way, so that a new one can be begun.
    #[expect(clippy::disallowed_methods, reason = "moves a broken file; nothing is written")]
    pub(crate) fn set_aside(&self, now: i64) -> Result<PathBuf, StoreError> {
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".broken-{now}"));
        let aside = PathBuf::from(name);
        std::fs::rename(&self.path, &aside).map_err(|source| self.io(source))?;
        Ok(aside)
    }

    fn older(&self) -> PathBuf {
        self.path.with_file_name(OLDER_FILE)
    }

    fn bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
        match std::fs::metadata(path) {
            Ok(meta) if meta.len() > MAX_FILE => Err(StoreError::TooLarge { path: path.to_owned() }),
            Ok(_) => std::fs::read(path).map(Some).map_err(|source| self.io(source)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.io(source)),
        }
    }

    /// Takes a hand-made file away from other users' eyes.
    fn tighten(&self) {
        let open = std::fs::metadata(&self.path).is_ok_and(|meta| meta.mode() & 0o077 != 0);
        if open {
            let private = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&self.path, private).or_log("other users can read stored credentials");
        }
    }

    fn broken(&self, path: &Path, why: Unreadable) -> StoreError {
        StoreError::Broken { path: path.to_owned(), why }
    }

    fn io(&self, source: std::io::Error) -> StoreError {
        StoreError::Io { path: self.path.clone(), source }
    }
}

fn try_lock(store: &Path, path: &Path) -> Result<Option<File>, StoreError> {
    let io = |source| StoreError::Io { path: path.to_owned(), source };
    if path.is_dir() {
        let age = std::fs::metadata(path).and_then(|meta| meta.modified()).map(|at| at.elapsed());
        if age.is_ok_and(|age| age.is_ok_and(|age| age > STALE_LOCK_DIR)) {
            std::fs::remove_dir(path).map_err(io)?;
        }
        return Ok(None);
    }
    create_private_dir(store.parent().unwrap_or(Path::new("."))).map_err(io)?;
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

/// The right to write, shared with nobody. Given back when dropped, and by the system when the process dies.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
    store: StoreFile,
}

impl Lock {
    /// What is on disk now.
    pub(crate) fn read(&self) -> Result<Loaded, StoreError> {
        self.store.read()
    }

    /// Makes sure that writing will work, before something is done that must not be lost.
    pub(crate) fn prepare(&self) -> Result<Prepared, StoreError> {
        // A link is followed: the file it points to is the one somebody wants to be changed.
        let path = std::fs::canonicalize(&self.store.path).unwrap_or_else(|_| self.store.path.clone());
        let draft = FileDraft::private(&path).map_err(|source| self.store.io(source))?;
        Ok(Prepared { draft, store: self.store.clone() })
    }

    /// Replaces the file.
    pub(crate) fn write(&self, document: Document) -> Result<Loaded, StoreError> {
        self.prepare()?.commit(document)
    }
}

/// A new file, not yet in its place.
#[derive(Debug)]
pub(crate) struct Prepared {
    draft: FileDraft,
    store: StoreFile,
}

impl Prepared {
    /// Fills it and puts it in its place in one step.
    pub(crate) fn commit(mut self, document: Document) -> Result<Loaded, StoreError> {
        let store = self.store.clone();
        let io = |source| store.io(source);
        self.draft.write_all(&document.to_bytes()).map_err(io)?;
        self.draft.commit().map_err(io)?;
        let stamp = store.stamp();
        Ok(Loaded { document, stamp })
    }
}

#[cfg(test)]
mod tests;
