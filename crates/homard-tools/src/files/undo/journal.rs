//! The journal of one run: what is written, read back line by line, and how runs that are too many are dropped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use homard_protocol::SessionKey;
use homard_runtime::{create_private_dir, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Inner, MAX_RUN, MAX_RUNS, MAX_TOTAL};

const JOURNAL: &str = "journal.jsonl";
/// Longest journal that is read; what a run of [`MAX_CHANGES`](super::MAX_CHANGES) writes is far less.
const MAX_JOURNAL: u64 = 64 * 1024 * 1024;
/// Longest run id that is a folder's name as it is.
const MAX_PLAIN_NAME: usize = 100;
/// How much of a file is hashed at a time.
const CHUNK: usize = 64 * 1024;

/// Who made the changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunHeader {
    pub(super) run: String,
    pub(super) session: String,
    /// When the first change was made, in milliseconds since 1970.
    pub(super) at: i64,
    /// The run this one undid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) undoes: Option<String>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(super) enum JournalLine {
    Run(RunHeader),
    /// A file is about to be changed.
    Change(Change),
    /// A command was run; what it changed is not known.
    Command {
        at: i64,
    },
    /// All of it was put back by that run.
    Undone {
        by: String,
        at: i64,
    },
    /// And that was taken back.
    Redone {
        by: String,
        at: i64,
    },
}

/// A change to one file, written before it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Change {
    pub(super) at: i64,
    pub(super) tool: String,
    pub(super) path: PathBuf,
    pub(super) was: FormerState,
    /// What the change leaves; `None` when the file is gone.
    pub(super) becomes: Option<Print>,
    /// Directories made for it, the deepest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) made: Vec<PathBuf>,
}

/// What was there before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "was", rename_all = "camelCase")]
pub(super) enum FormerState {
    Absent,
    /// A file; its bytes are kept under this name.
    File {
        content: String,
        bytes: u64,
        mode: u32,
        mtime_ms: i64,
    },
    /// What an earlier change of the same run left.
    Left,
    /// A file that could not be kept.
    NotKept {
        why: String,
    },
}

/// How a content is recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Print {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Print {
    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, sha256: hex(&Sha256::digest(bytes)) }
    }

    pub(super) fn of_file(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let (mut hash, mut bytes, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK]);
        loop {
            let length = file.read(&mut chunk)?;
            let Some(part) = chunk.get(..length).filter(|part| !part.is_empty()) else { break };
            hash.update(part);
            bytes += length as u64;
        }
        Ok(Self { bytes, sha256: hex(&hash.finalize()) })
    }
}

/// A run's folder. Ids come from clients; those that are no plain names are hashed.
pub(super) fn folder_name(run: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !run.is_empty() && run.len() <= MAX_PLAIN_NAME && run.chars().all(plain) {
        return run.to_owned();
    }
    format!("~{}", hex(&Sha256::digest(run.as_bytes())))
}

/// A journal read from the disk.
#[derive(Debug, Clone)]
pub(super) struct Journal {
    pub(super) dir: PathBuf,
    pub(super) header: RunHeader,
    pub(super) lines: Vec<JournalLine>,
    /// Whether nothing of it is on disk yet.
    is_new: bool,
}

impl Journal {
    /// Reads a run's folder; `None` when there is no run in it. A last line that was cut off is left out: its
    /// change was not made.
    pub(super) fn load(dir: &Path) -> io::Result<Option<Self>> {
        let mut text = Vec::new();
        match File::open(dir.join(JOURNAL)) {
            Ok(file) => file.take(MAX_JOURNAL).read_to_end(&mut text)?,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let lines = text.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
        let mut lines: Vec<JournalLine> = lines.collect();
        if !matches!(lines.first(), Some(JournalLine::Run(_))) {
            return Ok(None);
        }
        let JournalLine::Run(header) = lines.remove(0) else { return Ok(None) };
        Ok(Some(Self { dir: dir.to_owned(), header, lines, is_new: false }))
    }

    /// The journal of a run; a new one begins with its first line. Older runs make room first.
    pub(super) fn open(inner: &Inner, dir: PathBuf, header: RunHeader) -> io::Result<Self> {
        if let Some(journal) = Self::load(&dir)? {
            return Ok(journal);
        }
        make_room(inner)?;
        create_private_dir(&dir)?;
        Ok(Self { dir, header, lines: Vec::new(), is_new: true })
    }

    /// Adds lines in one piece and waits until they are on disk.
    pub(super) fn append(&mut self, lines: Vec<JournalLine>) -> io::Result<()> {
        let was_new = self.is_new;
        let file = self.write(lines)?;
        file.sync_data()?;
        // The folder's entries: the journal itself, and the contents kept beside it.
        File::open(&self.dir)?.sync_all()?;
        match self.dir.parent() {
            Some(parent) if was_new => File::open(parent)?.sync_all(),
            Some(_) | None => Ok(()),
        }
    }

    /// Adds a line that is not worth waiting for.
    pub(super) fn note(&mut self, line: JournalLine) -> io::Result<()> {
        self.write(vec![line]).map(drop)
    }

    fn write(&mut self, lines: Vec<JournalLine>) -> io::Result<File> {
        let mut text = Vec::new();
        // A line that was cut off by a crash must not swallow the next.
        text.push(b'\n');
        let first = self.is_new.then(|| JournalLine::Run(self.header.clone()));
        for line in first.iter().chain(&lines) {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        let path = self.dir.join(JOURNAL);
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        file.write_all(&text)?;
        self.is_new = false;
        self.lines.extend(lines);
        Ok(file)
    }

    pub(super) fn changes(&self) -> impl DoubleEndedIterator<Item = &Change> {
        self.lines.iter().filter_map(|line| match line {
            JournalLine::Change(change) => Some(change),
            _ => None,
        })
    }

    /// How many bytes are kept.
    pub(super) fn kept(&self) -> u64 {
        let sizes = self.changes().map(|change| match &change.was {
            FormerState::File { bytes, .. } => *bytes,
            FormerState::Absent | FormerState::Left | FormerState::NotKept { .. } => 0,
        });
        sizes.sum()
    }

    pub(super) fn commands(&self) -> usize {
        self.lines.iter().filter(|line| matches!(line, JournalLine::Command { .. })).count()
    }

    /// The run that put everything back, unless that was taken back since.
    pub(super) fn undone_by(&self) -> Option<&str> {
        self.lines.iter().rev().find_map(|line| match line {
            JournalLine::Undone { by, .. } => Some(Some(by.as_str())),
            JournalLine::Redone { .. } => Some(None),
            JournalLine::Run(_) | JournalLine::Change(_) | JournalLine::Command { .. } => None,
        })?
    }

    pub(super) fn is_of(&self, session: &SessionKey) -> bool {
        self.header.session == session.to_string()
    }
}

/// Drops the oldest runs until one more fits.
fn make_room(inner: &Inner) -> io::Result<()> {
    let journals = inner.journals()?;
    let mut total: u64 = journals.iter().map(Journal::kept).sum();
    let mut count = journals.len();
    for oldest in journals.iter().rev() {
        if count < MAX_RUNS && total <= MAX_TOTAL - MAX_RUN {
            break;
        }
        fs::remove_dir_all(&oldest.dir)?;
        total -= oldest.kept();
        count -= 1;
    }
    Ok(())
}
