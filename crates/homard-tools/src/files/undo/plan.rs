//! What of a run can be put back, and why the rest cannot.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use homard_protocol::methods::sessions::undo::{UndoChange, UndoState};

use super::journal::{Change, FormerState, Journal, Print};

/// A run that changed something, and what could be put back now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunChanges {
    pub run: String,
    pub session: String,
    /// When it made its first change, in milliseconds since 1970.
    pub at: i64,
    /// Its files, in the order it first changed them.
    pub files: Vec<FileChange>,
    /// Whether it also ran commands, whose changes are not kept.
    pub commands: bool,
    /// The run that undid it.
    pub undone_by: Option<String>,
    /// The run it undid, when it is itself an undo.
    pub undoes: Option<String>,
}

/// What a run did to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: PathBuf,
    /// What was done to it, all in all.
    pub what: UndoChange,
    /// Whether that can be put back.
    pub state: FileState,
}

/// Whether a file can be put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It is what the run left, and what was there before is kept.
    Restorable,
    /// It is what it was before the run already.
    AsBefore,
    /// It is no longer what the run left.
    Changed {
        /// The run that changed it since, where that is known.
        by: Option<String>,
    },
    /// Something else changed it between two changes of the run.
    Between,
    /// What was there before was not kept.
    NotKept { why: String },
    /// Its folder is now a link to another place.
    Elsewhere,
    /// It cannot be looked at.
    Unreadable { why: String },
}

impl FileState {
    /// The word programs read.
    #[must_use]
    pub fn word(&self) -> UndoState {
        match self {
            Self::Restorable => UndoState::Restorable,
            Self::AsBefore => UndoState::AsBefore,
            Self::Changed { .. } => UndoState::ChangedSince,
            Self::Between => UndoState::ChangedBetween,
            Self::NotKept { .. } => UndoState::NotKept,
            Self::Elsewhere => UndoState::Elsewhere,
            Self::Unreadable { .. } => UndoState::Unreadable,
        }
    }

    /// Whether it is in the way.
    #[must_use]
    pub fn blocks(&self) -> bool {
        !matches!(self, Self::Restorable | Self::AsBefore)
    }

    /// Whether it is put back all the same when somebody insists.
    pub(super) fn yields(&self) -> bool {
        matches!(self, Self::Restorable | Self::Changed { .. } | Self::Between)
    }
}

impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restorable => f.write_str("can be put back"),
            Self::AsBefore => f.write_str("is as it was before"),
            Self::Changed { by: Some(by) } => write!(f, "was changed since by run {by}"),
            Self::Changed { by: None } => f.write_str("was changed since, by a command or another program"),
            Self::Between => f.write_str("was changed by something else between two changes of the run"),
            Self::NotKept { why } => write!(f, "was not kept: {why}"),
            Self::Elsewhere => f.write_str("its folder is a link to another place now"),
            Self::Unreadable { why } => write!(f, "cannot be looked at: {why}"),
        }
    }
}

/// The changes a run made to one file, oldest first.
pub(super) struct Chain<'j> {
    pub(super) path: &'j Path,
    pub(super) first: &'j Change,
    changes: Vec<&'j Change>,
}

/// A run's changes by file.
pub(super) fn chains(journal: &Journal) -> Vec<Chain<'_>> {
    let mut chains: Vec<Chain<'_>> = Vec::new();
    for change in journal.changes() {
        match chains.iter_mut().find(|chain| chain.path == change.path) {
            Some(chain) => chain.changes.push(change),
            None => chains.push(Chain { path: &change.path, first: change, changes: vec![change] }),
        }
    }
    chains
}

impl<'j> Chain<'j> {
    /// What the run left in the end.
    fn left(&self) -> Option<&'j Print> {
        self.changes.last().and_then(|change| change.becomes.as_ref())
    }

    fn what(&self) -> UndoChange {
        match (&self.first.was, self.left()) {
            (FormerState::Absent, _) => UndoChange::Created,
            (_, Some(_)) => UndoChange::Changed,
            (_, None) => UndoChange::Deleted,
        }
    }

    /// Directories the run made for the file, the deepest first.
    pub(super) fn made(&self) -> &'j [PathBuf] {
        &self.first.made
    }
}

/// What of a run can be put back now. `journals` are all there are: they know who else changed its files.
pub(super) fn plan(journal: &Journal, journals: &[Journal]) -> RunChanges {
    let files = chains(journal).into_iter().map(|chain| FileChange {
        path: chain.path.to_owned(),
        what: chain.what(),
        state: state(journal, &chain, journals)
            .unwrap_or_else(|error| FileState::Unreadable { why: error.to_string() }),
    });
    RunChanges {
        run: journal.header.run.clone(),
        session: journal.header.session.clone(),
        at: journal.header.at,
        files: files.collect(),
        commands: journal.commands() > 0,
        undone_by: journal.undone_by().map(str::to_owned),
        undoes: journal.header.undoes.clone(),
    }
}

/// What is at a path.
#[derive(PartialEq)]
enum Now {
    Nothing,
    File(Print),
    Other,
}

/// Looks at a path. A file whose size is none of `sizes` is not read: it is something else anyway.
fn look(path: &Path, sizes: &[u64]) -> io::Result<Now> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => Ok(Now::Other),
        Ok(found) if !sizes.contains(&found.len()) => Ok(Now::Other),
        Ok(_) => Print::of_file(path).map(Now::File),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Now::Nothing)
        }
        Err(error) => Err(error),
    }
}

fn state(journal: &Journal, chain: &Chain<'_>, journals: &[Journal]) -> io::Result<FileState> {
    if leads_elsewhere(chain.path) {
        return Ok(FileState::Elsewhere);
    }
    let before = match &chain.first.was {
        FormerState::NotKept { why } => return Ok(FileState::NotKept { why: why.clone() }),
        // The first change of a run cannot follow one of its own.
        FormerState::Absent | FormerState::Left => Now::Nothing,
        FormerState::File { content, .. } => match Print::of_file(&journal.dir.join(content)) {
            Ok(print) => Now::File(print),
            Err(error) => {
                return Ok(FileState::NotKept { why: format!("the kept bytes cannot be read: {error}") });
            }
        },
    };
    let left = chain.left().map_or(Now::Nothing, |print| Now::File(print.clone()));
    let size = |now: &Now| match now {
        Now::File(print) => Some(print.bytes),
        Now::Nothing | Now::Other => None,
    };
    let sizes: Vec<u64> = [size(&before), size(&left)].into_iter().flatten().collect();
    let now = look(chain.path, &sizes)?;
    Ok(if now == before {
        FileState::AsBefore
    } else if now != left {
        FileState::Changed { by: who(journal, chain, journals) }
    } else if was_changed_between(journal, chain)? {
        FileState::Between
    } else {
        FileState::Restorable
    })
}

/// Whether any folder above is not where it was: the path was free of links when it was written down.
fn leads_elsewhere(path: &Path) -> bool {
    let there = path.ancestors().skip(1).find(|parent| parent.exists());
    there.is_some_and(|parent| parent.canonicalize().is_ok_and(|real| real != parent))
}

/// Whether a change found something that the change before it had not left. A change that was noted and then
/// not made leaves what it found.
fn was_changed_between(journal: &Journal, chain: &Chain<'_>) -> io::Result<bool> {
    let print = |was: &FormerState| match was {
        FormerState::File { content, .. } => Print::of_file(&journal.dir.join(content)).map(Some),
        FormerState::Absent | FormerState::Left | FormerState::NotKept { .. } => Ok(None),
    };
    let mut last_found = print(&chain.first.was)?;
    for change in chain.changes.iter().skip(1) {
        match &change.was {
            FormerState::Left => {}
            found @ FormerState::File { .. } => {
                let found = print(found)?;
                if found != last_found {
                    return Ok(true);
                }
                last_found = found;
            }
            FormerState::Absent if last_found.is_none() => {}
            FormerState::Absent | FormerState::NotKept { .. } => return Ok(true),
        }
    }
    Ok(false)
}

/// The newest other run that changed the file after this one.
fn who(journal: &Journal, chain: &Chain<'_>, journals: &[Journal]) -> Option<String> {
    let last = chain.changes.last()?.at;
    let others = journals.iter().filter(|other| other.header.run != journal.header.run);
    let after = others.filter_map(|other| {
        let change = other.changes().rev().find(|change| change.path == chain.path)?;
        (change.at >= last).then_some((change.at, &other.header))
    });
    let (_, header) = after.max_by_key(|(at, _)| *at)?;
    Some(format!("{} ({})", header.run, header.session))
}
