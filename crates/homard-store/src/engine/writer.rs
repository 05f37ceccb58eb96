//! The one thread that writes: it owns the write connection and every open transcript file.
//!
//! It takes all jobs that are waiting, runs them in one transaction (each in its own savepoint, if they are several, so
//! that a failing one spoils no other), commits once and then answers each. When nothing waits it does chores:
//! small slices of sweeping that nobody should have to wait for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use homard_runtime::{Clock, OrLog, Timestamp};
use rusqlite::Connection;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use crate::effects::{Effects, Mark};
use crate::engine::layout::Layout;
use crate::inbox;
use crate::outbox;
use crate::runs;
use crate::search;
use crate::store::StoreError;
use crate::transcripts;
use crate::transcripts::OpenFiles;
use crate::usage::{self, PendingCall, PendingCalls};

/// Jobs waiting for the writer; when full, callers wait.
const QUEUE: usize = 1024;
/// Most jobs in one transaction: a bound on how long the first of them waits.
const MAX_GROUP: usize = 128;
/// How often old runs are looked for.
const PRUNE_EVERY_MS: i64 = 60 * 60 * 1000;

/// What the writer thread is told.
pub(crate) enum WriteOrder {
    Job(Box<dyn Job>),
    /// Move what was written from the log into the database and onto the disk, when there is nothing else to do.
    Checkpoint,
    /// Finish what is waiting, checkpoint and end.
    Close(oneshot::Sender<()>),
}

/// What a job may use while it runs.
pub(crate) struct Batch<'a> {
    pub(crate) conn: &'a Connection,
    pub(crate) files: &'a mut OpenFiles,
    pub(crate) effects: &'a mut Effects,
    pub(crate) layout: &'a Layout,
    pub(crate) clock: &'a Clock,
}

impl Batch<'_> {
    /// Milliseconds since 1970.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now_ms()
    }

    /// Runs one cached statement.
    pub(crate) fn execute(&self, sql: &str, params: impl rusqlite::Params) -> Result<usize, StoreError> {
        Ok(self.conn.prepare_cached(sql)?.execute(params)?)
    }
}

/// Work for the writer: run once, answered once.
pub(crate) trait Job: Send {
    /// Does the work and keeps its result; tells whether it succeeded.
    fn run(&mut self, batch: &mut Batch<'_>) -> bool;
    /// Tells the caller, after the commit; `lost` says why the whole group was not committed.
    fn answer(self: Box<Self>, lost: Option<StoreError>);
}

struct Task<T, F> {
    work: Option<F>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job for Task<T, F>
where
    T: Send + 'static,
    F: FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
{
    fn run(&mut self, batch: &mut Batch<'_>) -> bool {
        let Some(work) = self.work.take() else { return false };
        let result = work(batch);
        let ok = result.is_ok();
        self.result = Some(result);
        ok
    }

    fn answer(self: Box<Self>, lost: Option<StoreError>) {
        tell(self.result, lost, self.reply);
    }
}

/// Tells the caller. Made for each kind of result, and not for each kind of work.
fn tell<T>(
    result: Option<Result<T, StoreError>>,
    lost: Option<StoreError>,
    reply: oneshot::Sender<Result<T, StoreError>>,
) {
    let result = match (result, lost) {
        (Some(Err(own)), _) => Err(own),
        (_, Some(lost)) => Err(lost),
        (Some(Ok(value)), None) => Ok(value),
        (None, None) => Err(StoreError::Panicked),
    };
    // The caller may have gone away; the work stays done.
    drop(reply.send(result));
}

/// Packs work and the place its answer arrives.
pub(crate) fn order<T, F>(work: F) -> (WriteOrder, oneshot::Receiver<Result<T, StoreError>>)
where
    T: Send + 'static,
    F: FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    (WriteOrder::Job(Box::new(Task { work: Some(work), result: None, reply })), answer)
}

/// Starts the writer thread.
pub(crate) fn start(
    conn: Connection,
    layout: Arc<Layout>,
    clock: Clock,
    calls: PendingCalls,
    effects: Effects,
) -> std::io::Result<(mpsc::Sender<WriteOrder>, JoinHandle<()>)> {
    let (tx, rx) = mpsc::channel(QUEUE);
    let writer = Writer {
        conn,
        layout,
        clock,
        files: OpenFiles::default(),
        effects,
        calls,
        chores: Chores { garbage: true, prune_at: 0, wrote: false, checkpoint: false, words: false },
        closers: Vec::new(),
    };
    let thread = std::thread::Builder::new().name("homard-write".to_owned()).spawn(move || writer.run(rx))?;
    Ok((tx, thread))
}

struct Writer {
    conn: Connection,
    layout: Arc<Layout>,
    clock: Clock,
    files: OpenFiles,
    effects: Effects,
    calls: PendingCalls,
    chores: Chores,
    closers: Vec<oneshot::Sender<()>>,
}

/// What is left to sweep.
#[expect(clippy::struct_excessive_bools, reason = "each is a chore of its own")]
struct Chores {
    garbage: bool,
    prune_at: Timestamp,
    /// Whether anything was committed since the last checkpoint asked for.
    wrote: bool,
    checkpoint: bool,
    /// Whether transcripts may hold words the search does not know.
    words: bool,
}

impl Writer {
    fn run(mut self, mut rx: mpsc::Receiver<WriteOrder>) {
        let mut group = Vec::with_capacity(MAX_GROUP);
        loop {
            let order = match rx.try_recv() {
                Ok(order) => Some(order),
                Err(TryRecvError::Empty) if self.do_a_chore() => continue,
                Err(TryRecvError::Empty) => rx.blocking_recv(),
                Err(TryRecvError::Disconnected) => None,
            };
            let Some(order) = order else { break };
            self.take(order, &mut group, &mut rx);
            while group.len() < MAX_GROUP
                && let Ok(order) = rx.try_recv()
            {
                self.take(order, &mut group, &mut rx);
            }
            self.commit_group(&mut group);
        }
        self.finish();
    }

    fn take(
        &mut self,
        order: WriteOrder,
        group: &mut Vec<Box<dyn Job>>,
        rx: &mut mpsc::Receiver<WriteOrder>,
    ) {
        match order {
            WriteOrder::Job(job) => group.push(job),
            WriteOrder::Checkpoint => {
                self.chores.checkpoint = self.chores.wrote;
                self.chores.words |= self.chores.wrote || self.files.unlooked().is_some();
            }
            WriteOrder::Close(done) => {
                rx.close();
                self.closers.push(done);
            }
        }
    }

    fn commit_group(&mut self, group: &mut Vec<Box<dyn Job>>) {
        // Calls ride along with whatever is committed; any order at all, a checkpoint too, gives them the chance.
        let calls = self.calls.take();
        if group.is_empty() && calls.is_empty() {
            return;
        }
        self.chores.wrote = true;
        let outcome = self.run_group(group, &calls).map_err(|error| error.located(&self.layout.database));
        match &outcome {
            Ok(()) => self.effects.committed(),
            Err(error) => {
                tracing::error!(%error, jobs = group.len(), "a group of writes was not committed");
                if !self.conn.is_autocommit() {
                    self.conn.execute_batch("ROLLBACK").or_log("a lost transaction could not be rolled back");
                }
                self.effects.roll_back(Mark::default());
                self.files.forget_all();
                self.calls.put_back(calls);
            }
        }
        for job in group.drain(..) {
            job.answer(outcome.as_ref().err().map(StoreError::for_group));
        }
        // Resets and deletions leave index rows behind.
        self.chores.garbage |= self.files.take_garbage_hint();
    }

    fn run_group(&mut self, group: &mut [Box<dyn Job>], calls: &[PendingCall]) -> Result<(), StoreError> {
        self.begin_with(calls)?;
        let mark = self.effects.mark();
        if let [only] = group {
            // There is nothing else to spoil, and a savepoint costs a copy of every page that is changed.
            if !self.run_job(only.as_mut()) {
                self.undo("ROLLBACK", mark)?;
                self.begin_with(calls)?;
            }
            return self.sql("COMMIT");
        }
        for job in group {
            let mark = self.effects.mark();
            self.sql("SAVEPOINT job")?;
            if !self.run_job(job.as_mut()) {
                self.undo("ROLLBACK TO job", mark)?;
            }
            self.sql("RELEASE job")?;
        }
        self.sql("COMMIT")
    }

    /// Tells whether the job succeeded; one that panics has not.
    fn run_job(&mut self, job: &mut dyn Job) -> bool {
        let mut batch = Batch {
            conn: &self.conn,
            files: &mut self.files,
            effects: &mut self.effects,
            layout: &self.layout,
            clock: &self.clock,
        };
        catch_unwind(AssertUnwindSafe(|| job.run(&mut batch))).unwrap_or(false)
    }

    /// Takes back what a job did.
    fn undo(&mut self, sql: &str, mark: Mark) -> Result<(), StoreError> {
        // A full disk makes SQLite drop the whole transaction, and with it the jobs before this one.
        if self.conn.is_autocommit() {
            return Err(StoreError::NotCommitted { reason: "the database gave up the transaction".into() });
        }
        self.sql(sql)?;
        self.effects.roll_back(mark);
        self.files.forget_all();
        Ok(())
    }

    /// Begins a transaction with the calls that waited; if they cannot be written, it begins without them.
    fn begin_with(&self, calls: &[PendingCall]) -> Result<(), StoreError> {
        self.sql("BEGIN IMMEDIATE")?;
        let Err(error) = usage::write(&self.conn, calls) else { return Ok(()) };
        if self.conn.is_autocommit() {
            return Err(error);
        }
        tracing::error!(%error, calls = calls.len(), "what model calls cost could not be written");
        self.sql("ROLLBACK")?;
        self.sql("BEGIN IMMEDIATE")
    }

    fn sql(&self, sql: &str) -> Result<(), StoreError> {
        self.conn.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    /// One slice of sweeping; `false` when there is nothing to do.
    fn do_a_chore(&mut self) -> bool {
        let now = self.clock.now_ms();
        if self.chores.garbage {
            let more = transcripts::sweep_garbage(&self.conn);
            self.chores.garbage = more.or_log("old transcript index rows were not swept").unwrap_or(false);
            return true;
        }
        if std::mem::take(&mut self.chores.checkpoint) {
            self.chores.wrote = false;
            self.conn
                .execute_batch("PRAGMA wal_checkpoint(PASSIVE)")
                .or_log("the database was not checkpointed");
            return true;
        }
        if self.chores.words {
            self.chores.words = self.read_words();
            return true;
        }
        if now >= self.chores.prune_at {
            let runs = runs::prune(&self.conn, now).or_log("old runs were not pruned").unwrap_or(false);
            let heard = inbox::prune(&self.conn, now).or_log("old messages were not pruned").unwrap_or(false);
            let sent =
                outbox::prune(&self.conn, now).or_log("old deliveries were not pruned").unwrap_or(false);
            if !runs && !heard && !sent {
                self.chores.prune_at = now.saturating_add(PRUNE_EVERY_MS);
            }
            return true;
        }
        false
    }

    /// Has the search read a little of what it lacks; `true` when there may be more.
    fn read_words(&mut self) -> bool {
        let (order, mut answer) = order(search::read_some);
        let WriteOrder::Job(job) = order else { return false };
        let wrote = self.chores.wrote;
        self.commit_group(&mut vec![job]);
        let more = answer.try_recv().ok().and_then(|more| more.or_log("the search could not read on"));
        let more = more.unwrap_or(false);
        // Finding nothing to read is no write that would have to be put onto the disk.
        self.chores.wrote = wrote || more;
        more
    }

    fn finish(self) {
        let Self { conn, files, closers, .. } = self;
        drop(files);
        conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").or_log("the database was not checkpointed");
        if let Err((_conn, error)) = conn.close() {
            tracing::warn!(%error, "the database was not closed cleanly");
        }
        for closer in closers {
            if closer.send(()).is_err() {
                tracing::debug!("the store closed and nobody waited for it");
            }
        }
    }
}
