//! Running what the model asked for: together where that is safe, one after the other where it is not.
//!
//! Every call gets a result, whatever happens, and results are recorded in the order of the calls, so the
//! transcript is valid at any moment somebody pulls the plug.

use std::sync::Arc;

use futures_util::future::join_all;
use homard_protocol::{Message, ToolCall, ToolResultMessage, UserBlock};
use homard_store::StoreError;
use homard_tools::{Progress, ProgressSender, ToolCx, ToolOutcome};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::clip::head_and_tail;
use crate::compaction::size;
use crate::history::History;
use crate::turn::{Agent, Step, Turn};

/// Progress messages that may wait; when full, the newest are dropped: the result has everything.
const PROGRESS_QUEUE: usize = 256;
/// Calls run at the same time.
const MAX_PARALLEL: usize = 8;
/// Largest part of the context one result's text may fill, in tenths.
const RESULT_TENTHS: u64 = 3;
/// Most text of one result whatever the context, in bytes.
const MAX_RESULT: usize = 400_000;
/// What any text block of a result keeps, in bytes.
const LEAST_BLOCK: usize = 2_000;
/// What a call that was never begun answers.
const NOT_RUN: &str = "not run: the turn was stopped";

pub(crate) struct Runner<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) turn: &'a Turn,
    pub(crate) cancel: &'a CancellationToken,
}

impl Runner<'_> {
    /// Runs all calls and records each group's results as soon as it is done.
    pub(crate) async fn run(
        &mut self,
        calls: &[ToolCall],
        history: &mut History,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<(), StoreError> {
        let room = result_room(self.turn.compaction.window);
        let mut rest = calls;
        while !rest.is_empty() {
            let together = self.group_len(rest);
            let (group, later) = rest.split_at(together);
            let outcomes = if self.cancel.is_cancelled() {
                group.iter().map(|_| ToolOutcome::error(NOT_RUN)).collect()
            } else {
                self.run_group(group, on_step).await
            };
            let now = self.agent.clock.now_ms();
            let results: Vec<ToolResultMessage> = group
                .iter()
                .zip(outcomes)
                .map(|(call, outcome)| result(call, capped(outcome, room), now))
                .collect();
            for (call, result) in group.iter().zip(&results) {
                on_step(Step::ToolEnd { call, result });
            }
            let messages = results.into_iter().map(Message::ToolResult).collect();
            self.agent.record(self.turn, history, messages).await?;
            rest = later;
        }
        Ok(())
    }

    /// How many calls from the front may run together.
    fn group_len(&self, calls: &[ToolCall]) -> usize {
        let is_parallel =
            |call: &ToolCall| self.turn.tools.get(&call.name).is_some_and(|tool| tool.spec().parallel);
        calls.iter().take(MAX_PARALLEL).take_while(|call| is_parallel(call)).count().max(1)
    }

    async fn run_group(
        &self,
        group: &[ToolCall],
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Vec<ToolOutcome> {
        let (progress, mut heard) = ProgressSender::channel(PROGRESS_QUEUE);
        for call in group {
            on_step(Step::ToolStart(call));
        }
        let running = join_all(group.iter().map(|call| self.run_one(call, progress.clone())));
        drop(progress);
        tokio::pin!(running);
        loop {
            tokio::select! {
                outcomes = &mut running => {
                    while let Ok(said) = heard.try_recv() {
                        tell(group, &said, on_step);
                    }
                    return outcomes;
                }
                Some(said) = next(&mut heard) => tell(group, &said, on_step),
            }
        }
    }

    async fn run_one(&self, call: &ToolCall, progress: ProgressSender) -> ToolOutcome {
        let cx = ToolCx {
            workspace: self.turn.workspace.clone(),
            session_key: self.turn.session_key.clone(),
            run_id: self.turn.run_id.clone(),
            call_id: call.id.clone(),
            cancel: self.cancel.child_token(),
            progress,
            clock: self.agent.clock.clone(),
            scope: Arc::clone(&self.turn.scope),
        };
        self.turn.tools.call(&self.turn.policy, &call.name, call.arguments.clone(), &cx).await
    }
}

/// The next progress message, or never when all senders are gone.
async fn next(heard: &mut mpsc::Receiver<Progress>) -> Option<Progress> {
    match heard.recv().await {
        Some(said) => Some(said),
        None => std::future::pending().await,
    }
}

fn tell(group: &[ToolCall], said: &Progress, on_step: &mut (dyn FnMut(Step<'_>) + Send)) {
    if let Some(call) = group.iter().find(|call| call.id == said.call_id) {
        on_step(Step::ToolProgress { call, text: &said.text });
    }
}

/// How much text of one result a context of this many tokens has room for, in bytes.
fn result_room(window: u32) -> usize {
    size::bytes_of(u64::from(window) * RESULT_TENTHS / 10).min(MAX_RESULT)
}

/// Cuts the text of a result that would fill the context, so that no single result ever can.
fn capped(mut outcome: ToolOutcome, mut room: usize) -> ToolOutcome {
    for block in &mut outcome.content {
        let UserBlock::Text { text } = block else { continue };
        if let Some(short) = head_and_tail(text, room.max(LEAST_BLOCK)) {
            *text = short;
        }
        room = room.saturating_sub(text.len());
    }
    outcome
}

fn result(call: &ToolCall, outcome: ToolOutcome, timestamp: i64) -> ToolResultMessage {
    ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: outcome.content,
        details: outcome.details,
        is_error: outcome.is_error,
        timestamp,
    }
}

#[cfg(test)]
mod tests;
