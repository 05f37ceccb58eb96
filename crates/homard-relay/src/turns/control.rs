//! Runs from outside: stopped, waited for, counted.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_protocol::events::ApprovalPhase;
use homard_protocol::{RunId, SessionKey, StopCause};
use homard_runtime::Arrange as _;
use tokio::time::timeout;

use crate::parts::Turns;
use crate::turns::outcome::RunEnd;
use crate::turns::runs::RunView;
use crate::turns::turn;

/// How long an abort waits for the run to be over before it answers anyway.
pub(crate) const ABORT_WAIT: Duration = Duration::from_secs(5);

/// What an abort did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aborted {
    /// The runs that were stopped.
    pub run_ids: Vec<RunId>,
}

impl Turns {
    /// Stops one run, or every run of a session, with the agents they started, and waits until they are over.
    pub fn abort<'a>(
        &'a self,
        key: &'a SessionKey,
        only: Option<&'a RunId>,
        by: StopCause,
    ) -> BoxFuture<'a, Aborted> {
        async move {
            let aborted = self.stop_runs(key, only, by).await;
            // Only now: a run that is over starts nobody any more.
            self.subagents().stop_children(key, only).await;
            aborted
        }
        .boxed()
    }

    /// Stops runs of a session, and waits until they are over.
    pub(crate) async fn stop_runs(&self, key: &SessionKey, only: Option<&RunId>, by: StopCause) -> Aborted {
        let mut runs = self.runs().of_session(key);
        runs.retain(|run| only.is_none_or(|only| run.id == *only));
        let endings: Vec<_> = runs.iter().map(|run| run.watch()).collect();
        for run in &runs {
            run.stop(by);
            if let Some(waiting) = self.lanes().withdraw(run) {
                turn::stop_waiting(self, waiting).await;
            }
        }
        let run_ids = runs.iter().map(|run| run.id.clone()).collect();
        // Only the endings are held from here: a run that is let go of without one must not be waited for.
        drop(runs);
        for mut ending in endings {
            // A run that does not end in time still ends; the caller is only not kept waiting.
            let _late = timeout(ABORT_WAIT, ending.wait_for(Option::is_some)).await;
        }
        Aborted { run_ids }
    }

    /// Waits for a run that is under way; `None` when it is not, or when `limit` passes first.
    pub async fn wait(&self, run_id: &RunId, limit: Duration) -> Option<Arc<RunEnd>> {
        let mut ending = self.runs().get(run_id)?.watch();
        let ended = timeout(limit, ending.wait_for(Option::is_some)).await.ok()?.ok()?;
        ended.clone()
    }

    /// The runs of a session, waiting and running.
    #[must_use]
    pub fn views(&self, key: &SessionKey) -> Vec<RunView> {
        self.runs().views(key)
    }

    /// Their ids.
    #[must_use]
    pub fn active_ids(&self, key: &SessionKey) -> Vec<RunId> {
        self.runs().active_ids(key)
    }

    /// The sessions that have runs under way.
    #[must_use]
    pub fn active_sessions(&self) -> Vec<SessionKey> {
        let mut keys: Vec<SessionKey> = self.runs().all().iter().map(|run| run.session_key.clone()).collect();
        keys.arrange();
        keys.dedup();
        keys
    }

    /// The session a run under way belongs to.
    #[must_use]
    pub fn session_of(&self, run_id: &RunId) -> Option<SessionKey> {
        self.runs().get(run_id).map(|run| run.session_key.clone())
    }

    /// How many runs are under way.
    #[must_use]
    pub fn active_count(&self) -> usize {
        self.runs().all().len()
    }

    /// How many sessions are in memory.
    #[must_use]
    pub fn lanes_awake(&self) -> usize {
        self.lanes().awake()
    }

    /// Tells those who watch a run that it waits for a person, or no longer does; a run that is over tells nothing.
    pub fn tell_approval(&self, run: &RunId, phase: ApprovalPhase) {
        if let Some(run) = self.runs().get(run) {
            run.narrator.approval(phase);
        }
    }
}
