//! What file tools replaced, kept so that it can be put back.
//!
//! Before a tool replaces, creates, moves or deletes a file, what was there is kept under
//! `<state>/undo/<agent>/<run>/`: one line in a journal, and the old bytes in a file of their own. The line is on
//! disk before the change is made, and says what the change will leave, so that after a crash both the file before
//! and the file after are recognised. `journal` reads and writes the lines, `keep` is what tools call, `plan` says
//! what can be put back and why the rest cannot, `restore` does it. Putting back is journaled in the same way, so it
//! can be taken back too.
//!
//! What commands change is not kept; the journal knows that there were some.

mod journal;
mod keep;
mod plan;
mod restore;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use homard_protocol::SessionKey;
use homard_protocol::methods::sessions::undo::UndoChange;
use homard_runtime::{Arrange as _, Clock, CollectOrdered as _, Mutex};

pub(crate) use keep::{KeepError, Keeper, PlannedChange, note_command};
pub use plan::{FileChange, FileState, RunChanges};
pub use restore::{Failed, UndoError, UndoOptions, UndoReport};

use journal::{Journal, JournalLine, RunHeader};

/// Largest file that is kept; larger ones are noted as not kept.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// Most bytes kept of one run.
const MAX_RUN: u64 = 256 * 1024 * 1024;
/// Most bytes kept of all runs together; the oldest are dropped.
const MAX_TOTAL: u64 = 1024 * 1024 * 1024;
/// Most runs kept; the oldest are dropped.
const MAX_RUNS: usize = 500;
/// Changes of one run that are kept; later ones are noted as not kept.
const MAX_CHANGES: usize = 5_000;

/// The agent folder of conversations without an agent.
const NO_AGENT: &str = "main";

/// Where replaced files are kept. Clone-cheap; the default keeps nothing.
#[derive(Debug, Clone, Default)]
pub struct Undo {
    inner: Option<Arc<Inner>>,
}

#[derive(Debug)]
struct Inner {
    dir: PathBuf,
    clock: Clock,
    /// One writer at a time: a journal is read and then added to.
    writing: Mutex<()>,
}

impl Inner {
    /// Every run that is kept, newest first.
    fn journals(&self) -> io::Result<Vec<Journal>> {
        let mut found = Vec::new();
        for agent in entries(&self.dir)? {
            self.add_journals(&agent, &mut found)?;
        }
        found.arrange_by(|a, b| b.header.at.cmp(&a.header.at).then_with(|| b.header.run.cmp(&a.header.run)));
        Ok(found)
    }

    fn add_journals(&self, agent: &Path, found: &mut Vec<Journal>) -> io::Result<()> {
        for dir in entries(agent)? {
            // A folder without a readable beginning is of a run that was cut off before it changed anything.
            found.extend(Journal::load(&dir)?);
        }
        Ok(())
    }

    /// The folder of a run.
    fn place(&self, session: &SessionKey, run: &str) -> PathBuf {
        let agent = session.agent_id().map_or(NO_AGENT, |agent| agent.as_str());
        self.dir.join(agent).join(journal::folder_name(run))
    }
}

/// The entries of a folder; none when it is not there.
fn entries(dir: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(dir) {
        Ok(found) => found.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

impl Undo {
    /// Keeps what is replaced under `dir`, which is made when it is first needed.
    #[must_use]
    pub fn new(dir: PathBuf, clock: Clock) -> Self {
        Self { inner: Some(Arc::new(Inner { dir, clock, writing: Mutex::default() })) }
    }

    /// The runs that changed something, newest first, of one conversation or of all. Blocks on the disk.
    ///
    /// # Errors
    /// When the journals cannot be read.
    pub fn runs(&self, session: Option<&SessionKey>, limit: usize) -> Result<Vec<RunChanges>, UndoError> {
        let inner = self.inner()?;
        let journals = inner.journals().map_err(UndoError::Read)?;
        let wanted = |journal: &&Journal| session.is_none_or(|key| journal.is_of(key));
        Ok(journals.iter().filter(wanted).take(limit).map(|journal| plan::plan(journal, &journals)).collect())
    }

    /// Whether runs of a conversation made a file, and it still is what the last of them left. Blocks on the disk.
    #[must_use]
    pub fn was_made_in(&self, session: &SessionKey, path: &Path) -> bool {
        let runs = self.runs(Some(session), MAX_RUNS).unwrap_or_default();
        let is_it = |change: &&FileChange| change.path.canonicalize().is_ok_and(|changed| changed == path);
        let changes: Vec<&FileChange> = runs.iter().flat_map(|run| &run.files).filter(is_it).collect();
        changes.first().is_some_and(|last| last.state == FileState::Restorable)
            && changes.iter().any(|change| change.what == UndoChange::Created)
    }

    /// What runs left of files they wrote: the SHA-256 of each. Blocks on the disk.
    #[must_use]
    pub fn left(&self) -> BTreeSet<String> {
        let journals =
            self.inner().and_then(|inner| inner.journals().map_err(UndoError::Read)).unwrap_or_default();
        let change = |line: JournalLine| match line {
            JournalLine::Change(change) => change.becomes.map(|print| print.sha256),
            JournalLine::Run(_)
            | JournalLine::Command { .. }
            | JournalLine::Undone { .. }
            | JournalLine::Redone { .. } => None,
        };
        journals
            .into_iter()
            .filter(|journal| journal.header.undoes.is_none())
            .flat_map(|journal| journal.lines)
            .filter_map(change)
            .collect_set()
    }

    /// What undoing would do, without doing it. Blocks on the disk.
    ///
    /// # Errors
    /// When there is nothing to undo, or the journals cannot be read.
    pub fn look(&self, wish: &UndoOptions<'_>) -> Result<RunChanges, UndoError> {
        let inner = self.inner()?;
        let journals = inner.journals().map_err(UndoError::Read)?;
        let journal = restore::chosen(&journals, wish)?;
        Ok(plan::plan(journal, &journals))
    }

    /// Puts back what a run replaced: all of it, or nothing when a file is no longer what the run left. Blocks on
    /// the disk.
    ///
    /// # Errors
    /// When there is nothing to undo or something is in the way; the error says what.
    pub fn apply(&self, wish: &UndoOptions<'_>) -> Result<UndoReport, UndoError> {
        restore::apply(self.inner()?, wish)
    }

    fn inner(&self) -> Result<&Inner, UndoError> {
        self.inner.as_deref().ok_or(UndoError::Off)
    }
}

/// Who a run is, as the journals know it.
fn header_of(inner: &Inner, session: &SessionKey, run: &str, undoes: Option<String>) -> RunHeader {
    RunHeader { run: run.to_owned(), session: session.to_string(), at: inner.clock.now_ms(), undoes }
}

#[cfg(test)]
mod tests;
