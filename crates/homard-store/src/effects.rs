//! What a batch does to files and to rows in memory, kept in step with what it does to tables.
//!
//! Bytes are appended before the commit and cut off again when it fails; files are renamed or removed only
//! after it, so that a crash in between leaves a stray file and never a missing one. Whoever watches what is
//! said hears of it after the commit, too.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use homard_protocol::{SessionId, SessionKey};
use homard_runtime::{OrLog, Subscribers};
use tokio::sync::mpsc;

use crate::sessions::{RecentSessions, SessionRecord};
use crate::transcripts::PageEntry;

/// What was just appended to a conversation and is committed.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntries {
    pub session_id: SessionId,
    /// The entries, in order.
    pub entries: Vec<PageEntry>,
}

/// Who hears what is appended, and whether anybody wants to just now.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    wanted: AtomicBool,
    listeners: Subscribers<NewEntries>,
}

impl Watch {
    /// Takes one more listener.
    pub(crate) fn listen(&self, listener: mpsc::Sender<NewEntries>) {
        self.listeners.subscribe(move |entries| {
            // A listener that is so far behind reads the conversation again anyway.
            if listener.try_send(entries.clone()).is_err() {
                tracing::debug!("what was appended could not be told to those who watch");
            }
        });
    }

    /// Says whether anybody wants to hear.
    pub(crate) fn want(&self, wanted: bool) {
        self.wanted.store(wanted, Ordering::Relaxed);
    }
}

/// How to take back a change made before the commit.
#[derive(Debug)]
enum Undo {
    Truncate { path: PathBuf, len: u64 },
    Remove { path: PathBuf },
}

/// A change that waits for the commit.
#[derive(Debug)]
enum AfterCommit {
    Rename { from: PathBuf, to: PathBuf },
    Remove { path: PathBuf },
}

/// The file changes of the jobs in one transaction.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    undo: Vec<Undo>,
    after: Vec<AfterCommit>,
    told: Vec<NewEntries>,
    /// Rows of sessions as the batch leaves them, the latest last; `None` for one that only the database knows.
    sessions: Vec<(SessionKey, Option<SessionRecord>)>,
    watch: Arc<Watch>,
    recent: Arc<RecentSessions>,
}

/// A point to which [`Effects::roll_back`] can return.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark {
    undo: usize,
    after: usize,
    told: usize,
    sessions: usize,
}

impl Effects {
    /// Effects whose appends are told to `watch`, and whose rows `recent` keeps.
    pub(crate) fn new(watch: Arc<Watch>, recent: Arc<RecentSessions>) -> Self {
        Self { watch, recent, ..Self::default() }
    }

    /// The row of a session as the batch has it so far, if it is in memory.
    pub(crate) fn session(&self, key: &SessionKey) -> Option<SessionRecord> {
        match self.sessions.iter().rev().find(|(changed, _)| changed == key) {
            Some((_, record)) => record.clone(),
            None => self.recent.get(key),
        }
    }

    /// Notes what became of a session's row.
    pub(crate) fn session_changed(&mut self, key: &SessionKey, record: Option<&SessionRecord>) {
        self.sessions.push((key.clone(), record.cloned()));
    }

    /// Whether somebody wants to hear what is appended.
    pub(crate) fn is_watched(&self) -> bool {
        self.watch.wanted.load(Ordering::Relaxed)
    }

    /// Tells whoever listens once the tables say so.
    pub(crate) fn tell_after(&mut self, entries: NewEntries) {
        self.told.push(entries);
    }

    /// Where we are; taken before each job.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            undo: self.undo.len(),
            after: self.after.len(),
            told: self.told.len(),
            sessions: self.sessions.len(),
        }
    }

    /// Notes that `path` was `len` bytes long before an append.
    pub(crate) fn appended(&mut self, path: PathBuf, len: u64) {
        self.undo.push(Undo::Truncate { path, len });
    }

    /// Notes that `path` did not exist before.
    pub(crate) fn created(&mut self, path: PathBuf) {
        self.undo.push(Undo::Remove { path });
    }

    /// Renames a file once the tables say so.
    pub(crate) fn rename_after(&mut self, from: PathBuf, to: PathBuf) {
        self.after.push(AfterCommit::Rename { from, to });
    }

    /// Removes a file once the tables say so.
    pub(crate) fn remove_after(&mut self, path: PathBuf) {
        self.after.push(AfterCommit::Remove { path });
    }

    /// Takes back everything since `mark`, newest first.
    pub(crate) fn roll_back(&mut self, mark: Mark) {
        self.after.truncate(mark.after);
        self.told.truncate(mark.told);
        self.sessions.truncate(mark.sessions);
        while self.undo.len() > mark.undo {
            match self.undo.pop() {
                Some(Undo::Truncate { path, len }) => {
                    let cut = std::fs::OpenOptions::new().write(true).open(&path).and_then(|file| {
                        // A file that was cut since is not made longer.
                        if file.metadata()?.len() > len { file.set_len(len) } else { Ok(()) }
                    });
                    cut.or_log("a transcript kept bytes of a write that was not committed");
                }
                Some(Undo::Remove { path }) => {
                    std::fs::remove_file(path).or_log("a transcript that was not committed stays behind");
                }
                None => return,
            }
        }
    }

    /// The commit happened: keeps what was appended and does what waited for it.
    #[expect(clippy::disallowed_methods, reason = "moves a transcript; nothing is written")]
    pub(crate) fn committed(&mut self) {
        self.undo.clear();
        self.recent.committed(self.sessions.drain(..));
        for entries in self.told.drain(..) {
            self.watch.listeners.publish(&entries);
        }
        for after in self.after.drain(..) {
            match after {
                AfterCommit::Rename { from, to } => {
                    std::fs::rename(from, to).or_log("a transcript could not be renamed to its archive name");
                }
                AfterCommit::Remove { path } => {
                    std::fs::remove_file(path).or_log("a deleted session's transcript could not be removed");
                }
            }
        }
    }
}
