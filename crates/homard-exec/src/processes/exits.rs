//! Telling somebody that a command in the background has ended.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::Process;
use crate::run::Exit;

/// Most of the output that is told with an end.
pub const MAX_EXIT_TAIL_CHARS: usize = 400;

/// A command in the background that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Whose it was: the conversation that started it.
    pub scope: String,
    /// Its name.
    pub id: String,
    /// The line as it was asked for.
    pub line: String,
    /// How it ended; `None` when the system would not say. [`Exit::Cancelled`] means that we ended it.
    pub exit: Option<Exit>,
    /// The end of its output.
    pub tail: String,
    /// How much it wrote.
    pub output_bytes: u64,
}

/// Hears of ends. Must not block.
pub type ExitListener = Box<dyn Fn(&Finished) + Send + Sync>;

/// Who is told. Clones share one listener.
#[derive(Clone, Default)]
pub(super) struct Exits {
    listener: Arc<OnceLock<ExitListener>>,
}

impl Exits {
    pub(super) fn listen(&self, listener: ExitListener) {
        if self.listener.set(listener).is_err() {
            tracing::error!("a second listener for ended commands was not taken");
        }
    }

    /// Tells of a process once it has ended and nobody waits for it, and only once.
    pub(super) fn tell(&self, process: &Process) {
        let Some(listener) = self.listener.get() else { return };
        let Some(end) = process.end().filter(|_| process.take_news()) else { return };
        let (log, _) = process.log();
        let skip = log.chars().count().saturating_sub(MAX_EXIT_TAIL_CHARS);
        let about = process.summary();
        listener(&Finished {
            scope: process.scope().to_owned(),
            id: about.id,
            line: about.line,
            exit: end.exit,
            tail: log.chars().skip(skip).collect(),
            output_bytes: about.output_bytes,
        });
    }
}

impl fmt::Debug for Exits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exits").field("heard", &self.listener.get().is_some()).finish()
    }
}
