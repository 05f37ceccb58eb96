//! What tools call before they change a file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use homard_protocol::{RunId, SessionKey};
use homard_runtime::off_thread;

use super::journal::{Change, FormerState, Journal, JournalLine, Print};
use super::{Inner, MAX_CHANGES, MAX_FILE, MAX_RUN, Undo, header_of};
use crate::cx::ToolCx;

/// Why a change is not made: what it would replace cannot be kept.
#[derive(Debug, thiserror::Error)]
#[error("nothing was changed: what would be replaced could not be kept in `{dir}`")]
pub(crate) struct KeepError {
    dir: PathBuf,
    #[source]
    source: io::Error,
}

/// A change that is about to be made.
#[derive(Debug, Clone)]
pub(crate) struct PlannedChange {
    path: PathBuf,
    becomes: Option<Print>,
}

impl PlannedChange {
    /// The file will hold these bytes.
    pub(crate) fn put(path: &Path, content: &[u8]) -> Self {
        Self { path: path.to_owned(), becomes: Some(Print::of_bytes(content)) }
    }

    /// The file will be gone.
    pub(crate) fn remove(path: &Path) -> Self {
        Self { path: path.to_owned(), becomes: None }
    }

    /// The file will hold what is recognised by this.
    pub(super) fn becoming(path: &Path, becomes: Option<Print>) -> Self {
        Self { path: path.to_owned(), becomes }
    }
}

/// Keeps what one call of a tool replaces.
#[derive(Debug, Clone)]
pub(crate) struct Keeper {
    undo: Undo,
    session: SessionKey,
    run: RunId,
    tool: &'static str,
}

impl Keeper {
    /// For a call of `tool`.
    pub(crate) fn of(cx: &ToolCx, tool: &'static str) -> Self {
        Self { undo: cx.scope.undo.clone(), session: cx.session_key.clone(), run: cx.run_id.clone(), tool }
    }

    /// Keeps what all of `planned` will replace. They must be made only after this returned well.
    pub(crate) fn before(&self, planned: &[PlannedChange]) -> Result<(), KeepError> {
        let Some(inner) = self.undo.inner.as_deref() else { return Ok(()) };
        let dir = inner.place(&self.session, self.run.as_str());
        let failed = |source| KeepError { dir: dir.clone(), source };
        let _writing = inner.writing.lock();
        let header = header_of(inner, &self.session, self.run.as_str(), None);
        let mut journal = Journal::open(inner, dir.clone(), header).map_err(failed)?;
        add(inner, &mut journal, self.tool, planned).map_err(failed)
    }

    /// Notes that a command was run, once for a run. A note that cannot be written costs nothing but itself.
    fn command(&self) {
        let Some(inner) = self.undo.inner.as_deref() else { return };
        let dir = inner.place(&self.session, self.run.as_str());
        let _writing = inner.writing.lock();
        let header = header_of(inner, &self.session, self.run.as_str(), None);
        let noted = Journal::open(inner, dir, header).and_then(|mut journal| {
            if journal.commands() > 0 {
                return Ok(());
            }
            journal.note(JournalLine::Command { at: inner.clock.now_ms() })
        });
        if let Err(error) = noted {
            tracing::warn!(%error, "could not note that a command was run");
        }
    }
}

/// Notes that a run uses commands, whose changes are not kept, so that undoing it can say so.
pub(crate) async fn note_command(cx: &ToolCx) {
    let keeper = Keeper::of(cx, "exec");
    if keeper.undo.inner.is_none() {
        return;
    }
    // Nothing hangs on the answer, but the note must be there before the command is.
    drop(off_thread(move || keeper.command()).await);
}

/// Keeps what is there and writes the lines.
pub(super) fn add(
    inner: &Inner,
    journal: &mut Journal,
    tool: &str,
    planned: &[PlannedChange],
) -> io::Result<()> {
    let at = inner.clock.now_ms();
    let mut room = MAX_RUN.saturating_sub(journal.kept());
    let numbers = journal.changes().count()..;
    let mut lines = Vec::with_capacity(planned.len());
    for (number, plan) in numbers.zip(planned) {
        let was = keep(journal, &plan.path, number, &mut room)?;
        let missing = plan.path.ancestors().skip(1).take_while(|parent| !parent.exists());
        let made = if plan.becomes.is_some() { missing.map(Path::to_owned).collect() } else { Vec::new() };
        let (path, was) = match plan.path.to_str() {
            Some(_) => (plan.path.clone(), was),
            None => {
                let why = "its path is not UTF-8".to_owned();
                (PathBuf::from(plan.path.to_string_lossy().into_owned()), FormerState::NotKept { why })
            }
        };
        let made = made.into_iter().filter(|dir: &PathBuf| dir.to_str().is_some()).collect();
        let becomes = plan.becomes.clone();
        lines.push(JournalLine::Change(Change { at, tool: tool.to_owned(), path, was, becomes, made }));
    }
    journal.append(lines)
}

fn keep(journal: &Journal, path: &Path, number: usize, room: &mut u64) -> io::Result<FormerState> {
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            let is_ours = journal.changes().rev().find(|change| change.path == path);
            let is_left = is_ours.is_some_and(|change| change.becomes.is_none());
            return Ok(if is_left { FormerState::Left } else { FormerState::Absent });
        }
        Err(error) => return Err(error),
    };
    let not_kept = |why: String| Ok(FormerState::NotKept { why });
    if !found.is_file() {
        return not_kept("it was not a regular file".to_owned());
    }
    if is_what_we_left(journal, path, found.len())? {
        return Ok(FormerState::Left);
    }
    if found.len() > MAX_FILE {
        return not_kept(format!("it had {} bytes, and files over {MAX_FILE} are not kept", found.len()));
    }
    if found.len() > *room {
        return not_kept(format!("the run had replaced {MAX_RUN} bytes already"));
    }
    if number >= MAX_CHANGES {
        return not_kept(format!("the run had made {MAX_CHANGES} changes already"));
    }
    let content = format!("{number:04}");
    let bytes = take(path, &journal.dir.join(&content), &found)?;
    *room = room.saturating_sub(bytes);
    let mtime_ms = found.mtime().saturating_mul(1_000).saturating_add(found.mtime_nsec() / 1_000_000);
    Ok(FormerState::File { content, bytes, mode: found.mode() & 0o7777, mtime_ms })
}

fn is_what_we_left(journal: &Journal, path: &Path, bytes: u64) -> io::Result<bool> {
    let Some(last) = journal.changes().rev().find(|change| change.path == path) else { return Ok(false) };
    match &last.becomes {
        Some(left) if left.bytes == bytes => Ok(Print::of_file(path)? == *left),
        Some(_) | None => Ok(false),
    }
}

/// Takes a file's bytes. Tools put a new file in the old one's place, so a second name for the old one keeps it
/// for nothing; where somebody else could still write to it, or that cannot be done, it is copied.
fn take(path: &Path, kept: &Path, found: &Metadata) -> io::Result<u64> {
    // Left over from an attempt that was cut off before its line was written.
    match fs::remove_file(kept) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if found.nlink() == 1 && fs::hard_link(path, kept).is_ok() {
        return Ok(found.len());
    }
    let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(kept)?;
    let bytes = io::copy(&mut File::open(path)?.take(MAX_FILE), &mut copy)?;
    copy.sync_data()?;
    Ok(bytes)
}

#[cfg(test)]
impl Keeper {
    /// For tests that are not about keeping.
    pub(crate) fn nothing() -> Self {
        let run = RunId::parse("run").unwrap();
        Self { undo: Undo::default(), session: SessionKey::Global, run, tool: "test" }
    }
}
