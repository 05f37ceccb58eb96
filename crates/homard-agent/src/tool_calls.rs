//! Running what the model asked for: together where that is safe, one after the other where it is not.
//!
//! Every call gets a result, whatever happens, and results are recorded in the order of the calls, so the
//! transcript is valid at any moment somebody pulls the plug.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use homard_llm::arguments_fault;
use homard_protocol::{Message, ToolCall, ToolCallId, ToolResultMessage, UserBlock};
use homard_runtime::{HidingStream, TRACE};
use homard_store::StoreError;
use homard_tools::{Progress, ProgressSender, Taint, ToolCx, ToolOutcome};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use tracing::field::Empty;

use crate::clip::head_and_tail;
use crate::compaction::size;
use crate::history::History;
use crate::known_urls;
use crate::loop_guard::LoopGuard;
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
/// How long a tool has to end by itself once it was stopped; commands need a few seconds of it.
const STOP_GRACE: Duration = Duration::from_secs(5);

pub(crate) struct Runner<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) turn: &'a Turn,
    pub(crate) cancel: &'a CancellationToken,
    /// Who notices that the model goes in circles.
    pub(crate) guard: &'a mut LoopGuard,
    /// Tools that may be used, and what other calls are answered; `None` means what the policy says.
    pub(crate) only: Option<(&'a [&'a str], &'a str)>,
}

impl Runner<'_> {
    /// Runs all calls and records each group's results as soon as it is done.
    pub(crate) async fn run(
        &mut self,
        calls: &[ToolCall],
        history: &mut History,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<(), StoreError> {
        let mut rest = calls;
        while !rest.is_empty() {
            let (group, later) = rest.split_at(self.group_len(rest));
            known_urls::note_for(group, self.turn, history);
            let messages = self.group(group, on_step).await.into_iter().map(Message::ToolResult).collect();
            self.agent.record(self.turn, history, messages).await?;
            let allowed = self.turn.scope.taint.take_allowed();
            if !allowed.is_empty() {
                self.agent.note(self.turn, history, Taint::allowed_entry(&allowed)).await?;
            }
            rest = later;
        }
        Ok(())
    }

    /// Runs all calls and records nothing.
    pub(crate) async fn answers(
        &mut self,
        calls: &[ToolCall],
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Vec<ToolResultMessage> {
        let mut results = Vec::with_capacity(calls.len());
        let mut rest = calls;
        while !rest.is_empty() {
            let (group, later) = rest.split_at(self.group_len(rest));
            results.extend(self.group(group, on_step).await);
            rest = later;
        }
        results
    }

    /// The results of calls that may run together.
    async fn group(
        &mut self,
        group: &[ToolCall],
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Vec<ToolResultMessage> {
        let room = result_room(self.turn.compaction.window);
        let outcomes = if self.cancel.is_cancelled() {
            group.iter().map(|_| ToolOutcome::error(NOT_RUN)).collect()
        } else {
            let refused: Vec<Option<String>> = group.iter().map(|call| self.refusal(call)).collect();
            let mut outcomes = self.run_group(group, &refused, on_step).await;
            for ((call, refused), outcome) in group.iter().zip(&refused).zip(&mut outcomes) {
                if refused.is_none() {
                    self.guard.note(call, outcome);
                }
            }
            outcomes
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
        results
    }

    /// What to answer instead of running a call; `None` when it runs.
    fn refusal(&mut self, call: &ToolCall) -> Option<String> {
        if let Some((_, words)) = self.only.filter(|(tools, _)| !tools.contains(&call.name.as_str())) {
            return Some(words.to_owned());
        }
        // Going in circles comes first: a model may send the same broken arguments for ever.
        if let Some(words) = self.guard.refuse(call) {
            return Some(words);
        }
        let fault = arguments_fault(&call.arguments)?.to_owned();
        self.guard.note(call, &mut ToolOutcome::error(fault.clone()));
        Some(fault)
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
        refused: &[Option<String>],
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Vec<ToolOutcome> {
        let (progress, mut heard) = ProgressSender::channel(PROGRESS_QUEUE);
        for call in group {
            on_step(Step::ToolStart(call));
        }
        let answer = |(call, refused): (&'_ ToolCall, &'_ Option<String>)| {
            let (refused, run) = (refused.clone(), self.run_one(call.clone(), progress.clone()));
            async move {
                match refused {
                    Some(words) => ToolOutcome::error(words),
                    None => run.await,
                }
            }
        };
        let running = join_all(group.iter().zip(refused).map(answer));
        drop(progress);
        tokio::pin!(running);
        let mut teller = Teller::new(self.turn, group);
        loop {
            tokio::select! {
                outcomes = &mut running => {
                    while let Ok(said) = heard.try_recv() {
                        teller.tell(&said, on_step);
                    }
                    teller.finish(on_step);
                    return outcomes;
                }
                Some(said) = next(&mut heard) => teller.tell(&said, on_step),
            }
        }
    }

    /// Runs one call within its time. A tool that does not answer, not even when it is stopped, is answered for.
    async fn run_one(&self, call: ToolCall, progress: ProgressSender) -> ToolOutcome {
        let limit = self.turn.rules.tool_limit;
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
        let span =
            tracing::info_span!(target: TRACE, "tool.call", "gen_ai.tool.name" = %call.name, error = Empty);
        let running = self.turn.tools.call(&self.turn.policy, &call.name, call.arguments, &cx);
        let running = running.instrument(span.clone());
        tokio::pin!(running);
        let late = tokio::select! {
            biased;
            outcome = &mut running => {
                if outcome.is_error {
                    span.record("error", "tool");
                }
                return outcome;
            }
            () = self.cancel.cancelled() => "did not end when the turn was stopped, and was left behind".to_owned(),
            () = tokio::time::sleep(limit) => {
                cx.cancel.cancel();
                format!("did not answer within {} s and was stopped", limit.as_secs())
            }
        };
        match tokio::time::timeout(STOP_GRACE, running).await {
            Ok(mut outcome) if !self.cancel.is_cancelled() => {
                outcome.content.push(UserBlock::text(format!("[Homard: `{}` {late}.]", call.name)));
                outcome.is_error = true;
                outcome
            }
            Ok(outcome) => outcome,
            Err(_elapsed) => ToolOutcome::error(format!("`{}` {late}. Try something else.", call.name)),
        }
    }
}

/// The next progress message, or never when all senders are gone.
async fn next(heard: &mut mpsc::Receiver<Progress>) -> Option<Progress> {
    match heard.recv().await {
        Some(said) => Some(said),
        None => std::future::pending().await,
    }
}

/// Tells of the progress of a group's calls, without secrets: a piece may end in the middle of one.
struct Teller<'g> {
    turn: &'g Turn,
    group: &'g [ToolCall],
    streams: BTreeMap<ToolCallId, HidingStream>,
}

impl<'g> Teller<'g> {
    fn new(turn: &'g Turn, group: &'g [ToolCall]) -> Self {
        Self { turn, group, streams: BTreeMap::new() }
    }

    fn tell(&mut self, said: &Progress, on_step: &mut (dyn FnMut(Step<'_>) + Send)) {
        let secrets = &self.turn.scope.guards.secrets;
        let stream = self.streams.entry(said.call_id.clone()).or_insert_with(|| secrets.stream());
        let text = stream.push(&said.text);
        self.pass_on(&said.call_id, &text, on_step);
    }

    fn finish(mut self, on_step: &mut (dyn FnMut(Step<'_>) + Send)) {
        for (id, stream) in std::mem::take(&mut self.streams) {
            self.pass_on(&id, &stream.finish(), on_step);
        }
    }

    fn pass_on(&self, id: &ToolCallId, text: &str, on_step: &mut (dyn FnMut(Step<'_>) + Send)) {
        if let Some(call) = self.group.iter().find(|call| call.id == *id).filter(|_| !text.is_empty()) {
            on_step(Step::ToolProgress { call, text });
        }
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
