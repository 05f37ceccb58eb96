//! Telling people and programs about a run as it happens: agent steps in, `chat` and `agent` events out.
//!
//! Text is told at once the first time and then at most every
//! [`DELTA_INTERVAL`], because each telling carries everything said
//! so far.

use std::sync::Arc;

use homard_agent::{Directive, Step};
use homard_llm::Attempt;
use homard_policy::reply::may_be_silent;
use homard_protocol::events::{
    AgentData, AgentEvent, AgentStream, ApprovalPhase, ChatEvent, ChatMessage, ChatState, CommandOutput,
    CompactionPhase, RunPhase, ToolItem, ToolPhase,
};
use homard_protocol::limits::DELTA_INTERVAL;
use homard_protocol::session_words::Thoughts;
use homard_protocol::{RunId, ToolCall, ToolResultMessage};
use homard_runtime::{Clock, Mutex};
use serde_json::json;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::bus::{Audience, Bus};
use crate::delivery::live::TurnActivity;

/// The name under which watchers that did not start the run hear tool events.
const TOOL_ELSEWHERE: &str = "session.tool";

/// Whose story is told.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) run: RunId,
    pub(crate) run_text: Arc<str>,
    pub(crate) session_key: Arc<str>,
    pub(crate) agent: Option<Arc<str>>,
    /// Whether nobody asked and the agent only looks around.
    pub(crate) is_heartbeat: bool,
}

/// Tells the story of one run.
#[derive(Debug)]
pub(crate) struct Narrator {
    subject: Subject,
    bus: Bus,
    clock: Clock,
    state: Mutex<State>,
    untold: Notify,
    /// How much has been said, for those who listen to this run alone.
    spoken: watch::Sender<usize>,
    /// What has happened, for those who show the run while it goes on.
    pulse: watch::Sender<TurnActivity>,
}

#[derive(Debug, Default)]
struct State {
    seq: u64,
    session_id: Option<Arc<str>>,
    /// Everything said in the run; answers are separated by a blank line.
    text: String,
    /// How much of `text` has been told.
    told: usize,
    /// Where in `text` the present answer begins.
    segment: usize,
    /// How much of `text` has been kept on disk.
    kept: usize,
    segments: u32,
    last_told: Option<Instant>,
    reasoning: Thoughts,
    /// Whether the reasoning is kept for the end, though nobody is shown it meanwhile.
    keeps_reasoning: bool,
    thought: Thought,
    /// How the answer is to be delivered.
    wishes: Vec<Directive>,
}

/// The reasoning of the present answer.
#[derive(Debug, Default)]
struct Thought {
    text: String,
    /// How much of `text` has been told.
    told: usize,
    last_told: Option<Instant>,
    /// Whether it stands before the answer already.
    is_shown: bool,
}

impl Narrator {
    pub(crate) fn new(subject: Subject, bus: Bus, clock: Clock) -> Self {
        Self {
            subject,
            bus,
            clock,
            state: Mutex::default(),
            untold: Notify::new(),
            spoken: watch::Sender::new(0),
            pulse: watch::Sender::new(TurnActivity::default()),
        }
    }

    /// Everything said so far.
    pub(crate) fn text(&self) -> String {
        self.state.lock().text.clone()
    }

    /// What was said of the present answer, if there is more than when this was last asked.
    pub(crate) fn unkept(&self) -> Option<String> {
        let mut state = self.state.lock();
        if state.kept == state.text.len() || may_be_silent(&state.text) {
            return None;
        }
        state.kept = state.text.len();
        state.text.get(state.segment..).map(str::to_owned)
    }

    /// What was said after the first `from` bytes, unless it may still turn out to be silence.
    pub(crate) fn text_from(&self, from: usize) -> String {
        let state = self.state.lock();
        let rest = state.text.get(from..).filter(|_| !may_be_silent(&state.text));
        rest.unwrap_or_default().to_owned()
    }

    /// Tells whenever something was said.
    pub(crate) fn spoken(&self) -> watch::Receiver<usize> {
        self.spoken.subscribe()
    }

    /// How the answer is to be delivered.
    pub(crate) fn wishes(&self) -> Vec<Directive> {
        self.state.lock().wishes.clone()
    }

    /// What becomes of the model's reasoning.
    pub(crate) fn set_reasoning(&self, reasoning: Thoughts) {
        self.state.lock().reasoning = reasoning;
    }

    /// Nobody is shown the model's reasoning while it comes; it is asked for at the end.
    pub(crate) fn keep_reasoning(&self) {
        self.state.lock().keeps_reasoning = true;
    }

    /// The reasoning of the present answer as people are shown it, if it was kept and there is any.
    pub(crate) fn kept_reasoning(&self) -> Option<String> {
        let state = self.state.lock();
        let thought = Some(&state.thought.text).filter(|_| state.keeps_reasoning)?;
        (!thought.trim().is_empty()).then(|| reasoning(thought))
    }

    /// The transcript is known now.
    pub(crate) fn set_session(&self, session_id: &str) {
        self.state.lock().session_id = Some(Arc::from(session_id));
    }

    /// Tells that the run is getting ready.
    pub(crate) fn status(&self, phase: &'static str) {
        let (seq, session_id) = self.next();
        self.chat_at(seq, ChatState::Status { phase });
        self.agent_at(seq, session_id, AgentData::RunStatus { phase });
    }

    /// Tells about the run's life.
    pub(crate) fn lifecycle(&self, phase: RunPhase) {
        self.agent(AgentData::Lifecycle(phase));
    }

    /// Tells what the run cost.
    pub(crate) fn usage(&self, output_tokens: u64) {
        self.agent(AgentData::Usage { output_tokens });
    }

    /// Tells that the run waits for a person, or no longer does.
    pub(crate) fn approval(&self, phase: ApprovalPhase) {
        self.agent(AgentData::Approval(phase));
    }

    /// Tells how the run ended. The last thing told.
    pub(crate) fn end(&self, state: ChatState) {
        self.chat(state);
    }

    /// Tells that the run was taken by another, which tells the rest: an end without words.
    pub(crate) fn end_bare(&self) {
        let (seq, _) = self.next();
        self.chat_at(seq, ChatState::Final { message: None, usage: None, stop_reason: None });
    }

    /// Takes one step of the agent.
    pub(crate) fn step(&self, step: &Step<'_>) {
        self.tell_step(step);
        self.pulse.send_modify(|pulse| pulse.beat(step));
    }

    /// Tells whenever something happened.
    pub(crate) fn pulse(&self) -> watch::Receiver<TurnActivity> {
        self.pulse.subscribe()
    }

    fn tell_step(&self, step: &Step<'_>) {
        match step {
            Step::Asking => self.begin_segment(),
            Step::Attempt(attempt) => self.attempted(attempt),
            Step::Text(text) => self.said(text),
            Step::Thinking(text) => self.thought(text),
            Step::Wish(wish) => self.state.lock().wishes.push((*wish).clone()),
            Step::Answered(_) => {
                self.flush_thinking();
                self.flush();
            }
            Step::ToolStart(call) => self.tool_start(call),
            Step::ToolProgress { call, text } => self.tool_progress(call, text),
            Step::ToolEnd { call, result } => self.tool_end(call, result),
            Step::Steered(taken) => {
                self.lifecycle(RunPhase::Steered { steered_run_id: taken.run_id.clone() });
            }
            Step::Flushing => self.compaction(CompactionPhase::MemoryFlush { status: "start" }),
            Step::Flushed { failed } => {
                let status = if *failed { "failed" } else { "end" };
                self.compaction(CompactionPhase::MemoryFlush { status });
            }
            Step::Compacting { trigger, tokens_before } => self.compaction(CompactionPhase::Start {
                trigger: trigger.as_str(),
                tokens_before: *tokens_before,
            }),
            Step::Compacted { trigger, tokens_before, tokens_after, listed } => {
                self.compaction(CompactionPhase::End {
                    trigger: trigger.as_str(),
                    tokens_before: *tokens_before,
                    tokens_after: *tokens_after,
                    summarised: !listed,
                });
            }
        }
    }

    /// Tells that a model did not answer and what is done about it. Reasoning of the failed attempt is
    /// forgotten: the next one thinks afresh.
    fn attempted(&self, attempt: &Attempt) {
        {
            let mut state = self.state.lock();
            state.thought.text.clear();
            state.thought.told = 0;
        }
        self.lifecycle(RunPhase::Fallback(serde_json::to_value(attempt).unwrap_or_else(|_never| json!({}))));
    }

    fn compaction(&self, phase: CompactionPhase) {
        self.agent(AgentData::Compaction(phase));
    }

    fn begin_segment(&self) {
        let mut state = self.state.lock();
        state.segments += 1;
        state.segment = state.text.len();
        state.thought.text.clear();
        state.thought.told = 0;
        state.thought.is_shown = false;
    }

    fn thought(&self, text: &str) {
        let due = {
            let mut state = self.state.lock();
            if state.reasoning == Thoughts::Off && !state.keeps_reasoning {
                return;
            }
            state.thought.text.push_str(text);
            state.reasoning == Thoughts::Stream
                && state.thought.last_told.is_none_or(|last| last.elapsed() >= DELTA_INTERVAL)
        };
        if due {
            self.flush_thinking();
        }
    }

    /// Tells the reasoning that has not been told.
    fn flush_thinking(&self) {
        let data = {
            let mut state = self.state.lock();
            let delta = state.thought.text.get(state.thought.told..).unwrap_or_default();
            if delta.is_empty() || state.reasoning != Thoughts::Stream {
                return;
            }
            let data = AgentData::Thinking { text: state.thought.text.clone(), delta: delta.to_owned() };
            state.thought.told = state.thought.text.len();
            state.thought.last_told = Some(Instant::now());
            data
        };
        self.agent(data);
    }

    fn said(&self, text: &str) {
        self.flush_thinking();
        let due = {
            let mut state = self.state.lock();
            if state.segment > 0 && state.segment == state.text.len() {
                state.text.push_str("\n\n");
                state.segment = state.text.len();
            }
            if state.reasoning == Thoughts::On
                && !state.thought.is_shown
                && !state.thought.text.trim().is_empty()
            {
                let reasoning = reasoning(&state.thought.text);
                state.text.push_str(&reasoning);
                state.thought.is_shown = true;
            }
            state.text.push_str(text);
            self.spoken.send_replace(state.text.len());
            state.last_told.is_none_or(|last| last.elapsed() >= DELTA_INTERVAL)
        };
        if due { self.flush() } else { self.untold.notify_one() }
    }

    /// Resolves when text has waited long enough; the caller then calls [`flush`](Self::flush).
    pub(crate) async fn due(&self) {
        loop {
            let wait_until = {
                let state = self.state.lock();
                let waiting = state.told < state.text.len() && !may_be_silent(&state.text);
                waiting.then(|| state.last_told.map_or_else(Instant::now, |last| last + DELTA_INTERVAL))
            };
            match wait_until {
                Some(until) => return tokio::time::sleep_until(until).await,
                None => self.untold.notified().await,
            }
        }
    }

    /// Tells what has not been told.
    pub(crate) fn flush(&self) {
        // Whether there is anything to say is known only at the end of a look around.
        if self.subject.is_heartbeat {
            return;
        }
        let (delta, whole, segment, item) = {
            let mut state = self.state.lock();
            if state.told >= state.text.len() || may_be_silent(&state.text) {
                return;
            }
            let delta = state.text.get(state.told..).unwrap_or_default().to_owned();
            let segment = state.text.get(state.segment..).unwrap_or_default().to_owned();
            state.told = state.text.len();
            state.last_told = Some(Instant::now());
            (delta, state.text.clone(), segment, state.segments)
        };
        let item_id = format!("{}:{item}", self.subject.run_text);
        let spoken = delta.trim_start_matches('\n').to_owned();
        self.agent(AgentData::Assistant { text: segment, delta: spoken, item_id });
        let message = ChatMessage::new(whole, self.clock.now_ms());
        self.chat(ChatState::Delta { delta_text: delta, message });
    }

    fn tool_start(&self, call: &ToolCall) {
        let now = self.clock.now_ms();
        self.agent(AgentData::Item(ToolItem { started_at: Some(now), ..item(call) }));
        self.agent(AgentData::Tool(ToolPhase::Start {
            name: call.name.clone(),
            tool_call_id: call.id.clone(),
            args: call.arguments.clone(),
        }));
    }

    fn tool_progress(&self, call: &ToolCall, text: &str) {
        let partial_result =
            json!({"content": [{"type": "text", "text": text}], "details": {"status": "running"}});
        let (name, tool_call_id) = (call.name.clone(), call.id.clone());
        self.agent(AgentData::Tool(ToolPhase::Update { name, tool_call_id, partial_result }));
        self.agent(AgentData::CommandOutput(CommandOutput {
            item_id: format!("command:{}", call.id),
            phase: "delta",
            title: call.name.clone(),
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            output: text.to_owned(),
            status: "running",
        }));
    }

    fn tool_end(&self, call: &ToolCall, result: &ToolResultMessage) {
        self.agent(AgentData::Tool(ToolPhase::Result {
            name: call.name.clone(),
            tool_call_id: call.id.clone(),
            is_error: result.is_error,
            result: json!({"content": result.content, "details": result.details}),
        }));
        self.agent(AgentData::Item(ToolItem {
            phase: "end",
            status: if result.is_error { "failed" } else { "completed" },
            ended_at: Some(result.timestamp),
            ..item(call)
        }));
    }

    /// The next number of the run, and the transcript if it is known.
    fn next(&self) -> (u64, Option<Arc<str>>) {
        let mut state = self.state.lock();
        state.seq += 1;
        (state.seq, state.session_id.clone())
    }

    fn agent(&self, data: AgentData) {
        let (seq, session_id) = self.next();
        self.agent_at(seq, session_id, data);
    }

    fn agent_at(&self, seq: u64, session_id: Option<Arc<str>>, data: AgentData) {
        let stream = data.stream();
        let event = AgentEvent {
            run_id: Arc::clone(&self.subject.run_text),
            session_key: Arc::clone(&self.subject.session_key),
            session_id,
            agent_id: self.subject.agent.clone(),
            seq,
            ts: self.clock.now_ms(),
            stream,
            data,
            is_heartbeat: self.subject.is_heartbeat,
        };
        if stream.needs_tool_cap() {
            let elsewhere = (stream == AgentStream::Tool).then_some(TOOL_ELSEWHERE);
            self.bus.publish_to(&event, Audience::ToolWatchers { run: self.subject.run.clone(), elsewhere });
        } else {
            self.bus.publish(&event);
        }
    }

    fn chat(&self, state: ChatState) {
        let seq = self.state.lock().seq;
        self.chat_at(seq, state);
    }

    fn chat_at(&self, seq: u64, state: ChatState) {
        self.bus.publish(&ChatEvent {
            run_id: Arc::clone(&self.subject.run_text),
            session_key: Arc::clone(&self.subject.session_key),
            agent_id: self.subject.agent.clone(),
            seq,
            state,
        });
    }
}

/// Reasoning as people are shown it before an answer.
fn reasoning(thinking: &str) -> String {
    let lines = thinking.trim().lines().map(|line| match line.trim() {
        "" => String::new(),
        line => format!("_{line}_"),
    });
    format!("Reasoning:\n{}\n\n", lines.collect::<Vec<_>>().join("\n"))
}

/// A call in a list of steps, before it is known how it goes.
fn item(call: &ToolCall) -> ToolItem {
    ToolItem {
        item_id: format!("tool:{}", call.id),
        tool_call_id: call.id.clone(),
        name: call.name.clone(),
        kind: "tool",
        phase: "start",
        title: call.name.clone(),
        status: "running",
        started_at: None,
        ended_at: None,
    }
}

#[cfg(test)]
mod tests;
