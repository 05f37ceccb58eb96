//! Bringing an index up to date with the files it is of: what is new or changed is read and cut, what is gone is
//! forgotten, and what cannot be read is passed over and told.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use homard_runtime::hex;
use sha2::{Digest, Sha256};

use crate::dates;
use crate::index::{FileRow, Index, IndexError};
use crate::memory::{FoundFiles, Memory, NoteFile, Skipped};
use crate::passages;
use crate::workspace_file::{is_text, read_plain};

/// Largest note that is indexed, in bytes.
const MAX_NOTE_BYTES: u64 = 8 * 1024 * 1024;
/// Most lines of a note: every line costs a hundred bytes while it is cut.
const MAX_NOTE_LINES: usize = 200_000;
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

/// How notes are taken in.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'r> {
    /// Longest passage, in characters.
    pub(crate) passage_chars: usize,
    pub(crate) writers: &'r dyn Writers,
}

/// Who knows what agents wrote.
pub trait Writers: Send + Sync {
    /// Whether a file with this SHA-256 is as an agent left it.
    fn is_agents(&self, file: &Path, sha256: &str) -> bool;
}

/// Nobody knows: what is written is the owner's.
impl Writers for () {
    fn is_agents(&self, _file: &Path, _sha256: &str) -> bool {
        false
    }
}

/// What became of one file.
enum Read {
    Same(FileRow),
    Changed(FileRow, String),
    Skipped(&'static str),
}

/// Brings the index up to date with all files; `progress` is told how many of how many are done.
pub(crate) fn sync(
    index: &Index,
    memory: &Memory,
    rules: Rules<'_>,
    progress: &dyn Fn(usize, usize),
) -> Result<Synced, IndexError> {
    index.cut_by(rules.passage_chars)?;
    let FoundFiles { notes, skipped, folders, truncated } = memory.look();
    let mut synced = Synced { skipped, folders, truncated, ..Synced::default() };
    let mut known = index.stamps()?;
    let mut wanted = Vec::new();
    for note in notes.into_values() {
        let is_same = known
            .remove(&note.path)
            .is_some_and(|(mtime, size)| size == note.size && mtime == stamp(note.modified));
        if is_same {
            synced.unchanged += 1;
        } else {
            wanted.push(note);
        }
    }
    if !known.is_empty() {
        index.together(|index| known.keys().try_for_each(|path| index.remove(path)))?;
        synced.forgotten += known.len();
    }
    take_all(index, &wanted, rules, progress, &mut synced)?;
    Ok(synced)
}

/// Brings the index up to date with a few places that are known to have changed, and looks at nothing else.
pub(crate) fn sync_places(
    index: &Index,
    memory: &Memory,
    rules: Rules<'_>,
    places: &[PathBuf],
) -> Result<Synced, IndexError> {
    index.cut_by(rules.passage_chars)?;
    let mut synced = Synced::default();
    let mut wanted = Vec::new();
    for place in places {
        match memory.look_at(place) {
            Some((_, Some(note))) => wanted.push(note),
            Some((path, None)) if index.file(&path)?.is_some() => {
                index.together(|index| index.remove(&path))?;
                synced.forgotten += 1;
            }
            Some(_) | None => {}
        }
    }
    take_all(index, &wanted, rules, &|_, _| {}, &mut synced)?;
    Ok(synced)
}

fn take_all(
    index: &Index,
    wanted: &[NoteFile],
    rules: Rules<'_>,
    progress: &dyn Fn(usize, usize),
    synced: &mut Synced,
) -> Result<(), IndexError> {
    let mut rest = wanted;
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(batch(rest));
        rest = after;
        index.together(|index| batch.iter().try_for_each(|file| take(index, file, rules, synced)))?;
        progress(wanted.len() - rest.len(), wanted.len());
    }
    Ok(())
}

/// How many files fit into one go.
fn batch(files: &[NoteFile]) -> usize {
    let mut bytes = 0;
    let fits = files.iter().take_while(|file| {
        let fits = bytes < BATCH_BYTES;
        bytes += file.size;
        fits
    });
    fits.count().max(1)
}

fn take(index: &Index, file: &NoteFile, rules: Rules<'_>, synced: &mut Synced) -> Result<(), IndexError> {
    let known = index.file(&file.path)?;
    match read(file, known.as_ref()) {
        Read::Same(row) => {
            synced.unchanged += 1;
            index.touch(&file.path, &row)
        }
        Read::Changed(row, text) => {
            let name = Path::new(&file.path).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            let passages = passages::cut(&text, rules.passage_chars, dates::day_in(name));
            synced.indexed += 1;
            if rules.writers.is_agents(&file.place, &row.hash) {
                index.put_down_agent(&file.path, &passages)?;
            }
            index.put(&file.path, &row, &passages)
        }
        Read::Skipped(reason) => {
            synced.skipped.push(Skipped { path: file.path.clone(), reason });
            if known.is_some() {
                synced.forgotten += 1;
            }
            index.remove(&file.path)
        }
    }
}

fn read(file: &NoteFile, known: Option<&FileRow>) -> Read {
    if file.size > MAX_NOTE_BYTES {
        return Read::Skipped("is larger than 8 MiB");
    }
    // It may have been written to, or have gone, since it was listed; the next look finds that.
    let bytes = match read_plain(&file.place, MAX_NOTE_BYTES) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Read::Skipped("is larger than 8 MiB"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Read::Skipped("went away meanwhile");
        }
        Err(_) => return Read::Skipped("cannot be read"),
    };
    if !is_text(&bytes) {
        return Read::Skipped("is not text");
    }
    if bytes.iter().filter(|byte| **byte == b'\n').count() > MAX_NOTE_LINES {
        return Read::Skipped("has more than 200,000 lines");
    }
    let row =
        FileRow { hash: hex(&Sha256::digest(&bytes)), mtime: stamp(file.modified), size: bytes.len() as u64 };
    match known.is_some_and(|known| known.hash == row.hash) {
        true => Read::Same(row),
        false => Read::Changed(row, String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// When a file last changed, as exactly as the system says: two changes in one millisecond are two.
fn stamp(modified: Option<SystemTime>) -> i64 {
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}
