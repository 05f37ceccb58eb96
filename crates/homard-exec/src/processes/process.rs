//! One process of the registry, as its owner sees it: output, input, end.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use homard_runtime::{Mutex, Timestamp};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Watcher;
use crate::pty::Input;
use crate::run::Exit;
use crate::tail::Tail;
use crate::unix;

/// How much output is kept of one process.
const MAX_LOG_BYTES: usize = 200_000;
/// How much output may wait to be asked for.
const MAX_PENDING_BYTES: usize = 30_000;
/// How long a process may take to read what it is given.
const WRITE_LIMIT: Duration = Duration::from_secs(5);

/// Why input did not reach a process.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It never had an input, or the input was closed.
    #[error("its input is closed")]
    Closed,
    #[error("it has ended")]
    Ended,
    /// It does not read.
    #[error("it did not read its input within {} s; part of it may have arrived", WRITE_LIMIT.as_secs())]
    NotRead,
    #[error("could not write to its input")]
    Write(#[source] io::Error),
}

/// How and when a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// How; `None` when the system would not say.
    pub exit: Option<Exit>,
    pub at: Timestamp,
}

/// What there is to know about a process besides its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub id: String,
    /// The line as it was asked for.
    pub line: String,
    pub cwd: PathBuf,
    /// The leader of its group.
    pub pid: Option<u32>,
    /// When it was started.
    pub started_at: Timestamp,
    /// Whether it was started with an open input.
    pub takes_input: bool,
    /// Whether it runs in a terminal: then `Ctrl-C` and `Ctrl-D` are bytes like any other.
    pub is_terminal: bool,
    /// How much it has written so far.
    pub output_bytes: u64,
    /// How it ended, once it has.
    pub end: Option<End>,
}

/// A process of the registry; clones are the same process.
#[derive(Clone)]
pub struct Process {
    record: Arc<Record>,
}

struct Record {
    scope: String,
    /// As at the start; what changes is put in when asked.
    summary: Summary,
    state: Mutex<State>,
    input: tokio::sync::Mutex<Option<Input>>,
    end: watch::Receiver<Option<End>>,
    cancel: CancellationToken,
    /// Whether its end was told.
    is_told: AtomicBool,
}

struct State {
    log: Tail,
    pending: Tail,
    watcher: Option<Watcher>,
    is_shown: bool,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the line: it may hold anything.
        f.debug_struct("Process").field("id", &self.record.summary.id).finish_non_exhaustive()
    }
}

impl Process {
    pub(super) fn new(
        scope: &str,
        summary: Summary,
        (input, watcher): (Option<Input>, Option<Watcher>),
        end: watch::Receiver<Option<End>>,
        cancel: CancellationToken,
    ) -> Self {
        let state = State {
            log: Tail::new(MAX_LOG_BYTES),
            pending: Tail::new(MAX_PENDING_BYTES),
            watcher,
            is_shown: false,
        };
        let record = Record {
            scope: scope.to_owned(),
            summary,
            state: Mutex::new(state),
            input: tokio::sync::Mutex::new(input),
            end,
            cancel,
            is_told: AtomicBool::new(false),
        };
        Self { record: Arc::new(record) }
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.record.summary.id
    }

    /// What there is to know about it now.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let output_bytes = self.record.state.lock().log.total();
        Summary { output_bytes, end: self.end(), ..self.record.summary.clone() }
    }

    /// How it ended, once it has.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        *self.record.end.borrow()
    }

    /// Waits until it has ended.
    pub async fn ended(&self) {
        // The only failure is that nobody follows it any more, which is an end, too.
        self.record.end.clone().wait_for(Option::is_some).await.ok();
    }

    /// What it wrote since this was asked last, and how many bytes of that are lost because nobody asked.
    #[must_use]
    pub fn take_pending(&self) -> (String, u64) {
        self.record.state.lock().pending.take()
    }

    /// The end of everything it wrote, and how many bytes before it are lost.
    #[must_use]
    pub fn log(&self) -> (String, u64) {
        self.record.state.lock().log.text()
    }

    /// Asks the whole group to end, and ends it if it does not.
    pub fn kill(&self) {
        self.record.cancel.cancel();
    }

    /// Does what `Ctrl-C` does at a terminal.
    ///
    /// # Errors
    /// When it has ended.
    pub fn interrupt(&self) -> Result<(), InputError> {
        match (self.end(), self.record.summary.pid) {
            (None, Some(pid)) => {
                unix::interrupt(pid);
                Ok(())
            }
            _ => Err(InputError::Ended),
        }
    }

    /// Gives it input, and waits until it has taken it.
    ///
    /// # Errors
    /// When it cannot or does not read.
    pub async fn write(&self, bytes: &[u8]) -> Result<(), InputError> {
        if self.end().is_some() {
            return Err(InputError::Ended);
        }
        let mut input = self.record.input.lock().await;
        let Some(sender) = input.as_mut() else { return Err(InputError::Closed) };
        let written = tokio::select! {
            written = tokio::time::timeout(WRITE_LIMIT, sender.write_all(bytes)) => written,
            () = self.ended() => return Err(InputError::Ended),
        };
        match written {
            Err(_) => Err(InputError::NotRead),
            Ok(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => Err(InputError::Closed),
            Ok(result) => result.map_err(InputError::Write),
        }
    }

    /// Tells it that no more input comes.
    pub async fn close_input(&self) {
        drop(self.record.input.lock().await.take());
    }

    pub(super) fn cancel(&self) -> &CancellationToken {
        &self.record.cancel
    }

    pub(super) fn scope(&self) -> &str {
        &self.record.scope
    }

    pub(super) fn belongs_to(&self, scope: &str) -> bool {
        self.record.scope == scope
    }

    pub(super) fn is_visible_in(&self, scope: &str) -> bool {
        self.belongs_to(scope) && self.record.state.lock().is_shown
    }

    pub(super) fn show(&self) {
        self.record.state.lock().is_shown = true;
    }

    /// Whether there is something to tell about the end: nobody waits for it, and nobody was told.
    pub(super) fn take_news(&self) -> bool {
        let is_shown = self.record.state.lock().is_shown;
        is_shown && !self.record.is_told.swap(true, Ordering::Relaxed)
    }

    pub(super) fn unwatch(&self) {
        self.record.state.lock().watcher = None;
    }

    pub(super) fn take_output(&self, text: &str) {
        let mut state = self.record.state.lock();
        state.log.push(text);
        state.pending.push(text);
        if let Some(watcher) = state.watcher.as_mut() {
            watcher(text);
        }
    }
}
