//! A stream from a future that sends: what happens in one call reads top-down that way, and no task is needed.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, Stream};
use futures_util::{FutureExt, StreamExt};
use homard_llm::StreamEvent;
use tokio::sync::mpsc;

/// Events made but not yet taken; beyond it the future waits.
const BUFFER: usize = 32;

/// Where the future sends.
#[derive(Debug, Clone)]
pub(super) struct EventSender(mpsc::Sender<StreamEvent>);

impl EventSender {
    /// Hands out an event; waits while nobody takes them.
    pub(super) async fn send(&self, event: StreamEvent) {
        // Nobody listens only while the stream, and with it this future, is being dropped.
        drop(self.0.send(event).await);
    }
}

/// The stream of what `work` sends, ending when it does. Nothing happens before the first poll.
pub(super) fn emit<F>(work: impl FnOnce(EventSender) -> F) -> BoxStream<'static, StreamEvent>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (tx, events) = mpsc::channel(BUFFER);
    Emit { work: Some(work(EventSender(tx)).boxed()), events }.boxed()
}

struct Emit {
    work: Option<BoxFuture<'static, ()>>,
    events: mpsc::Receiver<StreamEvent>,
}

impl Stream for Emit {
    type Item = StreamEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<StreamEvent>> {
        loop {
            if let Ok(event) = self.events.try_recv() {
                return Poll::Ready(Some(event));
            }
            let Some(work) = self.work.as_mut() else { return Poll::Ready(None) };
            match work.poll_unpin(cx) {
                Poll::Ready(()) => self.work = None,
                Poll::Pending => {
                    return match self.events.try_recv() {
                        Ok(event) => Poll::Ready(Some(event)),
                        Err(_) => Poll::Pending,
                    };
                }
            }
        }
    }
}
