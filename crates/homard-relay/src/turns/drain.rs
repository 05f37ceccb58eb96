//! Standing back for another process: no turn begins any more, and what comes in is kept for the one that
//! takes over.
//!
//! Two kinds of turns still begin, because holding them back would leave somebody waiting for ever: those a
//! turn under way may be waiting for, and those whose sender waits on a connection that cannot be carried over.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::parts::Turns;
use crate::turns::runs::Run;

impl Turns {
    /// Begins no more turns and lets those under way finish. Messages are still taken: they are kept, and the
    /// process that opens the store next answers them. `false` when some did not finish within `grace`.
    pub async fn hold(&self, grace: Duration) -> bool {
        self.inner().holding().cancel();
        tracing::info!("another process is to take over: no turn begins any more, what comes in is kept");
        let is_carried = |run: &Run| run.has_begun() && !run.is_attended();
        timeout(grace, self.until_none(is_carried)).await.is_ok()
    }

    /// Waits for the turns whose senders cannot be carried over. To be called when no more of them can come.
    pub async fn attended_end(&self, grace: Duration) -> bool {
        timeout(grace, self.until_none(Run::is_attended)).await.is_ok()
    }

    async fn until_none(&self, is_awaited: impl Fn(&Run) -> bool) {
        loop {
            let runs = self.runs().all();
            let awaited = runs.iter().filter(|run| !run.is_over() && is_awaited(run));
            let endings: Vec<_> = awaited.map(|run: &Arc<Run>| run.watch()).collect();
            drop(runs);
            if endings.is_empty() {
                return;
            }
            for mut ending in endings {
                // The sender is gone only when the run is.
                let _gone = ending.wait_for(Option::is_some).await;
            }
        }
    }
}
