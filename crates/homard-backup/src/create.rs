//! Making an archive: beside its place first, and there only when it is whole.

mod pack;
mod steady;

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_runtime::{FileDraft, create_private_dir, hex, sweep_drafts};
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

use self::pack::Packer;
use self::steady::SteadyDraft;
use crate::Progress;
use crate::age::{self, Sealer};
use crate::archive::{ABOUT, FileEntry, MANIFEST, Manifest};
use crate::error::BackupError;
use crate::plan::{EntrySource, Plan, PlanEntry};

/// Begins the name of the folder for copies of databases.
const COPIES: &str = ".homard-backup-";
/// A folder of copies this old was left by a process that was killed.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);
const BUSY: Duration = Duration::from_secs(10);
/// How much of a file is read at once.
const STEP: usize = 256 * 1024;

/// An archive that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    pub path: PathBuf,
    pub bytes: u64,
    pub files: usize,
    /// What is in it, before packing.
    pub plain: u64,
    /// What was gone when its turn came.
    pub gone: usize,
    /// Databases SQLite could not read, which went in as they lie on the disk.
    pub raw: Vec<String>,
}

/// Where packed bytes go: sealed, or as they are.
enum Envelope<W: Write> {
    Open(W),
    Sealed(Box<Sealer<W>>),
}

impl<W: Write> Envelope<W> {
    fn finish(self) -> io::Result<W> {
        match self {
            Self::Open(inner) => Ok(inner),
            Self::Sealed(sealer) => sealer.finish(),
        }
    }
}

impl<W: Write> Write for Envelope<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Open(inner) => inner.write(bytes),
            Self::Sealed(sealer) => sealer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Open(inner) => inner.flush(),
            Self::Sealed(sealer) => sealer.flush(),
        }
    }
}

/// Makes an archive of a plan at a path where there is none. Killed at any moment it leaves a draft at most.
///
/// # Errors
/// When something cannot be read or written; there is no archive then.
pub fn create(
    plan: &Plan,
    path: &Path,
    passphrase: Option<&str>,
    report: &mut dyn FnMut(Progress),
) -> Result<Created, BackupError> {
    if path.exists() {
        return Err(BackupError::Exists(path.to_owned()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create_private_dir(folder).map_err(|error| BackupError::write(folder, error))?;
    sweep(folder);
    let draft = FileDraft::private(path).map_err(|error| BackupError::write(path, error))?;
    let copies = tempfile::Builder::new().prefix(COPIES).tempdir_in(folder);
    let copies = copies.map_err(|error| BackupError::write(folder, error))?;
    let failed = |error| BackupError::write(path, error);
    let steady = SteadyDraft::new(draft);
    let envelope = match passphrase {
        None => Envelope::Open(steady),
        Some(passphrase) => {
            Envelope::Sealed(Box::new(Sealer::new(steady, passphrase, age::WORK).map_err(failed)?))
        }
    };
    let all = plan.size().1;
    let mut packing = Packing {
        tar: Builder::new(Packer::new(envelope).map_err(failed)?),
        path,
        copies: copies.path(),
        progress: Progress { done: 0, all },
        manifest: Manifest { about: plan.about.clone(), files: Vec::new() },
        gone: 0,
        raw: Vec::new(),
        report,
    };
    packing.note(ABOUT, &plan.about)?;
    for item in &plan.items {
        packing.add(item)?;
    }
    let manifest = packing.manifest.clone();
    packing.note(MANIFEST, &manifest)?;
    let (gone, raw) = (packing.gone, std::mem::take(&mut packing.raw));
    let packer = packing.tar.into_inner().map_err(failed)?;
    let envelope = packer.finish().map_err(failed)?;
    let draft = envelope.finish().and_then(SteadyDraft::finish).map_err(failed)?;
    let bytes = draft.file().metadata().map_err(failed)?.len();
    draft.commit_new().map_err(failed)?;
    let plain = manifest.files.iter().map(|file| file.size).sum();
    Ok(Created { path: path.to_owned(), bytes, files: manifest.files.len(), plain, gone, raw })
}

/// Takes away what archives left whose making was killed.
fn sweep(folder: &Path) {
    sweep_drafts(folder);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_copies = entry.file_name().to_string_lossy().starts_with(COPIES);
        let modified = entry.metadata().and_then(|about| about.modified()).ok();
        let is_old = modified.and_then(|then| then.elapsed().ok()).is_some_and(|age| age > ABANDONED);
        if is_copies && is_old && fs::remove_dir_all(entry.path()).is_err() {
            // It is in nobody's way.
            continue;
        }
    }
}

struct Packing<'a, W: Write> {
    tar: Builder<W>,
    /// Where the archive will be, for words.
    path: &'a Path,
    copies: &'a Path,
    progress: Progress,
    manifest: Manifest,
    gone: usize,
    raw: Vec<String>,
    report: &'a mut dyn FnMut(Progress),
}

impl<W: Write> Packing<'_, W> {
    /// Adds a text of our own.
    fn note(&mut self, name: &str, value: &impl serde::Serialize) -> Result<(), BackupError> {
        let text = serde_json::to_vec_pretty(value).unwrap_or_default();
        let mut header = header(EntryType::Regular, text.len() as u64, 0o600, 0);
        let added = self.tar.append_data(&mut header, name, text.as_slice());
        added.map_err(|error| BackupError::write(self.path, error))
    }

    fn add(&mut self, item: &PlanEntry) -> Result<(), BackupError> {
        let failed = |error| BackupError::write(self.path, error);
        match &item.how {
            EntrySource::Folder => {
                let mut header = header(EntryType::Directory, 0, item.mode, item.mtime);
                self.tar.append_data(&mut header, format!("{}/", item.name), io::empty()).map_err(failed)
            }
            EntrySource::Link(to) => {
                let mut header = header(EntryType::Symlink, 0, item.mode, item.mtime);
                self.tar.append_link(&mut header, &item.name, to).map_err(failed)?;
                let to = to.to_string_lossy();
                self.listed(item, 0, hex(&Sha256::digest(to.as_bytes())));
                Ok(())
            }
            EntrySource::Text(text) => self.copy(item, text.as_bytes(), text.len() as u64),
            EntrySource::Database => self.database(item),
            EntrySource::Copy => self.file(item),
        }
    }

    fn file(&mut self, item: &PlanEntry) -> Result<(), BackupError> {
        match File::open(&item.from) {
            Ok(file) => {
                let len =
                    whole_len(&file, &item.name).map_err(|error| BackupError::read(&item.from, error))?;
                self.copy(item, file, len)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.gone += 1;
                Ok(())
            }
            Err(error) => Err(BackupError::read(&item.from, error)),
        }
    }

    /// A database as SQLite reads it, or else as it lies: what is damaged may be all that is left, and whoever is about to
    /// mend it wants a copy first.
    fn database(&mut self, item: &PlanEntry) -> Result<(), BackupError> {
        let copy = self.copies.join("copy.sqlite");
        match self.moment(item, &copy) {
            Err(BackupError::Database { source, .. }) if !is_busy(&source) => {}
            done => return done,
        }
        self.raw.push(item.name.clone());
        drop(fs::remove_file(&copy));
        self.file(item)?;
        let mut log = item.from.as_os_str().to_owned();
        log.push("-wal");
        let log = PlanEntry { from: log.into(), name: format!("{}-wal", item.name), len: 0, ..item.clone() };
        if log.from.is_file() { self.file(&log) } else { Ok(()) }
    }

    /// Has SQLite write a copy of one moment. It only reads, so nobody who writes meanwhile has to wait.
    fn moment(&mut self, item: &PlanEntry, copy: &Path) -> Result<(), BackupError> {
        let failed = |source| match source {
            rusqlite::Error::SqliteFailure(error, _) if error.code == rusqlite::ErrorCode::DiskFull => {
                BackupError::Full { path: self.path.to_owned() }
            }
            source => BackupError::Database { path: item.from.clone(), source },
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(&item.from, flags).map_err(failed)?;
        conn.busy_timeout(BUSY).map_err(failed)?;
        // It is read at once and thrown away: the disk need not have it.
        conn.execute_batch("PRAGMA synchronous = OFF").map_err(failed)?;
        conn.execute("VACUUM INTO ?1", [copy.to_string_lossy()]).map_err(failed)?;
        drop(conn);
        let file = File::open(copy).map_err(|error| BackupError::read(copy, error))?;
        let len = file.metadata().map_err(|error| BackupError::read(copy, error))?.len();
        self.copy(item, file, len)?;
        fs::remove_file(copy).map_err(|error| BackupError::write(copy, error))
    }

    fn copy(&mut self, item: &PlanEntry, from: impl Read, len: u64) -> Result<(), BackupError> {
        let mut header = header(EntryType::Regular, len, item.mode, item.mtime);
        let before = self.progress.done;
        let mut reader = Watched {
            from: BufReader::with_capacity(STEP, from.take(len)),
            hash: Sha256::new(),
            read: 0,
            progress: self.progress,
            report: self.report,
        };
        let added = self.tar.append_data(&mut header, &item.name, &mut reader);
        let (hash, read) = (hex(&reader.hash.finalize()), reader.read);
        added.map_err(|error| BackupError::write(self.path, error))?;
        if read != len {
            return Err(BackupError::Changed(item.from.clone()));
        }
        self.progress.done = before + item.len;
        self.listed(item, len, hash);
        Ok(())
    }

    fn listed(&mut self, item: &PlanEntry, size: u64, sha256: String) {
        self.manifest.files.push(FileEntry { path: item.name.clone(), size, sha256 });
    }
}

/// Whether somebody keeps a database to themselves; trying again later helps.
fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}

/// How much of a file is taken: of what we write line by line whole lines, because the last one may still be written. A
/// file of the owner's may well end without a line break.
fn whole_len(mut file: &File, name: &str) -> io::Result<u64> {
    let len = file.metadata()?.len();
    let is_ours = name.strip_prefix("state/").is_some_and(|inside| !inside.starts_with("workspace"));
    if !is_ours || !name.ends_with(".jsonl") {
        return Ok(len);
    }
    let mut end = len;
    let mut piece = [0; 4096];
    while end > 0 {
        let start = end.saturating_sub(piece.len() as u64);
        let read = piece.get_mut(..usize::try_from(end - start).unwrap_or(0)).unwrap_or_default();
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(read)?;
        if let Some(at) = read.iter().rposition(|byte| *byte == b'\n') {
            end = start + at as u64 + 1;
            break;
        }
        end = start;
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(end)
}

fn header(kind: EntryType, len: u64, mode: u32, mtime: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(len);
    header.set_mode(mode);
    header.set_mtime(mtime);
    header
}

/// A reader that hashes, counts and reports on the way.
struct Watched<'a, R> {
    from: R,
    hash: Sha256,
    read: u64,
    progress: Progress,
    report: &'a mut dyn FnMut(Progress),
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.hash.update(buffer.get(..read).unwrap_or_default());
        self.read += read as u64;
        (self.report)(Progress { done: self.progress.done + self.read, all: self.progress.all });
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
