//! `agent`: what a program watching a run sees.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::approvals::ApprovalPhase;
use crate::event::{Event, Guard};
use crate::id::{RunId, ToolCallId};
use crate::scope::Scope;

/// One step of a run, for programs.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEvent {
    pub run_id: Arc<str>,
    pub session_key: Arc<str>,
    /// The transcript, once it is known.
    pub session_id: Option<Arc<str>>,
    pub agent_id: Option<Arc<str>>,
    /// Grows within the run.
    pub seq: u64,
    pub ts: i64,
    /// What kind of step.
    pub stream: AgentStream,
    /// The step.
    #[schemars(with = "Value")]
    pub data: AgentData,
    /// Whether nobody asked for this run.
    pub is_heartbeat: bool,
}

/// The kinds of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentStream {
    RunStatus,
    /// Start, model, finishing, end, error.
    Lifecycle,
    Assistant,
    Thinking,
    /// Tool start, update, result.
    Tool,
    /// The same for lists of steps.
    Item,
    /// What a command prints.
    CommandOutput,
    Usage,
    /// The conversation is summarised because it is too long: start, end.
    Compaction,
    /// A person is asked before something is done: requested, resolved.
    Approval,
}

impl AgentStream {
    /// Whether only clients that asked for tool events hear it.
    #[must_use]
    pub fn needs_tool_cap(self) -> bool {
        matches!(self, Self::Tool | Self::Item | Self::CommandOutput)
    }
}

/// What happened in a step, in the shape of its stream.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "wire struct: the names are the format's own words")]
pub enum AgentData {
    RunStatus {
        phase: &'static str,
    },
    Lifecycle(RunPhase),
    /// On [`AgentStream::Assistant`]: the present answer so far, what is new of it, and which answer of the run it is.
    Assistant {
        text: String,
        delta: String,
        item_id: String,
    },
    Thinking {
        text: String,
        delta: String,
    },
    Tool(ToolPhase),
    Item(ToolItem),
    CommandOutput(CommandOutput),
    Usage {
        output_tokens: u64,
    },
    Compaction(CompactionPhase),
    Approval(ApprovalPhase),
}

impl AgentData {
    /// The stream it goes on.
    #[must_use]
    pub fn stream(&self) -> AgentStream {
        match self {
            Self::RunStatus { .. } => AgentStream::RunStatus,
            Self::Lifecycle(_) => AgentStream::Lifecycle,
            Self::Assistant { .. } => AgentStream::Assistant,
            Self::Thinking { .. } => AgentStream::Thinking,
            Self::Tool(_) => AgentStream::Tool,
            Self::Item(_) => AgentStream::Item,
            Self::CommandOutput(_) => AgentStream::CommandOutput,
            Self::Usage { .. } => AgentStream::Usage,
            Self::Compaction(_) => AgentStream::Compaction,
            Self::Approval(_) => AgentStream::Approval,
        }
    }
}

/// Where a run is in its life.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "phase", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "wire struct: the names are the format's own words")]
pub enum RunPhase {
    Start {
        started_at: i64,
    },
    Model {
        provider: String,
        model: String,
    },
    /// A model did not answer; why, and what is done about it.
    Fallback(Value),
    /// A message went into it that would have been a run of its own.
    Steered {
        steered_run_id: RunId,
    },
    /// The last word is said.
    Finishing {
        stop_reason: String,
        aborted: bool,
        ended_at: i64,
    },
    /// It is over and well.
    End {
        started_at: i64,
        ended_at: i64,
        stop_reason: String,
        aborted: bool,
        terminal_reply: TerminalReply,
    },
    /// It failed or was stopped.
    Error {
        started_at: i64,
        ended_at: i64,
        error: String,
        aborted: bool,
        stop_reason: &'static str,
    },
}

/// What people see at the end of a run.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "disposition", rename_all = "lowercase")]
#[expect(missing_docs, reason = "wire struct: the names are the format's own words")]
pub enum TerminalReply {
    Visible {
        text: String,
    },
    /// Nothing: the model chose to say nothing.
    Silent,
}

/// One call of a tool, for clients that show arguments and results.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "phase", rename_all = "lowercase", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "wire struct: the names are the format's own words")]
pub enum ToolPhase {
    Start {
        name: String,
        tool_call_id: ToolCallId,
        args: Value,
    },
    /// What it has printed so far.
    Update {
        name: String,
        tool_call_id: ToolCallId,
        partial_result: Value,
    },
    Result {
        name: String,
        tool_call_id: ToolCallId,
        is_error: bool,
        result: Value,
    },
}

/// One call of a tool, for lists of steps.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "wire struct: the names are the format's own words")]
pub struct ToolItem {
    /// `tool:` and the call.
    pub item_id: String,
    pub tool_call_id: ToolCallId,
    pub name: String,
    pub kind: &'static str,
    pub phase: &'static str,
    pub title: String,
    /// `running`, `completed` or `failed`.
    pub status: &'static str,
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
}

/// What a command prints while it runs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "wire struct: the names are the format's own words")]
pub struct CommandOutput {
    /// `command:` and the call.
    pub item_id: String,
    pub phase: &'static str,
    pub title: String,
    pub tool_call_id: ToolCallId,
    pub name: String,
    pub output: String,
    pub status: &'static str,
}

/// A conversation that is too long is made shorter.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "phase", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "wire struct: the names are the format's own words")]
pub enum CompactionPhase {
    /// What is worth keeping is written to memory first: `start`, `end` or `failed`.
    MemoryFlush {
        status: &'static str,
    },
    Start {
        trigger: &'static str,
        tokens_before: u64,
    },
    /// It is done; whether in a model's own words or as a list.
    End {
        trigger: &'static str,
        tokens_before: u64,
        tokens_after: u64,
        summarised: bool,
    },
}

impl Event for AgentEvent {
    const NAME: &'static str = "agent";
    const GUARD: Guard = Guard::Operator(Scope::Read);

    fn droppable(&self) -> bool {
        matches!(self.stream, AgentStream::Assistant | AgentStream::Thinking | AgentStream::CommandOutput)
    }

    fn session(&self) -> Option<&Arc<str>> {
        Some(&self.session_key)
    }
}

#[cfg(test)]
mod tests;
