//! Putting back what a run replaced.

use std::fmt;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use homard_protocol::SessionKey;
use homard_protocol::methods::sessions::undo::UndoChange;
use homard_runtime::FileDraft;

use super::journal::{FormerState, Journal, JournalLine, Print};
use super::keep::{PlannedChange, add};
use super::plan::{Chain, FileChange, FileState, RunChanges, chains, plan};
use super::{Inner, header_of};

/// How the changes of an undo are called in its own journal.
const TOOL: &str = "undo";

/// What shall be undone.
#[derive(Debug, Clone, Copy)]
pub struct UndoOptions<'a> {
    /// In which conversation; all when it is left out.
    pub session: Option<&'a SessionKey>,
    /// Which run; the last one when it is left out.
    pub run: Option<&'a str>,
    /// Whether files that changed since are put back all the same.
    pub force: bool,
}

/// Why nothing was undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// Nothing is kept at all.
    #[error("replaced files are not kept here, so nothing can be undone")]
    Off,
    /// No run changed anything.
    #[error("there is nothing to undo: no run of this conversation changed a file or ran a command")]
    Nothing,
    /// The run is not known, or too old.
    #[error(
        "nothing is kept of run `{run}`: it changed nothing, or it is too old; `homard undo --list` shows what is kept"
    )]
    Unknown { run: String },
    /// It has been undone.
    #[error("run `{run}` was undone already; `homard undo --run {by}` takes that back")]
    Already { run: String, by: String },
    /// It only ran commands.
    #[error("run `{run}` changed no file with a file tool. Commands ran in it; what they changed is not kept{}", before(earlier.as_deref()))]
    OnlyCommands {
        run: String,
        /// The newest run before it whose files could be put back.
        earlier: Option<String>,
    },
    /// Something is in the way.
    #[error("nothing was undone: {}", blocked(changes))]
    Blocked {
        /// What, file by file.
        changes: Box<RunChanges>,
    },
    /// The journals cannot be read or written.
    #[error("could not read what is kept")]
    Read(#[source] io::Error),
    /// What is replaced now cannot be kept, so it is not replaced.
    #[error("nothing was undone: what is there now could not be kept")]
    Keep(#[source] io::Error),
}

fn before(earlier: Option<&str>) -> String {
    match earlier {
        Some(run) => format!(". The run before it that changed files: `homard undo --run {run}`"),
        None => String::new(),
    }
}

fn blocked(changes: &RunChanges) -> String {
    let in_the_way = changes.files.iter().filter(|file| file.state.blocks());
    let words: Vec<String> =
        in_the_way.map(|file| format!("`{}` {}", file.path.display(), file.state)).collect();
    words.join("; ")
}

/// A file that could not be put back although it should have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    pub path: PathBuf,
    pub why: String,
}

/// What was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoReport {
    /// The run, as it was before.
    pub changes: RunChanges,
    /// The files that were put back.
    pub restored: Vec<FileChange>,
    /// The files that were not.
    pub failed: Vec<Failed>,
    /// The name by which this can itself be undone.
    pub by: String,
}

impl fmt::Display for UndoReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Undid run {}.", self.changes.run)?;
        for file in &self.restored {
            let done = match file.what {
                UndoChange::Created => "removed",
                UndoChange::Changed => "restored",
                UndoChange::Deleted => "brought back",
            };
            writeln!(f, "- {done} {}", file.path.display())?;
        }
        for file in self.changes.files.iter().filter(|file| file.state == FileState::AsBefore) {
            writeln!(f, "- {} was as before already", file.path.display())?;
        }
        for failed in &self.failed {
            writeln!(f, "- could not put back {}: {}", failed.path.display(), failed.why)?;
        }
        if self.changes.commands {
            writeln!(f, "Commands ran in this run; what they changed is not kept.")?;
        }
        write!(f, "To take this back: homard undo --run {}", self.by)
    }
}

/// The run a wish is about.
pub(super) fn chosen<'j>(journals: &'j [Journal], wish: &UndoOptions<'_>) -> Result<&'j Journal, UndoError> {
    let mut here = journals.iter().filter(|journal| wish.session.is_none_or(|key| journal.is_of(key)));
    match wish.run {
        Some(run) => here
            .find(|journal| journal.header.run == run)
            .ok_or_else(|| UndoError::Unknown { run: run.to_owned() }),
        None => here
            .find(|journal| journal.header.undoes.is_none() && journal.undone_by().is_none())
            .ok_or(UndoError::Nothing),
    }
}

/// Puts back what a run replaced.
pub(super) fn apply(inner: &Inner, wish: &UndoOptions<'_>) -> Result<UndoReport, UndoError> {
    let _writing = inner.writing.lock();
    let journals = inner.journals().map_err(UndoError::Read)?;
    let journal = chosen(&journals, wish)?;
    let changes = plan(journal, &journals);
    check(&changes, journal, &journals, wish)?;
    let todo: Vec<(Chain<'_>, &FileChange)> =
        chains(journal).into_iter().zip(&changes.files).filter(|(_, file)| file.state.yields()).collect();
    let session = SessionKey::parse(&journal.header.session).unwrap_or(SessionKey::Unknown);
    let by = format!("undo-{}", uuid::Uuid::new_v4());
    let header = header_of(inner, &session, &by, Some(journal.header.run.clone()));
    let mut own = Journal::open(inner, inner.place(&session, &by), header).map_err(UndoError::Keep)?;
    let planned: io::Result<Vec<PlannedChange>> = todo
        .iter()
        .map(|(chain, _)| Ok(PlannedChange::becoming(chain.path, goal(journal, chain)?)))
        .collect();
    planned.and_then(|planned| add(inner, &mut own, TOOL, &planned)).map_err(UndoError::Keep)?;
    let (mut restored, mut failed) = (Vec::new(), Vec::new());
    for (chain, file) in todo {
        match put_back(journal, &chain) {
            Ok(()) => restored.push(file.clone()),
            Err(error) => failed.push(Failed { path: chain.path.to_owned(), why: error.to_string() }),
        }
    }
    if failed.is_empty() {
        mark(inner, &journals, journal, &by).map_err(UndoError::Read)?;
    }
    Ok(UndoReport { changes, restored, failed, by })
}

fn check(
    changes: &RunChanges,
    journal: &Journal,
    journals: &[Journal],
    wish: &UndoOptions<'_>,
) -> Result<(), UndoError> {
    let run = || changes.run.clone();
    if let Some(by) = &changes.undone_by {
        return Err(UndoError::Already { run: run(), by: by.clone() });
    }
    if changes.files.is_empty() {
        let could = |other: &&Journal| {
            other.header.session == journal.header.session
                && other.header.at <= journal.header.at
                && other.header.undoes.is_none()
                && other.undone_by().is_none()
                && other.changes().next().is_some()
        };
        let earlier = journals.iter().find(could).map(|other| other.header.run.clone());
        return Err(UndoError::OnlyCommands { run: run(), earlier });
    }
    let stops = |file: &FileChange| file.state.blocks() && !(wish.force && file.state.yields());
    if changes.files.iter().any(stops) {
        return Err(UndoError::Blocked { changes: Box::new(changes.clone()) });
    }
    Ok(())
}

/// What a file holds once it is put back.
fn goal(journal: &Journal, chain: &Chain<'_>) -> io::Result<Option<Print>> {
    match &chain.first.was {
        FormerState::File { content, .. } => Print::of_file(&journal.dir.join(content)).map(Some),
        FormerState::Absent | FormerState::Left | FormerState::NotKept { .. } => Ok(None),
    }
}

fn put_back(journal: &Journal, chain: &Chain<'_>) -> io::Result<()> {
    let FormerState::File { content, mode, mtime_ms, .. } = &chain.first.was else { return remove(chain) };
    let parent = chain.path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent)?;
    let mut draft = FileDraft::private(chain.path)?;
    io::copy(&mut File::open(journal.dir.join(content))?, &mut draft)?;
    draft.file().set_permissions(Permissions::from_mode(*mode))?;
    // A time before 1970, or one the system does not take, is not worth failing for.
    if let Ok(ms) = u64::try_from(*mtime_ms)
        && let Some(then) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(ms))
        && let Err(error) = draft.file().set_modified(then)
    {
        tracing::debug!(%error, "the time of a restored file was not set");
    }
    draft.commit_unflushed()
}

fn remove(chain: &Chain<'_>) -> io::Result<()> {
    match fs::remove_file(chain.path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for made in chain.made() {
        // Somebody may have put something there meanwhile; then it stays.
        if fs::remove_dir(made).is_err() {
            break;
        }
    }
    Ok(())
}

/// Writes down that a run is undone, and that the one it had undone is not any more.
fn mark(inner: &Inner, journals: &[Journal], journal: &Journal, by: &str) -> io::Result<()> {
    let at = inner.clock.now_ms();
    journal.clone().append(vec![JournalLine::Undone { by: by.to_owned(), at }])?;
    let undone = journals.iter().find(|other| journal.header.undoes.as_ref() == Some(&other.header.run));
    match undone {
        Some(other) => other.clone().append(vec![JournalLine::Redone { by: by.to_owned(), at }]),
        None => Ok(()),
    }
}
