//! Telling somebody that a command in the background has ended.

use std::sync::Arc;

use homard_runtime::Subscribers;

use super::Process;
use crate::run::Exit;

/// Most of the output that is told with an end.
pub const MAX_EXIT_TAIL_CHARS: usize = 400;

/// A command in the background that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Whose it was: the conversation that started it.
    pub scope: String,
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

/// Who is told. Clones share their subscribers.
#[derive(Debug, Clone, Default)]
pub(super) struct Exits {
    subscribers: Arc<Subscribers<Finished>>,
}

impl Exits {
    pub(super) fn subscribers(&self) -> &Subscribers<Finished> {
        &self.subscribers
    }

    /// Tells of a process once it has ended and nobody waits for it, and only once.
    pub(super) fn tell(&self, process: &Process) {
        if self.subscribers.is_empty() {
            return;
        }
        let Some(end) = process.end().filter(|_| process.take_news()) else { return };
        let (log, _) = process.log();
        let skip = log.chars().count().saturating_sub(MAX_EXIT_TAIL_CHARS);
        let about = process.summary();
        self.subscribers.publish(&Finished {
            scope: process.scope().to_owned(),
            id: about.id,
            line: about.line,
            exit: end.exit,
            tail: log.chars().skip(skip).collect(),
            output_bytes: about.output_bytes,
        });
    }
}
