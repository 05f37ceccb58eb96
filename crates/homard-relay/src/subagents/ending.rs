//! Stopping children before they are done: because somebody said so, or because whoever asked was stopped.

use homard_protocol::{RunId, SessionKey};
use homard_runtime::OrLog;
use homard_store::NewSubagent;
use homard_tools::{ChildLine, DoorError, ToolCx};

use crate::relay::Relay;

/// Who stopped a child whose parent was stopped.
const BY_PARENT: &str = "parent";
/// Who stopped a child that was not wanted any more.
const BY_REQUEST: &str = "subagents";

impl Relay {
    /// Stops the children of a conversation (of one of its runs, if one is named) and theirs. Nobody is told
    /// by announcement: whoever stopped it knows.
    pub(crate) async fn stop_children(&self, key: &SessionKey, of_run: Option<&RunId>) {
        let mut parents = vec![(key.clone(), of_run.cloned())];
        while let Some((parent, of_run)) = parents.pop() {
            let open = self.inner().store().open_subagents(Some(&parent)).await;
            for row in open.or_log("the children of a stopped run could not be looked up").unwrap_or_default()
            {
                if of_run.as_ref().is_none_or(|run| *run == row.asked.requester_run) {
                    self.end_child(&row.asked, BY_PARENT).await;
                    parents.push((row.asked.child_key, None));
                }
            }
        }
    }

    /// Stops the children `target` means, and theirs.
    pub(crate) async fn kill_children(&self, cx: &ToolCx, target: &str) -> Result<Vec<ChildLine>, DoorError> {
        let mut ended = Vec::new();
        for row in self.open_children(cx, target).await? {
            self.end_child(&row.asked, BY_REQUEST).await;
            self.stop_children(&row.asked.child_key, None).await;
            ended.push(self.child_line(&row, cx.clock.now_ms()).await?);
        }
        Ok(ended)
    }

    /// Settles a child first, so that its end is not announced, then stops it.
    async fn end_child(&self, child: &NewSubagent, by: &'static str) {
        let kept = NewSubagent { delete_after: false, ..child.clone() };
        self.settle(&kept).await.or_log("a stopped subagent may still be announced");
        self.stop_runs(&child.child_key, None, by).await;
        if child.delete_after {
            self.settle(child).await.or_log("a stopped subagent's session is still there");
        }
    }
}
