//! Work that would hold up a thread of the runtime, on one of its threads for such work.
//!
//! tokio's own function has the runtime's code for tasks made anew for each piece of work it is handed, five kilobytes
//! each time. Here every piece looks alike to tokio.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::task::{JoinError, JoinHandle};

use crate::Mutex;

/// Starts `work` on another thread; what is returned waits for it. Dropping that stops nothing.
pub fn off_thread<T, F>(work: F) -> OffThread<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    let result = Arc::new(Mutex::new(None));
    let place = Arc::clone(&result);
    OffThread {
        work: start(Box::new(move || {
            let done = work();
            *place.lock() = Some(done);
        })),
        result,
    }
}

fn start(work: Box<dyn FnOnce() + Send>) -> JoinHandle<()> {
    tokio::task::spawn_blocking(work)
}

/// Work on another thread, waited for. Made by [`off_thread`].
#[derive(Debug)]
#[must_use = "the work goes on, and nobody hears how it ended"]
pub struct OffThread<T> {
    work: JoinHandle<()>,
    result: Arc<Mutex<Option<T>>>,
}

impl<T> Future for OffThread<T> {
    type Output = Result<T, Unfinished>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = ready!(Pin::new(&mut self.work).poll(cx));
        let result = self.result.lock().take();
        Poll::Ready(match ended {
            Ok(()) => result.ok_or(Unfinished(None)),
            Err(error) => Err(Unfinished(Some(error))),
        })
    }
}

/// Work on another thread came to no end: it panicked, or the program is stopping.
#[derive(Debug)]
pub struct Unfinished(Option<JoinError>);

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(error) => error.fmt(f),
            None => f.write_str("the work left no result"),
        }
    }
}

impl std::error::Error for Unfinished {}

impl From<Unfinished> for io::Error {
    fn from(error: Unfinished) -> Self {
        Self::other(error)
    }
}

#[cfg(test)]
mod tests {
    use super::off_thread;

    #[tokio::test]
    async fn what_was_done_comes_back() {
        assert_eq!(off_thread(|| 1 + 1).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn a_panic_is_told() {
        let told = off_thread(|| -> u8 { panic!("out of paper") }).await.unwrap_err();
        assert!(told.to_string().contains("out of paper"), "{told}");
    }

    #[tokio::test]
    async fn work_nobody_waits_for_is_done() {
        let (say, hear) = tokio::sync::oneshot::channel();
        drop(off_thread(move || say.send(3)));
        assert_eq!(hear.await, Ok(3));
    }
}
