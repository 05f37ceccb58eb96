//! The threads that read: each has its own connection, opened when first needed.
//!
//! Readers never wait for the writer (WAL) and never change anything; what needs repair is handed back to the
//! caller, who asks the writer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use homard_runtime::Mutex;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::engine::database;
use crate::engine::layout::Layout;
use crate::store::StoreError;

/// Enough to keep one slow listing from delaying the message path.
const READERS: usize = 2;
/// Questions waiting for a reader; when full, callers wait.
const QUEUE: usize = 1024;

/// What a reader thread is told.
pub(crate) enum ReadOrder {
    Job(Job),
    /// End; one is sent per thread.
    Stop,
}

type Job = Box<dyn FnOnce(&mut Reader) + Send>;

/// What a question may look at.
pub(crate) struct ReadCx<'a> {
    pub(crate) conn: &'a Connection,
    pub(crate) layout: &'a Layout,
}

/// One thread's own things.
pub(crate) struct Reader {
    layout: Arc<Layout>,
    conn: Option<Connection>,
}

impl Reader {
    fn cx(&mut self) -> Result<ReadCx<'_>, StoreError> {
        let conn = match self.conn.take() {
            Some(conn) => conn,
            None => database::open_reader(&self.layout.database)?,
        };
        Ok(ReadCx { conn: self.conn.insert(conn), layout: &self.layout })
    }
}

/// Starts the reader threads.
pub(crate) fn start(layout: &Arc<Layout>) -> std::io::Result<(mpsc::Sender<ReadOrder>, Vec<JoinHandle<()>>)> {
    let (tx, rx) = mpsc::channel(QUEUE);
    let rx = Arc::new(Mutex::new(rx));
    let mut threads = Vec::with_capacity(READERS);
    for _number in 0..READERS {
        let rx = Arc::clone(&rx);
        let mut reader = Reader { layout: Arc::clone(layout), conn: None };
        let run = move || {
            while let Some(ReadOrder::Job(job)) = next(&rx) {
                // A question that panics is answered by its dropped sender; the thread goes on.
                if catch_unwind(AssertUnwindSafe(|| job(&mut reader))).is_err() {
                    tracing::error!("a store reader's job panicked");
                }
            }
        };
        threads.push(std::thread::Builder::new().name("homard-read".to_owned()).spawn(run)?);
    }
    Ok((tx, threads))
}

fn next(rx: &Mutex<mpsc::Receiver<ReadOrder>>) -> Option<ReadOrder> {
    rx.lock().blocking_recv()
}

/// Packs a question and the place its answer arrives.
pub(crate) fn order<T, F>(work: F) -> (ReadOrder, oneshot::Receiver<Result<T, StoreError>>)
where
    T: Send + 'static,
    F: FnOnce(&ReadCx<'_>) -> Result<T, StoreError> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    let job = move |reader: &mut Reader| {
        let result = reader.cx().and_then(|cx| work(&cx));
        // The caller may have gone away; nobody misses the answer then.
        drop(reply.send(result));
    };
    (ReadOrder::Job(Box::new(job)), answer)
}
