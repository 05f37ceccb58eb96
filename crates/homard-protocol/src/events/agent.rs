//! `agent`: what a program watching a run sees.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::event::{Event, Guard};
use crate::scope::Scope;

/// One step of a run, for programs.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEvent {
    /// The run.
    pub run_id: Arc<str>,
    /// The conversation.
    pub session_key: Arc<str>,
    /// The transcript, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Arc<str>>,
    /// Whose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<Arc<str>>,
    /// Grows within the run.
    pub seq: u64,
    /// When.
    pub ts: i64,
    /// What kind of step.
    pub stream: AgentStream,
    /// The step.
    pub data: Value,
    /// Whether nobody asked for this run.
    pub is_heartbeat: bool,
}

/// The kinds of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentStream {
    /// Getting ready.
    RunStatus,
    /// Start, model, finishing, end, error.
    Lifecycle,
    /// Text.
    Assistant,
    /// Reasoning.
    Thinking,
    /// Tool start, update, result.
    Tool,
    /// The same for lists of steps.
    Item,
    /// What a command prints.
    CommandOutput,
    /// Tokens.
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

impl Event for AgentEvent {
    const NAME: &'static str = "agent";
    const GUARD: Guard = Guard::Operator(Scope::Read);

    fn droppable(&self) -> bool {
        matches!(self.stream, AgentStream::Assistant | AgentStream::Thinking | AgentStream::CommandOutput)
    }
}
