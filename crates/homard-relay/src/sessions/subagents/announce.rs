//! Telling whoever asked how a child fared: exactly once, over restarts too.

use std::fmt::Write as _;
use std::time::Duration;

use homard_channel::Inbound;
use homard_protocol::{RunId, TurnSource, Usage};
use homard_runtime::{Clip, OrCancel, OrLog, millis_i64};
use homard_store::{ArchiveTranscript, NewSubagent, RunRecord, RunStatus, StoreError};

use crate::approvals::read_place;
use crate::parts::Subagents;
use crate::turns::accept::AcceptError;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;

/// What a child answers that has nothing to report.
pub(super) const SKIP: &str = "ANNOUNCE_SKIP";
/// Longest result that is handed over, in characters; the rest stays in the child's conversation.
const MAX_RESULT: usize = 20_000;
/// Runs of a child's conversation that are looked at.
const MAX_RUNS: usize = 100;
/// How long to wait before an announcement that was not taken is tried again.
const AGAIN_AFTER: Duration = Duration::from_secs(5);
/// How often conversations are looked for that are to be put away.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// How a child fared.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ChildOutcome {
    pub(super) status: Option<RunStatus>,
    pub(super) reply: Option<String>,
    pub(super) error: Option<String>,
    pub(super) millis: i64,
    pub(super) usage: Usage,
}

impl ChildOutcome {
    /// Adds up the runs of a child's conversation, newest first.
    pub(super) fn of(runs: &[RunRecord]) -> Self {
        let newest = runs.first();
        let mut usage = Usage::default();
        for one in runs.iter().filter_map(|run| run.usage.as_ref()) {
            usage.input = usage.input.saturating_add(one.input);
            usage.output = usage.output.saturating_add(one.output);
            usage.total_tokens = usage.total_tokens.saturating_add(one.total_tokens);
            usage.cost.total += one.cost.total;
        }
        let began = runs.iter().filter_map(|run| run.started_at).min();
        let ended = runs.iter().filter_map(|run| run.ended_at).max();
        Self {
            status: newest.map(|run| run.status),
            reply: runs.iter().find_map(|run| run.reply.clone()),
            error: newest.and_then(|run| run.error.clone()),
            millis: began.zip(ended).map_or(0, |(began, ended)| ended.saturating_sub(began)),
            usage,
        }
    }

    /// Whether the child said that there is nothing to report.
    pub(super) fn is_silent(&self) -> bool {
        self.status == Some(RunStatus::Ok) && self.reply.as_deref().is_some_and(|reply| reply.trim() == SKIP)
    }

    fn outcome(&self) -> String {
        let error = self.error.as_deref().unwrap_or("no reason is known");
        match self.status {
            Some(RunStatus::Ok) => "completed".to_owned(),
            Some(RunStatus::TimedOut) => "ran out of time".to_owned(),
            Some(RunStatus::Aborted) => "was stopped".to_owned(),
            Some(RunStatus::Interrupted) => "failed: cut off by a restart of the gateway".to_owned(),
            Some(RunStatus::Error | RunStatus::Queued | RunStatus::Running) => format!("failed: {error}"),
            None => "ended, nobody knows how".to_owned(),
        }
    }
}

/// What the conversation that asked is told.
pub(super) fn announcement(child: &NewSubagent, fared: &ChildOutcome, to_subagent: bool) -> String {
    let name: String = child.label.clone().unwrap_or_else(|| child.task.clip_chars(80).to_owned());
    let mut text = format!("[Subagent report] \"{name}\" {}.\n\nResult:\n", fared.outcome());
    match fared.reply.as_deref().map(str::trim).filter(|reply| !reply.is_empty()) {
        Some(reply) => {
            let shown = reply.clip_chars(MAX_RESULT);
            text.push_str(shown);
            if shown.len() < reply.len() {
                text.push_str("\n[the rest is in the subagent's session]");
            }
        }
        None => text.push_str("(no text)"),
    }
    let usage = &fared.usage;
    let _written = write!(
        text,
        "\n\nStats: {:.1} s, {} tokens ({} in, {} out), {}, session {}\n\n",
        fared.millis as f64 / 1_000.0,
        usage.total_tokens,
        usage.input,
        usage.output,
        if usage.cost.total > 0.0 { format!("${:.4}", usage.cost.total) } else { "cost unknown".to_owned() },
        child.child_key,
    );
    text.push_str(if to_subagent {
        "This note is from Homard. Use the result for your own task."
    } else {
        "This note is from Homard, not from the user. Tell the user what matters of it in your own words; \
         answer NO_REPLY if there is nothing they need to hear."
    });
    text
}

impl Subagents {
    /// Sees a child through to the end and to its announcement.
    pub(super) fn follow(&self, child: NewSubagent) {
        let relay = self.clone();
        self.inner().tasks().spawn(async move {
            let stopping = relay.inner().stopping().clone();
            // What is not announced when the gateway stops is announced after the next start.
            let _stopped = relay.see_through(&child).or_cancel(&stopping).await;
        });
    }

    async fn see_through(&self, child: &NewSubagent) {
        while let Err(error) = self.try_to_see_through(child).await {
            tracing::error!(%error, run = %child.run_id, "a subagent's end could not be announced; trying again");
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }

    async fn try_to_see_through(&self, child: &NewSubagent) -> Result<(), StoreError> {
        self.until_idle(child).await?;
        let store = self.inner().store();
        let row = store.subagents().get(&child.child_key).await?;
        if row.is_none_or(|row| row.settled_at.is_some()) {
            return Ok(());
        }
        let Some(first) = store.runs().get(&child.run_id).await? else {
            // It was kept, and then the process died before its run was: whoever asked never heard of it.
            return self.settle(child).await;
        };
        if !first.status.is_finished() {
            return Ok(());
        }
        let fared = ChildOutcome::of(&store.runs().recent(Some(&child.child_key), MAX_RUNS).await?);
        if !fared.is_silent() {
            self.announce(child, &fared).await?;
        }
        self.settle(child).await
    }

    /// Waits until nothing goes on in a child's conversation and its own children are settled: what they
    /// report makes it go on.
    async fn until_idle(&self, child: &NewSubagent) -> Result<(), StoreError> {
        let inner = self.inner();
        loop {
            let settled = self.family().settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            // Children first: what the last of them reported is under way by the time it is settled.
            if !inner.store().subagents().open(Some(&child.child_key)).await?.is_empty() {
                settled.await;
                continue;
            }
            let ending = self
                .runs()
                .of_session(&child.child_key)
                .iter()
                .find(|run| !run.is_over())
                .map(|run| run.watch());
            match ending {
                // A run that is let go of without an end is looked up in the store.
                Some(mut ending) => drop(ending.wait_for(Option::is_some).await),
                None => return Ok(()),
            }
        }
    }

    /// Hands the announcement over; the same one is taken only once.
    async fn announce(&self, child: &NewSubagent, fared: &ChildOutcome) -> Result<(), StoreError> {
        let inner = self.inner();
        let requester = inner.store().subagents().get(&child.requester_key).await?;
        if inner.store().sessions().get(&child.requester_key).await?.is_none() {
            tracing::info!(session = %child.requester_key, "nobody is left to tell about a subagent");
            return Ok(());
        }
        // What a child read is in what it says.
        let labels = self.setup().labels_of(&child.child_key).await?;
        let text = announcement(child, fared, requester.is_some());
        let to = self.messages().route_of(&child.requester_key).await?;
        loop {
            let message = Inbound::from_operator(
                child.requester_key.clone(),
                format!("announce-{}", child.run_id),
                text.clone(),
                inner.clock().now_ms(),
            );
            let options = TurnOptions {
                labels: labels.clone(),
                asks_at: read_place(child.asks_at.as_deref()).map(Box::new),
                ..TurnOptions::of(TurnSource::Announce)
            };
            match self
                .turns()
                .accept(message, options.speaking_up(&child.requester_key, to.clone()), Queue::Wait)
                .await
            {
                Ok(_taken) => return Ok(()),
                Err(AcceptError::Store(error)) => return Err(error),
                // When the gateway is stopping, this wait is cut short.
                Err(AcceptError::Full(_) | AcceptError::Stopping) => tokio::time::sleep(AGAIN_AFTER).await,
                Err(error) => {
                    tracing::warn!(%error, session = %child.requester_key, "a subagent's end cannot be announced");
                    return Ok(());
                }
            }
        }
    }

    /// Nothing more is owed for a child.
    pub(super) async fn settle(&self, child: &NewSubagent) -> Result<(), StoreError> {
        self.inner().store().subagents().settle(&child.run_id, self.archive_at()).await?;
        self.family().settled.notify_waiters();
        self.clear_away(child).await
    }

    /// The same for children that are not wanted any more, and for theirs; answers who they are.
    pub(super) async fn settle_families(&self, roots: Vec<RunId>) -> Result<Vec<NewSubagent>, StoreError> {
        let settled = self.inner().store().subagents().settle_families(roots, self.archive_at()).await?;
        self.family().settled.notify_waiters();
        Ok(settled)
    }

    /// Deletes the conversation of a child that wants it so.
    pub(super) async fn clear_away(&self, child: &NewSubagent) -> Result<(), StoreError> {
        if child.delete_after {
            self.sessions().end_commands(&child.child_key);
            self.inner().store().sessions().delete(&child.child_key, ArchiveTranscript::Keep).await?;
            self.sessions().ended(&child.child_key).await;
        }
        Ok(())
    }

    /// When the conversations of children that are done now are put away.
    fn archive_at(&self) -> Option<i64> {
        let after = self.inner().config().agents.defaults.subagents.archive_after;
        let after = after.map(millis_i64);
        after.map(|after| self.inner().clock().now_ms().saturating_add(after))
    }

    /// After a start: goes on with every child that is not settled, and puts old ones away from time to time.
    pub(crate) async fn recover_children(&self) -> Result<(), StoreError> {
        for row in self.inner().store().subagents().open(None).await? {
            self.follow(row.asked);
        }
        let relay = self.clone();
        self.inner().tasks().spawn(async move {
            let stopping = relay.inner().stopping().clone();
            loop {
                relay
                    .inner()
                    .store()
                    .subagents()
                    .archive()
                    .await
                    .or_log("old subagents are still in the list");
                if tokio::time::sleep(LOOK_EVERY).or_cancel(&stopping).await.is_err() {
                    return;
                }
            }
        });
        Ok(())
    }
}
