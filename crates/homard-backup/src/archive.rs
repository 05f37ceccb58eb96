//! What an archive says of itself, and reading one from beginning to end.

mod ahead;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::GzDecoder;
use homard_runtime::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tar::{Archive, Entry, EntryType};

use self::ahead::ReadAhead;
use crate::Progress;
use crate::age::{Closed, MAGIC, Opener};
use crate::error::BackupError;

/// The version of how archives are laid out.
pub(crate) const FORMAT: u32 = 1;
/// The first entry.
pub(crate) const ABOUT: &str = "about.json";
/// The last entry.
pub(crate) const MANIFEST: &str = "manifest.json";
/// Longest list of all files that is read, in bytes.
const MAX_NOTE: u64 = 256 * 1024 * 1024;
/// Longest text about an archive that is read, in bytes.
const MAX_ABOUT: u64 = 1024 * 1024;
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What kind of archive it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArchiveKind {
    Full,
    Config,
}

/// What an archive is, told first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    pub format: u32,
    pub kind: ArchiveKind,
    /// The program that made it.
    pub version: String,
    pub created_at: String,
    pub has_secrets: bool,
    /// Where what is in it was.
    pub state_dir: PathBuf,
    pub config_path: PathBuf,
    pub workspaces: BTreeMap<String, PathBuf>,
}

/// Everything in an archive, told last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub about: About,
    pub files: Vec<FileEntry>,
}

/// One file of an archive. Of a link, what it leads to is hashed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    pub path: String,
    pub size: u64,
    pub sha256: String,
}

/// What reads an archive has to do with one entry of it: nothing, or put it somewhere. The bytes come with it.
pub(crate) trait EntryTaker {
    fn take(&mut self, name: &Path, entry: &mut dyn Read, head: &Head) -> Result<(), BackupError>;
}

/// What is known of an entry before its bytes.
pub(crate) struct Head {
    pub(crate) kind: EntryType,
    pub(crate) mode: u32,
    pub(crate) mtime: u64,
    pub(crate) link: Option<PathBuf>,
}

/// Reads a whole archive and checks every hash; nothing is written.
///
/// # Errors
/// When it is not whole, not ours, or sealed with another passphrase.
pub fn verify(
    path: &Path,
    passphrase: Option<&str>,
    report: &mut dyn FnMut(Progress),
) -> Result<Manifest, BackupError> {
    struct Nothing;
    impl EntryTaker for Nothing {
        fn take(&mut self, name: &Path, entry: &mut dyn Read, _head: &Head) -> Result<(), BackupError> {
            io::copy(entry, &mut io::sink()).map(drop).map_err(|error| BackupError::read(name, error))
        }
    }
    read(path, passphrase, report, &mut Nothing)
}

/// What an archive that is not sealed says of itself, without reading on.
pub(crate) fn about(path: &Path) -> Result<About, BackupError> {
    let damaged = |error: io::Error| BackupError::Damaged { path: path.to_owned(), why: error.to_string() };
    let mut archive = Archive::new(opened(path, None)?.from);
    let mut entries = archive.entries().map_err(damaged)?;
    let first = entries.next().transpose().map_err(damaged)?;
    first_about(path, first.ok_or(BackupError::NotOurs { path: path.to_owned(), why: "it is empty" })?)
}

fn first_about<R: Read>(path: &Path, entry: Entry<'_, R>) -> Result<About, BackupError> {
    let not_ours = |why| BackupError::NotOurs { path: path.to_owned(), why };
    if entry.path_bytes().as_ref() != ABOUT.as_bytes() {
        return Err(not_ours("it does not begin with about.json"));
    }
    let mut text = Vec::new();
    entry
        .take(MAX_ABOUT)
        .read_to_end(&mut text)
        .map_err(|error| BackupError::Damaged { path: path.to_owned(), why: error.to_string() })?;
    let about: About =
        serde_json::from_slice(&text).map_err(|_bad| not_ours("its about.json makes no sense"))?;
    if about.format > FORMAT {
        return Err(BackupError::Newer { found: about.format, known: FORMAT });
    }
    Ok(about)
}

/// Reads a whole archive, handing each entry over, and compares it with its list.
pub(crate) fn read(
    path: &Path,
    passphrase: Option<&str>,
    report: &mut dyn FnMut(Progress),
    taker: &mut dyn EntryTaker,
) -> Result<Manifest, BackupError> {
    let damaged = |why: String| BackupError::Damaged { path: path.to_owned(), why };
    let cut = |error: io::Error| damaged(format!("{error}; it may not have been written to its end"));
    let Opened { from, read, all } = opened(path, passphrase)?;
    let ahead = ReadAhead::new(from, (read, all), report).map_err(|error| BackupError::read(path, error))?;
    let mut archive = Archive::new(ahead);
    let mut entries = archive.entries().map_err(cut)?;
    let first = entries.next().transpose().map_err(cut)?;
    let about = first_about(path, first.ok_or_else(|| damaged("it is empty".to_owned()))?)?;
    let mut found: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let mut manifest: Option<Manifest> = None;
    for entry in &mut entries {
        let mut entry = entry.map_err(cut)?;
        let name = entry.path().map_err(cut)?.into_owned();
        if manifest.is_some() {
            return Err(damaged("something follows its list".to_owned()));
        }
        if name == Path::new(MANIFEST) {
            let mut text = Vec::new();
            entry.take(MAX_NOTE).read_to_end(&mut text).map_err(cut)?;
            manifest = Some(
                serde_json::from_slice(&text)
                    .map_err(|error| damaged(format!("its list makes no sense: {error}")))?,
            );
            continue;
        }
        check_inside(&name)?;
        let head = head_of(&entry).map_err(cut)?;
        let mut hashed = Hashed { from: &mut entry, hash: Sha256::new(), read: 0, failed: None };
        let taken = taker.take(&name, &mut hashed, &head);
        if let Some(error) = hashed.failed.take() {
            return Err(cut(error));
        }
        taken?;
        if head.kind != EntryType::Directory {
            if let Some(link) = &head.link {
                hashed.hash.update(link.to_string_lossy().as_bytes());
            }
            found.insert(name.to_string_lossy().into_owned(), (hashed.read, hex(&hashed.hash.finalize())));
        }
    }
    // What is behind the tar proves that nothing is missing.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(cut)?;
    let manifest = manifest
        .ok_or_else(|| damaged("its list is missing, so it was not written to its end".to_owned()))?;
    if manifest.about != about {
        return Err(damaged("its beginning and its end do not belong together".to_owned()));
    }
    compare(&manifest, &found).map_err(damaged)?;
    Ok(manifest)
}

fn head_of<R: Read>(entry: &Entry<'_, R>) -> io::Result<Head> {
    let header = entry.header();
    Ok(Head {
        kind: header.entry_type(),
        mode: header.mode()? & 0o777,
        mtime: header.mtime()?,
        link: entry.link_name()?.map(std::borrow::Cow::into_owned),
    })
}

/// Everything listed is there and as it was, and nothing else.
fn compare(manifest: &Manifest, found: &BTreeMap<String, (u64, String)>) -> Result<(), String> {
    for file in &manifest.files {
        match found.get(&file.path) {
            None => return Err(format!("`{}` is missing", file.path)),
            Some((size, hash)) if *size != file.size || *hash != file.sha256 => {
                return Err(format!("`{}` is not what it was", file.path));
            }
            Some(_same) => {}
        }
    }
    if found.len() != manifest.files.len() {
        return Err("it holds files that are not in its list".to_owned());
    }
    Ok(())
}

/// Refuses a path that leads out of the folder it is unpacked into.
fn check_inside(name: &Path) -> Result<(), BackupError> {
    let is_plain = name.components().all(|part| matches!(part, Component::Normal(_)));
    if is_plain { Ok(()) } else { Err(BackupError::Outside(name.display().to_string())) }
}

/// An archive whose inside can be read.
struct Opened {
    from: Box<dyn Read + Send>,
    /// How much of the file was read until now, and how much there is.
    read: Arc<AtomicU64>,
    all: u64,
}

/// The tar inside an archive, whatever is around it.
fn opened(path: &Path, passphrase: Option<&str>) -> Result<Opened, BackupError> {
    let file = File::open(path).map_err(|error| BackupError::read(path, error))?;
    let all = file.metadata().map_err(|error| BackupError::read(path, error))?.len();
    let read = Arc::new(AtomicU64::new(0));
    let counted = Counted { from: file, read: Arc::clone(&read) };
    let mut reader = BufReader::with_capacity(256 * 1024, counted);
    let head = reader.fill_buf().map_err(|error| BackupError::read(path, error))?;
    if head.starts_with(MAGIC.as_bytes()) {
        let passphrase = passphrase.ok_or_else(|| BackupError::Locked(path.to_owned()))?;
        let opener = Opener::new(reader, passphrase).map_err(|closed| match closed {
            Closed::WrongPassphrase => BackupError::WrongPassphrase(path.to_owned()),
            Closed::NotOurs(why) => BackupError::NotOurs { path: path.to_owned(), why },
            Closed::Unreadable(why) => BackupError::Damaged { path: path.to_owned(), why },
        })?;
        return Ok(Opened { from: Box::new(GzDecoder::new(opener)), read, all });
    }
    if !head.starts_with(&GZIP) {
        return Err(BackupError::NotOurs { path: path.to_owned(), why: "it is neither packed nor sealed" });
    }
    Ok(Opened { from: Box::new(GzDecoder::new(reader)), read, all })
}

/// Whether an archive is sealed; `None` when it cannot be read.
pub(crate) fn is_sealed(path: &Path) -> Option<bool> {
    let mut head = [0; MAGIC.len()];
    let mut file = File::open(path).ok()?;
    Some(file.read_exact(&mut head).is_ok() && head == *MAGIC.as_bytes())
}

/// A reader that tells how much was read.
struct Counted {
    from: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A reader that hashes on the way, and remembers whether it was the archive that failed and not who took from it.
struct Hashed<'a, R> {
    from: &'a mut R,
    hash: Sha256,
    read: u64,
    failed: Option<io::Error>,
}

impl<R: Read> Read for Hashed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.from.read(buffer) {
            Ok(read) => read,
            Err(error) => {
                self.failed = Some(io::Error::new(error.kind(), error.to_string()));
                return Err(error);
            }
        };
        self.hash.update(buffer.get(..read).unwrap_or_default());
        self.read += read as u64;
        Ok(read)
    }
}
