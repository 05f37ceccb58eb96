//! Files that readers see whole or not at all: written beside, then put in their place in one step; and files and
//! folders for the owner alone.
//!
//! Two promises cover everything Homard keeps. [`replace_private`] is for what must not be lost and nobody else may
//! read: it is on the disk, after a power cut too, when the call returns. [`replace_shared`] is for what can be made
//! again or changes all the time: it survives our own death and costs no flush. [`FileDraft`] is for whoever needs the
//! steps one by one.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::OrLog;

/// What a draft left by a killed process is recognised by.
const PREFIX: &str = ".homard-";
/// After so long a draft is nobody's any more.
const ABANDONED: Duration = Duration::from_secs(60 * 60);
const PRIVATE_DIR: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;
/// Before the system's mask.
const SHARED_FILE: u32 = 0o666;

/// Puts `bytes` in the place of the file, for the owner alone and safe from a power cut. Missing folders are made,
/// also for the owner alone.
///
/// # Errors
/// When the disk does not take it; what was there is then still there.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_private_dir(folder_of(path))?;
    let mut draft = FileDraft::private(path)?;
    draft.write_all(bytes)?;
    draft.commit()
}

/// Puts `bytes` in the place of the file, with the rights new files have, and without waiting for the disk.
///
/// # Errors
/// When the disk does not take it; what was there is then still there.
pub fn replace_shared(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = FileDraft::shared(path)?;
    draft.write_all(bytes)?;
    draft.commit_unflushed()
}

/// Makes a folder and its parents; what is new is closed to everybody but the owner.
///
/// # Errors
/// When the file system refuses.
pub fn create_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, PRIVATE_DIR);
    builder.create(dir)
}

/// Takes away drafts in this folder that processes which were killed left behind. A younger one may be somebody's.
pub fn sweep_drafts(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_draft = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let about = entry.metadata().ok().filter(|about| is_draft && about.is_file());
        let age = about.and_then(|about| about.modified().ok()?.elapsed().ok());
        if age.is_some_and(|age| age > ABANDONED) {
            std::fs::remove_file(entry.path()).or_log("a draft nobody needs is still there");
        }
    }
}

/// A new version of a file, beside it and not yet in its place. Dropped, it is gone.
#[derive(Debug)]
pub struct FileDraft {
    file: NamedTempFile,
    path: PathBuf,
}

impl FileDraft {
    /// One that only the owner may read.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn private(path: &Path) -> io::Result<Self> {
        Self::with_mode(path, PRIVATE_FILE)
    }

    /// One with the rights new files have.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn shared(path: &Path) -> io::Result<Self> {
        Self::with_mode(path, SHARED_FILE)
    }

    fn with_mode(path: &Path, mode: u32) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        let rights: Permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        #[cfg(unix)]
        builder.permissions(rights);
        let file = builder.prefix(PREFIX).tempfile_in(folder_of(path))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// The file, to change its rights or its time.
    #[must_use]
    pub fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Puts it in its place, safe from a power cut.
    ///
    /// # Errors
    /// When it cannot be put there.
    pub fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        let folder = folder_of(&self.path).to_owned();
        self.commit_unflushed()?;
        flush_folder(&folder);
        Ok(())
    }

    /// Puts it in its place without waiting for the disk: it survives our own death, not a power cut.
    ///
    /// # Errors
    /// When it cannot be put there.
    #[expect(clippy::disallowed_methods, reason = "the one place that puts files in their place")]
    pub fn commit_unflushed(self) -> io::Result<()> {
        self.file.persist(self.path).map(drop).map_err(|error| error.error)
    }

    /// Puts it in its place, safe from a power cut, unless there is a file already.
    ///
    /// # Errors
    /// With [`AlreadyExists`](io::ErrorKind::AlreadyExists) if there is; when it cannot be put there.
    pub fn commit_new(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist_noclobber(&self.path).map_err(|error| error.error)?;
        flush_folder(folder_of(&self.path));
        Ok(())
    }
}

impl Write for FileDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The rename itself must survive a power cut, too; where a folder cannot be flushed, the file is in place all the same.
fn flush_folder(folder: &Path) {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .or_log("a folder could not be flushed to the disk");
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::io::{ErrorKind, Write as _};
    use std::os::unix::fs::PermissionsExt as _;

    use super::{ABANDONED, FileDraft, replace_private, replace_shared, sweep_drafts};

    #[test]
    fn the_new_text_is_in_place_with_its_rights_and_nothing_lies_beside() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("made/for/it");
        let path = deep.join("file.json");
        replace_private(&path, b"one").unwrap();
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&deep), mode(&path)), (0o700, 0o600));
        replace_shared(&path, b"two").unwrap();
        assert_eq!((mode(&path) & 0o600, fs::read(&path).unwrap()), (0o600, b"two".to_vec()));
        assert_eq!(fs::read_dir(&deep).unwrap().count(), 1);
    }

    #[test]
    fn a_draft_that_is_given_up_leaves_the_old_text() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        replace_shared(&path, b"old").unwrap();
        let mut draft = FileDraft::private(&path).unwrap();
        draft.write_all(b"half of the n").unwrap();
        drop(draft);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_draft_whose_process_was_killed_is_swept_and_a_young_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let young = FileDraft::shared(&path).unwrap();
        let old = FileDraft::shared(&path).unwrap();
        let long_ago = old.file().metadata().unwrap().modified().unwrap() - 2 * ABANDONED;
        old.file().set_modified(long_ago).unwrap();
        std::mem::forget(old);
        sweep_drafts(dir.path());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        young.commit_unflushed().unwrap();
        assert!(path.exists());
    }

    #[test]
    fn a_new_file_takes_nobodys_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let make = |text: &[u8]| {
            let mut draft = FileDraft::private(&path).unwrap();
            draft.write_all(text).unwrap();
            draft.commit_new()
        };
        make(b"first").unwrap();
        assert_eq!(make(b"second").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
    }
}
