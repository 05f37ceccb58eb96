//! The index of one agent's memory: a SQLite file with the passages, the words they have (FTS5) and their vectors. It holds
//! nothing that is not in the notes, may be deleted at any moment, and is made anew when it is not what we wrote.
//!
//! Words are cut and stemmed by [`crate::words`]; FTS5 keeps which passages have which, and nothing else about them, so
//! that a list of passages is read at the speed of the disk. How well they fit is decided in [`crate::search`].

mod entry;
mod tally;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use homard_runtime::create_private_dir;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Transaction, TransactionBehavior, params};

use crate::passages::Passage;
use crate::words::{Language, Lexicon, number};
pub(crate) use entry::{Part, PassageEntry, numbers};
use tally::Tally;

/// Changes whenever notes would be cut or read differently; an index of another version is made anew.
const VERSION: &str = "4";
/// Under which the length of passages is kept.
const PASSAGE_CHARS: &str = "passage_chars";
/// Pages that are kept, in KiB: while notes are taken in, and while questions are answered, which read pages that lie far
/// apart and find them with the system.
const WRITE_CACHE_KIB: u32 = 4_096;
const READ_CACHE_KIB: u32 = 1_024;
/// How long a writer waits for another process.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, source TEXT NOT NULL, hash TEXT NOT NULL, mtime INTEGER NOT NULL, size INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    hash TEXT NOT NULL, day TEXT, heading TEXT NOT NULL, length INTEGER NOT NULL, words BLOB NOT NULL, text TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_by_path ON chunks (path);
CREATE INDEX IF NOT EXISTS chunks_by_hash ON chunks (hash);
CREATE VIRTUAL TABLE IF NOT EXISTS chunks_fts USING fts5 (
    terms, content='', contentless_delete=1, detail=none, tokenize='ascii'
);
CREATE TABLE IF NOT EXISTS terms (number INTEGER PRIMARY KEY, term TEXT NOT NULL, passages INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS terms_by_term ON terms (term);
CREATE TABLE IF NOT EXISTS of_agent (hash TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (
    hash TEXT NOT NULL, model TEXT NOT NULL, scale REAL NOT NULL, data BLOB NOT NULL, PRIMARY KEY (hash, model)
) WITHOUT ROWID;
";

/// Tables and indexes in it.
const MADE: i64 = 10;

/// What is asked of every table, so that one of another form is seen before it is used.
const PROBES: [&str; 3] = [
    "SELECT key, value FROM meta",
    "SELECT path, source, hash, mtime, size FROM files",
    "SELECT id, path, start_line, end_line, hash, day, heading, length, words, text FROM chunks",
];
/// Nobody but the owner may read it.
const PRIVATE: u32 = 0o600;

/// Why the index could not be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error(
        "the memory index `{path}` cannot be put there; take away what lies there, or name another place (memorySearch.store.path)"
    )]
    Place {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the memory index cannot be read or written")]
    Sqlite(#[from] rusqlite::Error),
    /// Another program's index lies there.
    #[error("the memory index `{0}` is of another form")]
    OfAnotherForm(PathBuf),
    #[error(
        "`{0}` is a database of something else; name another place for the index (memorySearch.store.path)"
    )]
    Foreign(PathBuf),
    #[error("no thread to read the memory index could be started; end other programs or allow more threads")]
    NoThread(#[source] io::Error),
    /// Only a fault of ours ends it while it is asked.
    #[error("reading the memory index ended with a fault; ask again")]
    ReaderEnded,
}

impl IndexError {
    /// Whether the file is not what we wrote.
    pub(crate) fn is_broken(&self) -> bool {
        let error = match self {
            Self::Sqlite(error) => error,
            Self::OfAnotherForm(_) => return true,
            Self::Place { .. } | Self::Foreign(_) | Self::NoThread(_) | Self::ReaderEnded => return false,
        };
        let code = error.sqlite_error_code();
        matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
            || matches!(
                error,
                rusqlite::Error::InvalidColumnType(..) | rusqlite::Error::FromSqlConversionFailure(..)
            )
    }
}

/// A file as it was when it was indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileRow {
    pub(crate) hash: String,
    pub(crate) mtime: i64,
    pub(crate) size: u64,
}

/// How much there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexSize {
    pub files: u64,
    pub sessions: u64,
    pub passages: u64,
    /// Passages that have a vector.
    pub vectors: u64,
}

/// What ranking needs to know about all passages together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Totals {
    pub(crate) passages: i64,
    pub(crate) words: i64,
    languages: u32,
}

impl Totals {
    /// The languages notes are written in, English always.
    pub(crate) fn languages(self) -> Vec<Language> {
        let there =
            |language: &Language| *language == Language::English || self.languages & language.bit() != 0;
        Language::ALL.into_iter().filter(there).collect()
    }
}

/// The open index.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) db: Connection,
    /// What the transaction under way adds to the counts.
    tally: RefCell<Tally>,
    lexicon: RefCell<Lexicon>,
}

impl Index {
    /// Opens it, or begins a new one.
    pub(crate) fn open(path: &Path) -> Result<Self, IndexError> {
        Self::open_with(path, WRITE_CACHE_KIB)
    }

    /// The same for whoever puts questions to it.
    pub(crate) fn open_to_ask(path: &Path) -> Result<Self, IndexError> {
        Self::open_with(path, READ_CACHE_KIB)
    }

    fn open_with(path: &Path, cache_kib: u32) -> Result<Self, IndexError> {
        let placed = |source| IndexError::Place { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            create_private_dir(folder).map_err(placed)?;
        }
        // Notes are private, wherever their index is; what SQLite puts beside it is as private as the file.
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(true).mode(PRIVATE).open(path).map_err(placed)?;
        let (tally, lexicon) = (RefCell::default(), RefCell::default());
        let index = Self { db: Connection::open(path)?, tally, lexicon };
        index.db.busy_timeout(BUSY)?;
        index.is_ours(path)?;
        index.db.execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -{cache_kib}; PRAGMA journal_size_limit = 16777216;",
        ))?;
        // Whoever asks does not wait for who writes: on a busy machine a batch of notes may take longer than anybody waits.
        if !index.is_made()? {
            // All of it or nothing: half of it would be taken for something else.
            Transaction::new_unchecked(&index.db, TransactionBehavior::Immediate).and_then(|whole| {
                whole.execute_batch(SCHEMA)?;
                whole.commit()
            })?;
        }
        match index.meta("version")?.as_deref() {
            Some(VERSION) => {}
            None => index.set_meta("version", VERSION)?,
            Some(_) => index.begin_anew()?,
        }
        Ok(index)
    }

    /// Whether everything in [`SCHEMA`] is there.
    fn is_made(&self) -> Result<bool, IndexError> {
        let named =
            "SELECT count(*) FROM sqlite_master WHERE name IN ('meta', 'files', 'chunks', 'chunks_by_path',
             'chunks_by_hash', 'chunks_fts', 'terms', 'terms_by_term', 'of_agent', 'vectors')";
        Ok(self.db.query_row(named, [], |row| row.get::<_, i64>(0))? == MADE)
    }

    /// Looks at what is there before anything is written: a database of something else is left as it is.
    fn is_ours(&self, path: &Path) -> Result<(), IndexError> {
        let count = |sql: &str| self.db.query_row(sql, [], |row| row.get::<_, i64>(0));
        if count("SELECT count(*) FROM sqlite_master")? == 0 {
            return Ok(());
        }
        if count("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('chunks', 'meta')")?
            < 2
        {
            return Err(IndexError::Foreign(path.to_owned()));
        }
        let is_whole = PROBES.iter().all(|probe| self.db.prepare(probe).is_ok());
        if is_whole { Ok(()) } else { Err(IndexError::OfAnotherForm(path.to_owned())) }
    }

    /// Forgets everything but the vectors and whose words passages are, which are known by what they are of.
    pub(crate) fn clear(&self) -> Result<(), IndexError> {
        // Whoever asks meanwhile finds what was there, or nothing; never half of it.
        let whole = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
        self.empty()?;
        Ok(whole.commit()?)
    }

    /// The same for one of another version. Of two who find it, the second has nothing to do: the first may have filled it
    /// again by then.
    fn begin_anew(&self) -> Result<(), IndexError> {
        let whole = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
        if self.meta("version")?.as_deref() != Some(VERSION) {
            self.empty()?;
            // What vectors are made of may have been something else.
            self.db.execute("DELETE FROM vectors", [])?;
        }
        Ok(whole.commit()?)
    }

    fn empty(&self) -> Result<(), IndexError> {
        self.db.execute_batch(
            "DELETE FROM files; DELETE FROM chunks; DROP TABLE IF EXISTS vocabulary; DROP TABLE chunks_fts;
             DELETE FROM terms; DELETE FROM meta;",
        )?;
        self.db.execute_batch(SCHEMA)?;
        self.set_meta("version", VERSION)
    }

    pub(crate) fn meta(&self, key: &str) -> Result<Option<String>, IndexError> {
        let mut statement = self.db.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0)).optional()?)
    }

    pub(crate) fn set_meta(&self, key: &str, value: &str) -> Result<(), IndexError> {
        let mut statement =
            self.db.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?;
        statement.execute([key, value])?;
        Ok(())
    }

    fn counted(&self, key: &str) -> Result<i64, IndexError> {
        Ok(self.meta(key)?.and_then(|value| value.parse().ok()).unwrap_or(0))
    }

    pub(crate) fn totals(&self) -> Result<Totals, IndexError> {
        let languages = u32::try_from(self.counted("languages")?).unwrap_or(0);
        Ok(Totals { passages: self.counted("passages")?, words: self.counted("words")?, languages })
    }

    pub(crate) fn size(&self) -> Result<IndexSize, IndexError> {
        let of = |source: &str| -> rusqlite::Result<i64> {
            self.db.query_row("SELECT count(*) FROM files WHERE source = ?1", [source], |row| row.get(0))
        };
        let (files, sessions) = (of("memory")?, of("sessions")?);
        let vectors: i64 =
            self.db
                .query_row("SELECT count(*) FROM vectors WHERE instr(hash, '.') = 0", [], |row| row.get(0))?;
        let count = |count: i64| u64::try_from(count).unwrap_or(0);
        Ok(IndexSize {
            files: count(files),
            sessions: count(sessions),
            passages: count(self.totals()?.passages),
            vectors: count(vectors),
        })
    }

    /// When every note that is indexed changed, in nanoseconds, and its size, by path.
    pub(crate) fn stamps(&self) -> Result<BTreeMap<String, (i64, u64)>, IndexError> {
        let mut statement =
            self.db.prepare_cached("SELECT path, mtime, size FROM files WHERE source = 'memory'")?;
        let rows = statement.query_map([], |row| {
            let size: i64 = row.get(2)?;
            Ok((row.get(0)?, (row.get(1)?, u64::try_from(size).unwrap_or(0))))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One file as it was indexed.
    pub(crate) fn file(&self, path: &str) -> Result<Option<FileRow>, IndexError> {
        let mut statement = self.db.prepare_cached("SELECT hash, mtime, size FROM files WHERE path = ?1")?;
        let row = statement.query_row([path], |row| {
            let size: i64 = row.get(2)?;
            Ok(FileRow { hash: row.get(0)?, mtime: row.get(1)?, size: u64::try_from(size).unwrap_or(0) })
        });
        Ok(row.optional()?)
    }

    /// Puts a file's passages in the place of those it had. To be called in a transaction.
    pub(crate) fn put(&self, path: &str, file: &FileRow, passages: &[Passage]) -> Result<(), IndexError> {
        self.remove(path)?;
        self.add(path, passages)?;
        self.touch(path, file)
    }

    /// Puts down that a file was written by the agent: its passages are the agent's, but for those that had been there
    /// before. To be called in a transaction, before [`Index::put`].
    pub(crate) fn put_down_agent(&self, path: &str, passages: &[Passage]) -> Result<(), IndexError> {
        let mut written = self.db.prepare_cached(
            "INSERT OR IGNORE INTO of_agent (hash) SELECT ?1
             WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE hash = ?1 AND path = ?2)",
        )?;
        for passage in passages {
            written.execute([passage.hash().as_str(), path])?;
        }
        Ok(())
    }

    /// Adds passages of a conversation to those it has. To be called in a transaction.
    pub(crate) fn add_transcript(
        &self,
        path: &str,
        row: &FileRow,
        passages: &[Passage],
    ) -> Result<(), IndexError> {
        self.add(path, passages)?;
        self.write_row(path, "sessions", row)
    }

    fn add(&self, path: &str, passages: &[Passage]) -> Result<(), IndexError> {
        let mut chunk = self.db.prepare_cached(
            "INSERT INTO chunks (path, start_line, end_line, hash, day, heading, length, words, text)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        let mut terms = self.db.prepare_cached("INSERT INTO chunks_fts (rowid, terms) VALUES (?1, ?2)")?;
        let mut lexicon = self.lexicon.borrow_mut();
        let mut tally = self.tally.borrow_mut();
        for passage in passages {
            // Between two of them whoever waits for this processor goes first: for a thread of the same kind the system would
            // let it wait for some milliseconds, however low our priority is.
            std::thread::yield_now();
            let entry = PassageEntry::of(passage, &mut lexicon);
            let line = |line: usize| i64::try_from(line).unwrap_or(i64::MAX);
            chunk.execute(params![
                path,
                line(passage.first),
                line(passage.last),
                entry.hash,
                passage.day.map(|day| day.to_string()),
                passage.heading,
                entry.length,
                entry.words,
                passage.text
            ])?;
            terms.execute(params![self.db.last_insert_rowid(), entry.text()])?;
            tally.add(&entry);
        }
        Ok(())
    }

    /// The file is still what it was; only its time is another.
    pub(crate) fn touch(&self, path: &str, file: &FileRow) -> Result<(), IndexError> {
        self.write_row(path, "memory", file)
    }

    fn write_row(&self, path: &str, source: &str, file: &FileRow) -> Result<(), IndexError> {
        let mut statement = self.db.prepare_cached(
            "INSERT OR REPLACE INTO files (path, source, hash, mtime, size) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        statement.execute(params![
            path,
            source,
            file.hash,
            file.mtime,
            i64::try_from(file.size).unwrap_or(i64::MAX)
        ])?;
        Ok(())
    }

    /// Forgets a file. To be called in a transaction.
    pub(crate) fn remove(&self, path: &str) -> Result<(), IndexError> {
        let mut old = self.db.prepare_cached("SELECT length, words FROM chunks WHERE path = ?1")?;
        let mut rows = old.query([path])?;
        let mut had_any = false;
        while let Some(row) = rows.next()? {
            had_any = true;
            let words = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            self.tally.borrow_mut().subtract(row.get(0)?, words);
        }
        if had_any {
            let mut terms = self.db.prepare_cached(
                "DELETE FROM chunks_fts WHERE rowid IN (SELECT id FROM chunks WHERE path = ?1)",
            )?;
            terms.execute([path])?;
            self.db.prepare_cached("DELETE FROM chunks WHERE path = ?1")?.execute([path])?;
        }
        self.db.prepare_cached("DELETE FROM files WHERE path = ?1")?.execute([path])?;
        Ok(())
    }

    /// How many passages have a term.
    pub(crate) fn having(&self, term: &str) -> Result<i64, IndexError> {
        let mut statement = self.db.prepare_cached("SELECT passages FROM terms WHERE number = ?1")?;
        Ok(statement.query_row([number(term)], |row| row.get(0)).optional()?.unwrap_or(0))
    }

    /// Has notes cut into passages of at most so many characters; when they were of another length, they are cut anew.
    pub(crate) fn cut_by(&self, passage_chars: usize) -> Result<(), IndexError> {
        let wanted = passage_chars.to_string();
        match self.meta(PASSAGE_CHARS)? {
            Some(known) if known == wanted => return Ok(()),
            Some(_) => self.clear()?,
            None => {}
        }
        self.set_meta(PASSAGE_CHARS, &wanted)
    }

    /// Does several things at once or not at all. Whoever else writes is waited for before anything is read.
    pub(crate) fn together<T>(
        &self,
        act: impl FnOnce(&Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let transaction = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
        self.tally.take();
        let done = act(self)?;
        self.write_tally()?;
        transaction.commit()?;
        Ok(done)
    }
}

/// Puts a file away that is no index of ours: it may be something of the owner's that is named by mistake.
#[expect(clippy::disallowed_methods, reason = "a move, nothing is written")]
pub(crate) fn put_aside(path: &Path) -> io::Result<()> {
    passed_over(std::fs::rename(path, beside(path, ".broken")))?;
    delete(path)
}

/// Removes an index with all that belongs to it.
pub(crate) fn delete(path: &Path) -> io::Result<()> {
    ["", "-wal", "-shm"]
        .into_iter()
        .try_for_each(|ending| passed_over(std::fs::remove_file(beside(path, ending))))
}

/// What is not there needs nothing done to it.
fn passed_over(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests;
