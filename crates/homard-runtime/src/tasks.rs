//! The only way to start a task.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A family of tasks with one token to stop them and one place to wait for them. Who spawns, owns; who owns,
/// waits.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    cancel: CancellationToken,
}

impl Tasks {
    /// A family that nobody above can stop.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A family that ends when `parent` is cancelled.
    #[must_use]
    pub fn under(parent: &CancellationToken) -> Self {
        Self { tracker: TaskTracker::new(), cancel: parent.child_token() }
    }

    /// The token every task of the family should watch.
    #[must_use]
    pub fn token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Starts a task of the family.
    pub fn spawn<F>(&self, task: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.start(Box::pin(task));
    }

    /// Boxed, since tokio has its code for tasks made anew for each kind of future it is handed.
    fn start(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        drop(self.tracker.spawn(task));
    }

    /// How many are still running.
    #[must_use]
    pub fn running(&self) -> usize {
        self.tracker.len()
    }

    /// Waits up to `grace` for the tasks to end by themselves, then cancels them and waits for that.
    pub async fn finish(&self, grace: Duration) {
        self.tracker.close();
        if tokio::time::timeout(grace, self.tracker.wait()).await.is_err() {
            self.cancel.cancel();
            self.tracker.wait().await;
        }
        self.cancel.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::Tasks;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn finishing_waits_then_cancels() {
        let tasks = Tasks::new();
        let token = tasks.token().clone();
        tasks.spawn(async move { token.cancelled().await });
        assert_eq!(tasks.running(), 1);
        tasks.finish(Duration::from_secs(5)).await;
        assert_eq!(tasks.running(), 0);
    }
}
