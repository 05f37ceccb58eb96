//! Making any wait stoppable, in one spelling.

use std::future::Future;

use tokio_util::sync::CancellationToken;

/// The wait ended because somebody cancelled it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl std::fmt::Display for Cancelled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("cancelled")
    }
}

impl std::error::Error for Cancelled {}

/// Adds [`or_cancel`](OrCancel::or_cancel) to every future.
pub trait OrCancel: Future + Sized {
    /// Waits for the future or for `cancel`, whichever comes first. A future that is ready wins.
    fn or_cancel(self, cancel: &CancellationToken) -> impl Future<Output = Result<Self::Output, Cancelled>> {
        async move {
            tokio::select! {
                biased;
                output = self => Ok(output),
                () = cancel.cancelled() => Err(Cancelled),
            }
        }
    }
}

impl<F: Future> OrCancel for F {}

#[cfg(test)]
mod tests {
    use super::{Cancelled, OrCancel};
    use tokio_util::sync::CancellationToken;

    #[tokio::test]
    async fn a_ready_future_wins_over_cancellation() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        assert_eq!(std::future::ready(1).or_cancel(&cancel).await, Ok(1));
        assert_eq!(std::future::pending::<()>().or_cancel(&cancel).await, Err(Cancelled));
    }
}
