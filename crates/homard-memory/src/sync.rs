//! Bringing an index up to date with the files it is of: what is new or changed is read and cut, what is gone is
//! forgotten, and what cannot be read is passed over and told.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use homard_runtime::hex;
use sha2::{Digest, Sha256};

use crate::dates;
use crate::index::{FileRow, Index, IndexError};
use crate::memory::{Memory, MemoryFiles, Skipped};
use crate::passages;

/// Largest note that is indexed, in bytes.
const MAX_NOTE_BYTES: u64 = 8 * 1024 * 1024;
/// How much of a file tells whether it is text.
const SNIFF_BYTES: usize = 8 * 1024;
/// Bytes of notes that are written in one go; others may search in between.
const BATCH_BYTES: u64 = 2 * 1024 * 1024;

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synced {
    /// Files that were read and cut anew.
    pub indexed: usize,
    /// Files that are gone.
    pub forgotten: usize,
    pub unchanged: usize,
    /// Files that are not looked into, and why.
    pub skipped: Vec<Skipped>,
    /// Whether there are more files than are looked at.
    pub truncated: bool,
    /// The folders that were looked into.
    pub(crate) folders: Vec<PathBuf>,
}

impl Synced {
    /// Whether the index is another than before.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.indexed > 0 || self.forgotten > 0
    }
}

/// A file to be read.
struct Wanted {
    path: String,
    place: PathBuf,
    row: Option<FileRow>,
    size: u64,
}

/// What became of one file.
enum Read {
    Same(FileRow),
    Changed(FileRow, String),
    Skipped(&'static str),
}

/// Brings the index up to date; `progress` is told how many of how many files are done.
pub(crate) fn sync(
    index: &Index,
    memory: &Memory,
    passage_chars: usize,
    progress: &dyn Fn(usize, usize),
) -> Result<Synced, IndexError> {
    let MemoryFiles { files, skipped, folders, truncated } = memory.files();
    let mut synced = Synced { skipped, folders, truncated, ..Synced::default() };
    let mut known = index.files()?;
    let mut wanted = Vec::new();
    for file in files {
        let Ok(place) = memory.place_of(&file.path) else { continue };
        let row = known.remove(&file.path);
        let is_same =
            row.as_ref().is_some_and(|row| row.size == file.size && Some(row.mtime) == changed(&place));
        if is_same {
            synced.unchanged += 1;
        } else {
            wanted.push(Wanted { path: file.path, place, row, size: file.size });
        }
    }
    if !known.is_empty() {
        index.together(|index| known.keys().try_for_each(|path| index.remove(path)))?;
        synced.forgotten += known.len();
    }
    let total = wanted.len();
    let mut rest = wanted.as_slice();
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(batch(rest));
        rest = after;
        index.together(|index| {
            batch.iter().try_for_each(|file| take(index, file, passage_chars, &mut synced))
        })?;
        progress(total - rest.len(), total);
    }
    Ok(synced)
}

/// How many files fit into one go.
fn batch(files: &[Wanted]) -> usize {
    let mut bytes = 0;
    let fits = files.iter().take_while(|file| {
        let fits = bytes < BATCH_BYTES;
        bytes += file.size;
        fits
    });
    fits.count().max(1)
}

fn take(index: &Index, file: &Wanted, passage_chars: usize, synced: &mut Synced) -> Result<(), IndexError> {
    match read(file) {
        Read::Same(row) => {
            synced.unchanged += 1;
            index.touch(&file.path, &row)
        }
        Read::Changed(row, text) => {
            let name = Path::new(&file.path).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            let passages = passages::cut(&text, passage_chars, dates::day_in(name));
            synced.indexed += 1;
            index.put(&file.path, &row, &passages)
        }
        Read::Skipped(reason) => {
            synced.skipped.push(Skipped { path: file.path.clone(), reason });
            if file.row.is_some() {
                synced.forgotten += 1;
            }
            index.remove(&file.path)
        }
    }
}

fn read(file: &Wanted) -> Read {
    if file.size > MAX_NOTE_BYTES {
        return Read::Skipped("is larger than 8 MiB");
    }
    let mut bytes = Vec::new();
    // It may have been written to, or have gone, since it was listed; the next look finds that.
    let mtime = changed(&file.place).unwrap_or(0);
    let opened =
        File::open(&file.place).and_then(|open| open.take(MAX_NOTE_BYTES + 1).read_to_end(&mut bytes));
    match opened {
        Ok(_) if bytes.len() as u64 > MAX_NOTE_BYTES => return Read::Skipped("is larger than 8 MiB"),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Read::Skipped("went away meanwhile");
        }
        Err(_) => return Read::Skipped("cannot be read"),
    }
    if bytes.iter().take(SNIFF_BYTES).any(|byte| *byte == 0) {
        return Read::Skipped("is not text");
    }
    let row = FileRow { hash: hex(&Sha256::digest(&bytes)), mtime, size: bytes.len() as u64 };
    match file.row.as_ref().is_some_and(|known| known.hash == row.hash) {
        true => Read::Same(row),
        false => Read::Changed(row, String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// When a file last changed, as exactly as the system says: two changes in one millisecond are two.
fn changed(place: &Path) -> Option<i64> {
    let since = std::fs::symlink_metadata(place).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}
