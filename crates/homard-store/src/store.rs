//! The handle everybody holds, what can go wrong with it, opening and closing.
//!
//! [`Store`] owns no logic about what is kept: it hands out views (`views`), each of which belongs to the file
//! that owns the matter. Each method of a view is one job for the writer thread or one for a reader thread.

mod views;

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::thread::JoinHandle;

use homard_protocol::{RunId, SessionId};
use homard_runtime::{Clock, Mutex, OrLog, create_private_dir, off_thread};
use rusqlite::ErrorCode;
use tokio::sync::{mpsc, oneshot};

use crate::effects::{Effects, NewEntries, Watch};
use crate::engine::database;
use crate::engine::import;
use crate::engine::layout::Layout;
use crate::engine::reader::{self, ReadCx, ReadOrder};
use crate::engine::writer::{self, Batch, WriteOrder};
use crate::people::devices;
use crate::people::pairing::{self, LetIn};
use crate::runs::RunStatus;
use crate::sessions::RecentSessions;
use crate::transcripts::TranscriptError;
use crate::usage::PendingCalls;

/// Why the store could not do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A newer Homard wrote this database; touching it could lose what this one does not know.
    #[error(
        "the database `{path}` was written by a newer version of homard (schema {found}, this one knows {known}); \
         run that version, or restore a copy made before the upgrade"
    )]
    NewerVersion {
        path: PathBuf,
        /// The schema version in the file.
        found: i64,
        /// The newest schema version this program knows.
        known: i64,
    },
    /// The file or its folder may not be written.
    #[error(
        "`{path}` cannot be written: make it writable for the user homard runs as, or choose another state folder"
    )]
    ReadOnly {
        /// What could not be written.
        path: PathBuf,
    },
    #[error("the disk holding `{path}` is full: free some space; nothing that was acknowledged is lost")]
    Full {
        /// What could not be written.
        path: PathBuf,
    },
    /// The file is not a database, or damaged beyond what SQLite reads.
    #[error(
        "`{path}` is not a readable database: `homard doctor --fix` keeps it and copies what can be read into a new one; \
         else put a backup back (`homard backup list`), or move it aside; transcripts are separate files"
    )]
    NotADatabase { path: PathBuf },
    /// Another process kept the database locked.
    #[error("the database `{path}` is locked by another process: stop the other homard first")]
    Locked { path: PathBuf },
    /// A folder or file could not be made or opened.
    #[error("could not open `{path}`")]
    Open {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Anything else SQLite says.
    #[error("the database did not do as asked")]
    Database(#[from] rusqlite::Error),
    /// The group of writes this one was in could not be committed; none of it happened.
    #[error("the write was not committed: {reason}")]
    NotCommitted {
        /// What the commit said.
        reason: String,
    },
    /// Something in the database does not read as what it should be.
    #[error("`{what}` in the database is not readable")]
    Unreadable {
        what: &'static str,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A value could not be written as JSON.
    #[error("`{what}` could not be written as JSON")]
    Encode {
        what: &'static str,
        #[source]
        source: serde_json::Error,
    },
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// No session has this id, or it was reset or deleted meanwhile.
    #[error("no session has the id `{0}`")]
    UnknownSession(SessionId),
    /// The conversation has no entry with this id.
    #[error("no entry of the conversation has the id `{0}`")]
    UnknownEntry(homard_protocol::EntryId),
    /// The label belongs to another session of the same agent.
    #[error("label already in use: `{label}`")]
    LabelTaken { label: String },
    /// No run has this id.
    #[error("no run has the id `{0}`")]
    UnknownRun(RunId),
    /// The run is past the point where this may be asked.
    #[error("run `{run_id}` is already {status}")]
    RunState { run_id: RunId, status: RunStatus },
    /// No device has this id.
    #[error("no paired device has the id `{0}`")]
    UnknownDevice(homard_protocol::DeviceId),
    /// The machine gave no random bytes.
    #[error("the system has no random bytes to give")]
    NoRandomness(#[source] getrandom::Error),
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
    /// The code that was to run on the store's thread panicked; its changes were taken back.
    #[error("a store operation ended unexpectedly and was taken back")]
    Panicked,
}

impl StoreError {
    /// Words for an input or output failure at `path`.
    pub(crate) fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            _ => Self::Open { path, source },
        }
    }

    /// Replaces SQLite's codes that a person can act on by errors that say how.
    pub(crate) fn located(self, database: &Path) -> Self {
        let path = database.to_owned();
        match self {
            Self::Database(source) => match source.sqlite_error_code() {
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                    Self::ReadOnly { path }
                }
                Some(ErrorCode::DiskFull) => Self::Full { path },
                Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::NotADatabase { path },
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
                _ => Self::Database(source),
            },
            Self::Transcript(TranscriptError::Write { path, source })
                if matches!(
                    source.kind(),
                    io::ErrorKind::StorageFull
                        | io::ErrorKind::QuotaExceeded
                        | io::ErrorKind::ReadOnlyFilesystem
                        | io::ErrorKind::PermissionDenied
                ) =>
            {
                Self::from_io(&path, source)
            }
            other => other,
        }
    }

    /// What every other caller in a group is told when its transaction was lost to this error.
    pub(crate) fn for_group(&self) -> Self {
        match self {
            Self::Full { path } => Self::Full { path: path.clone() },
            Self::ReadOnly { path } => Self::ReadOnly { path: path.clone() },
            Self::Locked { path } => Self::Locked { path: path.clone() },
            Self::Database(source) => Self::NotCommitted { reason: source.to_string() },
            other => Self::NotCommitted { reason: other.to_string() },
        }
    }

    /// For a column whose text does not parse.
    pub(crate) fn unreadable(
        what: &'static str,
    ) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> Self {
        move |source| Self::Unreadable { what, source }
    }
}

/// Writes a value as JSON text for a column.
pub(crate) fn to_json<T: serde::Serialize>(what: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|source| StoreError::Encode { what, source })
}

/// Reads a column's JSON text.
pub(crate) fn from_json<'a, T: serde::Deserialize<'a>>(
    what: &'static str,
    text: &'a str,
) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|source| StoreError::Unreadable { what, source: source.into() })
}

/// Reads a column's text as an id or a key.
pub(crate) fn parse_column<T>(what: &'static str, text: &str) -> Result<T, StoreError>
where
    T: std::str::FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    text.parse().map_err(|source: T::Err| StoreError::unreadable(what)(source.into()))
}

/// Where the store lives.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    pub database: PathBuf,
    /// The folder that holds `<agentId>/sessions/<sessionId>.jsonl`.
    pub agents_dir: PathBuf,
    /// Where the time comes from.
    pub clock: Clock,
}

/// Everything Homard keeps. Clone-cheap; all clones are one store.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    writes: mpsc::Sender<WriteOrder>,
    reads: mpsc::Sender<ReadOrder>,
    layout: Arc<Layout>,
    calls: PendingCalls,
    watch: Arc<Watch>,
    /// Rows of sessions that were written last.
    recent: Arc<RecentSessions>,
    let_in: LetIn,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Store {
    /// Opens the store, making folders and tables as needed. Blocks; called once, at start.
    ///
    /// # Errors
    /// When the database is newer than this program, damaged, locked, or its disk is full or read-only.
    pub fn open(options: OpenOptions) -> Result<Self, StoreError> {
        let OpenOptions { database, agents_dir, clock } = options;
        let layout = Arc::new(Layout { database, agents_dir });
        create_private_dir(&layout.agents_dir).map_err(|e| StoreError::from_io(&layout.agents_dir, e))?;
        let mut conn = database::open_writer(&layout.database)?;
        import::session_stores(&mut conn, &layout, &clock).map_err(|e| e.located(&layout.database))?;
        if let Some(state_dir) = layout.agents_dir.parent() {
            let credentials = state_dir.join("credentials");
            pairing::take_over(&mut conn, &credentials, &clock).map_err(|e| e.located(&layout.database))?;
            let paired = state_dir.join("devices").join("paired.json");
            devices::take_over(&mut conn, &paired, &clock).map_err(|e| e.located(&layout.database))?;
        }

        let thread_error = |source| StoreError::Open { path: layout.database.clone(), source };
        let calls = PendingCalls::default();
        let (watch, recent) = (Arc::new(Watch::default()), Arc::new(RecentSessions::default()));
        let effects = Effects::new(Arc::clone(&watch), Arc::clone(&recent));
        let (writes, thread) =
            writer::start(conn, Arc::clone(&layout), clock, calls.clone(), effects).map_err(thread_error)?;
        let (reads, mut threads) = reader::start(&layout).map_err(thread_error)?;
        threads.push(thread);
        Ok(Self {
            inner: Arc::new(Inner {
                writes,
                reads,
                layout,
                calls,
                watch,
                recent,
                let_in: LetIn::default(),
                threads: Mutex::new(threads),
            }),
        })
    }

    /// Finishes what was asked so far, checkpoints the database and ends the threads. Later calls on any clone
    /// are answered with [`StoreError::Closed`].
    pub async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.inner.writes.send(WriteOrder::Close(done)).await.is_ok() {
            closed.await.or_log("the store's writer ended before it could say so");
        }
        self.inner.recent.forget_all();
        let threads = std::mem::take(&mut *self.inner.threads.lock());
        for _reader in 1..threads.len() {
            self.inner.reads.send(ReadOrder::Stop).await.or_log("a store reader had already ended");
        }
        let join = move || threads.into_iter().for_each(|thread| drop(thread.join()));
        off_thread(join).await.or_log("the store's threads could not be waited for");
    }

    /// Asks for what was written lately to be put onto the disk for good, as soon as there is nothing else to
    /// do. Called every half minute or so, it bounds what a power cut may take.
    pub fn checkpoint_soon(&self) {
        // A full queue means plenty to do; the next call is soon enough.
        if self.inner.writes.try_send(WriteOrder::Checkpoint).is_err() {
            tracing::debug!("the store is busy; the checkpoint waits for the next call");
        }
    }

    /// Sends what is appended to conversations, once it is committed, to `listener` while somebody
    /// [wants to hear it](Self::want_appends). There may be any number of them; one that is full misses things.
    pub fn listen_to_appends(&self, listener: mpsc::Sender<NewEntries>) {
        self.inner.watch.listen(listener);
    }

    /// Says whether anybody wants to hear what is appended; if not, it costs nothing.
    pub fn want_appends(&self, wanted: bool) {
        self.inner.watch.want(wanted);
    }

    /// Rows of sessions that were written last.
    pub(crate) fn recent_sessions(&self) -> &RecentSessions {
        &self.inner.recent
    }

    /// Model calls that wait for the next commit.
    pub(crate) fn pending_calls(&self) -> &PendingCalls {
        &self.inner.calls
    }

    /// Who was let in, at hand.
    pub(crate) fn let_in_cache(&self) -> &LetIn {
        &self.inner.let_in
    }

    /// Runs `work` on the writer thread and waits until it is committed.
    pub(crate) fn write<T, F>(&self, work: F) -> Pending<'_, T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let (order, answer) = writer::order(work);
        Box::pin(self.written(order, answer))
    }

    /// Hands `work` to the writer thread; the future it returns waits for the commit. Work that is posted next
    /// runs next, and usually in the same commit.
    pub(crate) async fn post<T, F>(
        &self,
        work: F,
    ) -> Result<impl Future<Output = Result<T, StoreError>> + Send + use<T, F>, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let (order, answer) = writer::order(work);
        self.order_write(order).await?;
        Ok(answered(answer, Arc::clone(&self.inner.layout)))
    }

    /// Runs `work` on a reader thread.
    pub(crate) fn read<T, F>(&self, work: F) -> Pending<'_, T>
    where
        T: Send + 'static,
        F: FnOnce(&ReadCx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let (order, answer) = reader::order(work);
        Box::pin(self.found(order, answer))
    }

    // What follows the making of an order does not depend on the work, and is not made anew for each.

    async fn written<T>(&self, order: WriteOrder, answer: Answer<T>) -> Result<T, StoreError> {
        self.order_write(order).await?;
        answered(answer, Arc::clone(&self.inner.layout)).await
    }

    async fn found<T>(&self, order: ReadOrder, answer: Answer<T>) -> Result<T, StoreError> {
        self.order_read(order).await?;
        let result = answer.await.map_err(|_dropped| StoreError::Panicked)?;
        result.map_err(|error| error.located(&self.inner.layout.database))
    }

    async fn order_write(&self, order: WriteOrder) -> Result<(), StoreError> {
        self.inner.writes.send(order).await.map_err(|_closed| StoreError::Closed)
    }

    async fn order_read(&self, order: ReadOrder) -> Result<(), StoreError> {
        self.inner.reads.send(order).await.map_err(|_closed| StoreError::Closed)
    }
}

/// What was ordered and is waited for. Boxed: whoever waits, in whichever crate, would have a copy of how.
type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;
/// Where the answer to an order arrives.
type Answer<T> = oneshot::Receiver<Result<T, StoreError>>;

/// Waits for the commit.
async fn answered<T>(answer: Answer<T>, layout: Arc<Layout>) -> Result<T, StoreError> {
    let result = answer.await.map_err(|_dropped| StoreError::Closed)?;
    result.map_err(|error| error.located(&layout.database))
}

#[cfg(test)]
mod tests;
