//! What commands leave behind when they end: servers and the like that were detached on purpose. They may stay, within
//! a bound, and end with the gateway.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use homard_runtime::Tasks;
use tokio::time::Instant;

use crate::unix;

/// Most processes that ended commands may have left behind, all together.
const MAX_LEFT_BEHIND: usize = 512;
/// How often they are counted while there are any.
const COUNT_EVERY: Duration = Duration::from_secs(2);
/// How long they have between being asked to end and being killed.
const TERMINATE_GRACE: Duration = Duration::from_secs(2);
/// How long killed ones may take to disappear.
const KILL_GRACE: Duration = Duration::from_secs(1);
/// How often it is seen whether they are gone.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Looks after what is left behind, where this process takes in orphans.
#[derive(Debug, Clone, Default)]
pub(super) struct LeftBehind {
    takes_in: Arc<AtomicBool>,
    is_watched: Arc<AtomicBool>,
}

impl LeftBehind {
    /// From now on orphans of commands are this process's children.
    pub(super) fn take_in(&self) {
        unix::take_in_orphans();
        self.takes_in.store(true, Ordering::Relaxed);
    }

    /// Counts what there is after a command has ended, and goes on counting until there is nothing.
    pub(super) fn watch(&self, tasks: &Tasks, leaders: impl Fn() -> Vec<u32> + Send + 'static) {
        let is_needed =
            self.takes_in.load(Ordering::Relaxed) && !self.is_watched.swap(true, Ordering::Relaxed);
        if !is_needed {
            return;
        }
        let (is_watched, stop) = (Arc::clone(&self.is_watched), tasks.token().clone());
        tasks.spawn(async move {
            while count(&leaders()) > 0 {
                tokio::select! {
                    () = tokio::time::sleep(COUNT_EVERY) => {}
                    () = stop.cancelled() => break,
                }
            }
            is_watched.store(false, Ordering::Relaxed);
        });
    }

    /// Ends all of it; no command runs any more.
    pub(super) async fn stop(&self) {
        if !self.takes_in.load(Ordering::Relaxed) {
            return;
        }
        for (end, grace) in [
            (unix::terminate_each as fn(&[unix::Stat]), TERMINATE_GRACE),
            (unix::kill_each as fn(&[unix::Stat]), KILL_GRACE),
        ] {
            let until = Instant::now() + grace;
            end(&unix::left_behind(&[]));
            while !unix::left_behind(&[]).is_empty() && Instant::now() < until {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
    }
}

/// How many there are; too many are ended.
fn count(leaders: &[u32]) -> usize {
    let left = unix::left_behind(leaders);
    if left.len() > MAX_LEFT_BEHIND {
        tracing::warn!(processes = left.len(), "commands left too many processes behind; they are ended");
        unix::kill_each(&left);
    }
    left.len()
}
