//! Stopping children before they are done: because somebody said so, or because whoever asked was stopped.
//!
//! A child and all of its own are settled in one step of the store before anything is stopped, so that no end is
//! announced and a crash in between leaves nobody half alive: what still waited is not begun after the next start
//! (`recover`), what was under way is marked interrupted.

use homard_protocol::{RunId, SessionKey, StopCause, TurnSource};
use homard_runtime::OrLog;
use homard_store::{NewSubagent, RunRecord, StoreError, SubagentRecord};
use homard_tools::{ChildLine, PortError, ToolCx};

use crate::parts::Subagents;

/// How often it is looked for children that were started while their parents were being stopped.
const MAX_ROUNDS: usize = 8;

impl Subagents {
    /// Stops the children of a conversation (of one of its runs, if one is named) and theirs. Nobody is told
    /// by announcement: whoever stopped it knows.
    pub(crate) async fn stop_children(&self, key: &SessionKey, of_run: Option<&RunId>) {
        let open = self.inner().store().subagents().open(Some(key)).await;
        let mut open =
            open.or_log("the children of a stopped run could not be looked up").unwrap_or_default();
        open.retain(|row| of_run.is_none_or(|run| *run == row.asked.requester_run));
        self.end_families(&open, StopCause::Parent).await;
    }

    /// Stops the children `target` means, and theirs.
    pub(crate) async fn kill_children(&self, cx: &ToolCx, target: &str) -> Result<Vec<ChildLine>, PortError> {
        let rows = self.open_children(cx, target).await?;
        self.end_families(&rows, StopCause::Subagents).await;
        let mut ended = Vec::new();
        for row in rows {
            ended.push(self.child_line(&row, cx.clock.now_ms()).await?);
        }
        Ok(ended)
    }

    /// Whether a run that waited through a restart is the work of a child that was killed before.
    pub(crate) async fn is_of_killed_child(&self, record: &RunRecord) -> Result<bool, StoreError> {
        if record.source.known() != Some(TurnSource::Subagent) {
            return Ok(false);
        }
        let child = self.inner().store().subagents().get(&record.session_key).await?;
        Ok(child.is_some_and(|row| row.settled_at.is_some()))
    }

    async fn end_families(&self, rows: &[SubagentRecord], by: StopCause) {
        let roots: Vec<RunId> = rows.iter().map(|row| row.asked.run_id.clone()).collect();
        for _round in 0..MAX_ROUNDS {
            let settled = self.settle_families(roots.clone()).await;
            let settled = settled.or_log("a stopped subagent may still be announced").unwrap_or_default();
            if settled.is_empty() {
                return;
            }
            for child in &settled {
                self.end_child(child, by).await;
            }
        }
    }

    async fn end_child(&self, child: &NewSubagent, by: StopCause) {
        self.turns().stop_runs(&child.child_key, None, by).await;
        self.sessions().end_commands(&child.child_key);
        self.clear_away(child).await.or_log("a stopped subagent's session is still there");
    }
}
