//! `exec-approvals.json` on disk: reading it, and replacing it in one step under a lock that other programs of
//! ours take, too.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_runtime::{hex, replace_private};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::file::PolicyFile;

/// Largest file that is read.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
/// How often a lock that is taken is tried again, and how long in between.
const LOCK_TRIES: usize = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(50);
/// Only the owner reads it.
const MODE: u32 = 0o600;

/// Why the rules could not be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    #[error("could not {doing} `{}`", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It is not what it should be. Guessing would mean running what somebody forbade.
    #[error("`{}` is not a file of command rules: correct it, or remove it to begin anew", path.display())]
    Broken { path: PathBuf },
    /// Somebody else changed it in the meantime.
    #[error("the command rules changed since they were read: read them again and repeat the change")]
    Changed,
    /// Somebody else keeps it locked.
    #[error("`{}` is locked by another program: try again in a moment", path.display())]
    Locked { path: PathBuf },
}

/// The file as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// What it says; the empty rules when there is no file.
    pub file: PolicyFile,
    /// The SHA-256 of its bytes, for changing it only if nobody else has.
    pub hash: String,
    /// Whether there is one.
    pub exists: bool,
}

/// Where the file is. Its methods read and write the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyStore {
    path: PathBuf,
}

impl PolicyStore {
    /// The file at that place, whether it is there or not.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads it. No file is no rules; a broken one is an error.
    ///
    /// # Errors
    /// When it cannot be read or understood.
    pub fn load(&self) -> Result<Loaded, PolicyError> {
        let text = match std::fs::metadata(&self.path) {
            Ok(found) if found.len() > MAX_FILE_BYTES => return Err(self.broken()),
            Ok(_) => std::fs::read(&self.path).map_err(|source| self.io("read", source))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Loaded { file: PolicyFile::default(), hash: hash(b""), exists: false });
            }
            Err(error) => return Err(self.io("read", error)),
        };
        let value: Value = serde_json::from_slice(&text).map_err(|_not_json| self.broken())?;
        let file = PolicyFile::from_value(value).ok_or_else(|| self.broken())?;
        Ok(Loaded { file, hash: hash(&text), exists: true })
    }

    /// Changes it, unless `change` says that there is nothing to change. Answers how it is now.
    ///
    /// # Errors
    /// When it cannot be read or written, or somebody else keeps it locked.
    pub fn update(&self, change: impl FnOnce(&mut PolicyFile) -> bool) -> Result<Loaded, PolicyError> {
        let _lock = self.lock()?;
        let mut loaded = self.load()?;
        if !change(&mut loaded.file) {
            return Ok(loaded);
        }
        self.write(&loaded.file)
    }

    /// Replaces it if it is still the one with that hash; a socket's secret that is not given is kept. Without a
    /// hash only a file that is not there yet can be written.
    ///
    /// # Errors
    /// When somebody changed it, or it cannot be written.
    pub fn replace(&self, file: PolicyFile, base_hash: Option<&str>) -> Result<Loaded, PolicyError> {
        let _lock = self.lock()?;
        let before = self.load()?;
        if before.exists && base_hash != Some(before.hash.as_str()) {
            return Err(PolicyError::Changed);
        }
        self.write(&file.with_socket_of(&before.file))
    }

    fn write(&self, file: &PolicyFile) -> Result<Loaded, PolicyError> {
        let mut text = serde_json::to_vec_pretty(&file.to_value()).map_err(|_no_json| self.broken())?;
        text.push(b'\n');
        replace_private(&self.path, &text).map_err(|source| self.io("write", source))?;
        Ok(Loaded { file: file.clone(), hash: hash(&text), exists: true })
    }

    /// Locks a file beside it, since the file itself is replaced. Let go when dropped.
    fn lock(&self) -> Result<File, PolicyError> {
        let mut name = self.path.clone().into_os_string();
        name.push(".lock");
        let path = PathBuf::from(name);
        if let Some(dir) = path.parent() {
            homard_runtime::create_private_dir(dir).map_err(|source| self.io("write", source))?;
        }
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(MODE).open(&path);
        let file = file.map_err(|source| self.io("lock", source))?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
                Err(std::fs::TryLockError::Error(source)) => return Err(self.io("lock", source)),
            }
        }
        Err(PolicyError::Locked { path })
    }

    fn io(&self, doing: &'static str, source: io::Error) -> PolicyError {
        PolicyError::Io { doing, path: self.path.clone(), source }
    }

    fn broken(&self) -> PolicyError {
        PolicyError::Broken { path: self.path.clone() }
    }
}

fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
