//! Who is due, and putting away the conversations of old runs.

use std::time::Duration;

use homard_protocol::JobId;
use homard_protocol::methods::cron::CronRunMode;
use homard_runtime::{OrCancel, OrLog, Timestamp, millis_i64};
use homard_store::{ArchiveTranscript, CronJobRow, Store};

use crate::automation::{Automation, CronError};
use crate::recover::CLOCK_STEP_MS;
use crate::settle::MIN_REFIRE_MS;

/// Longest sleep: the machine's clock may be set, and it may have slept itself.
const MAX_SLEEP: Duration = Duration::from_secs(60);
/// How often old conversations are looked for.
const SWEEP_EVERY_MS: i64 = 5 * 60 * 1_000;

impl Automation {
    /// Begins whatever is due until the gateway stops.
    pub(crate) async fn keep_time(&self) {
        let mut swept: Option<Timestamp> = None;
        let mut latest = self.inner.clock.now_ms();
        loop {
            let now = self.inner.clock.now_ms();
            if now.saturating_add(CLOCK_STEP_MS) < latest {
                self.put_right(now).await.or_log("jobs could not be planned anew after the clock was set");
                (latest, swept) = (now, None);
            }
            latest = latest.max(now);
            let looked_at = self.inner.clock.now_ms();
            if self.config().cron.enabled {
                self.begin_due(looked_at).await;
            }
            self.heartbeats().beat_due();
            if swept.is_none_or(|at| now.saturating_sub(at) >= SWEEP_EVERY_MS) {
                self.sweep(now).await;
                swept = Some(now);
            }
            let sleep = self.sleep_for(looked_at).await.min(self.until_next_beat());
            let woken = async {
                tokio::select! {
                    () = tokio::time::sleep(sleep) => {}
                    () = self.inner.changed.notified() => {}
                }
            };
            if woken.or_cancel(&self.inner.stopping).await.is_err() {
                return;
            }
        }
    }

    async fn begin_due(&self, now: Timestamp) {
        let due = self.inner.store.cron().due(now).await;
        for row in due.or_log("who is due could not be looked up").unwrap_or_default() {
            if self.inner.stopping.is_cancelled() {
                return;
            }
            match self.begin(&row.id, CronRunMode::Due).await {
                Ok(_) | Err(CronError::UnknownJob(_)) => {}
                Err(error @ CronError::Store(_)) => {
                    tracing::warn!(%error, job = %row.id, "a job that is due could not begin");
                }
                Err(error) => {
                    tracing::warn!(%error, job = %row.id, "a job that is due cannot be run and is left alone");
                    leave_alone(&self.inner.store, &row.id).await;
                }
            }
        }
    }

    /// How long nobody is due, as far as is known; whoever was due at `looked_at` has been asked to begin.
    async fn sleep_for(&self, looked_at: Timestamp) -> Duration {
        if !self.config().cron.enabled {
            return MAX_SLEEP;
        }
        let store = &self.inner.store;
        let Some(first) = next_due_after(store, None).await else { return MAX_SLEEP };
        let later = if first <= looked_at { next_due_after(store, Some(looked_at)).await } else { None };
        until(look_again_at(first, later, looked_at), self.inner.clock.now_ms())
    }

    /// One timer serves jobs and heartbeats alike.
    fn until_next_beat(&self) -> Duration {
        let Some(next) = self.inner.beats.lock().next() else { return MAX_SLEEP };
        until(next, self.inner.clock.now_ms())
    }

    /// Puts away conversations of runs that were over long ago.
    async fn sweep(&self, now: Timestamp) {
        let Some(keep) = self.config().cron.session_retention else { return };
        let before = now.saturating_sub(millis_i64(keep));
        let old = self.inner.store.cron().take_old_sessions(before).await;
        for key in old.or_log("old conversations of jobs could not be looked up").unwrap_or_default() {
            self.inner.relay.sessions().end_commands(&key);
            let gone = self.inner.store.sessions().delete(&key, ArchiveTranscript::Keep).await;
            if gone.or_log("the conversation of an old run is still there").is_some() {
                self.inner.relay.sessions().ended(&key).await;
            }
        }
    }
}

async fn next_due_after(store: &Store, after: Option<Timestamp>) -> Option<Timestamp> {
    store.cron().next_due(after).await.or_log("who is due next could not be looked up").flatten()
}

/// When it is time to look who is due: `first` is due before all, `later` before all that were not due at `looked_at`.
/// Whoever was due then still could not begin; that is not tried again at once, and keeps nobody else waiting.
fn look_again_at(first: Timestamp, later: Option<Timestamp>, looked_at: Timestamp) -> Timestamp {
    if first > looked_at {
        return first;
    }
    let again = looked_at.saturating_add(MIN_REFIRE_MS);
    later.map_or(again, |later| later.min(again))
}

fn until(next: Timestamp, now: Timestamp) -> Duration {
    Duration::from_millis(u64::try_from(next.saturating_sub(now)).unwrap_or(0)).min(MAX_SLEEP)
}

/// Nobody waits for a job any more that cannot be run; the next start looks at it again.
async fn leave_alone(store: &Store, id: &JobId) {
    let change = Box::new(|row: &mut CronJobRow| row.next_run_at.take().is_some());
    let left = store.cron().change(id, change).await;
    left.or_log("a job that cannot be run is due still");
}

#[cfg(test)]
mod tests;
