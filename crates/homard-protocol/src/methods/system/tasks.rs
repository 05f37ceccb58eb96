//! `tasks.*`: work that goes on beside a conversation. Here that is what agents have other agents do; what jobs do is
//! in `cron.runs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::{AgentId, RunId};
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::word::words;

/// Most tasks in one answer of [`TasksList`].
pub const MAX_TASKS: u32 = 500;
/// Tasks in one answer unless the caller says otherwise.
pub const DEFAULT_TASKS: u32 = 100;
/// Most messages in one answer of [`TasksHistory`].
pub const MAX_TASK_MESSAGES: u32 = 200;

words! {
    /// Where a task is.
    TaskStatus {
        Queued = "queued",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
        TimedOut = "timed_out",
    }
}

words! {
    /// What tasks are listed by, newest first.
    TaskOrder {
        UpdatedAt = "updatedAt",
        EndedAt = "endedAt",
    }
}

/// One status or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TaskStatuses {
    One(TaskStatus),
    Several(Vec<TaskStatus>),
}

impl TaskStatuses {
    /// Whether this status is among them.
    #[must_use]
    pub fn has(&self, status: TaskStatus) -> bool {
        match self {
            Self::One(one) => *one == status,
            Self::Several(several) => several.contains(&status),
        }
    }
}

/// `tasks.list`: work in the background.
#[derive(Debug)]
pub struct TasksList;

impl Method for TasksList {
    const NAME: &'static str = "tasks.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = TasksListParams;
    type Result = TasksListResult;
}

/// Parameters of [`TasksList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TasksListParams {
    pub status: Option<TaskStatuses>,
    pub agent_id: Option<AgentId>,
    /// Only what this conversation asked for.
    pub session_key: Option<SessionRef>,
    /// How many, up to 500.
    pub limit: Option<u32>,
    /// Where to go on: `nextCursor` of the answer before.
    pub cursor: Option<String>,
    pub sort_by: Option<TaskOrder>,
}

/// Answer of [`TasksList`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TasksListResult {
    pub tasks: Vec<Task>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A task, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: RunId,
    /// The same once more: clients read either.
    pub task_id: RunId,
    /// Always `subagent`: there is no other kind yet.
    pub kind: String,
    /// The same as `kind`, for clients that look there.
    pub runtime: String,
    pub status: TaskStatus,
    pub title: String,
    pub agent_id: Option<AgentId>,
    /// The conversation that asked for it.
    pub session_key: SessionKey,
    /// The conversation it is done in.
    pub child_session_key: SessionKey,
    pub run_id: RunId,
    #[serde(flatten)]
    pub moments: TaskMoments,
    #[serde(flatten)]
    pub outcome: TaskOutcome,
}

/// When things happened to a task, in milliseconds since 1970.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskMoments {
    pub created_at: i64,
    pub updated_at: i64,
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
}

/// What a task was to do and what came of it.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskOutcome {
    /// Whether `tasks.history` has something to show.
    pub has_transcript: bool,
    pub error: Option<String>,
    /// What it answered; in `tasks.get` alone.
    pub result: Option<String>,
    /// What it was told to do; in `tasks.get` alone.
    pub prompt: Option<String>,
}

/// `tasks.get`: one task, with what it was told and what it answered.
#[derive(Debug)]
pub struct TasksGet;

impl Method for TasksGet {
    const NAME: &'static str = "tasks.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = TasksGetParams;
    type Result = TasksGetResult;
}

/// Parameters of [`TasksGet`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TasksGetParams {
    pub task_id: RunId,
}

/// Answer of [`TasksGet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TasksGetResult {
    pub task: Task,
}

/// `tasks.cancel`: stop a task and what it started itself.
#[derive(Debug)]
pub struct TasksCancel;

impl Method for TasksCancel {
    const NAME: &'static str = "tasks.cancel";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = TasksCancelParams;
    type Result = TasksCancelResult;
}

/// Parameters of [`TasksCancel`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TasksCancelParams {
    pub task_id: RunId,
    /// Why; it is taken and told to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Answer of [`TasksCancel`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TasksCancelResult {
    pub found: bool,
    pub cancelled: bool,
    /// Why it was not.
    pub reason: Option<String>,
    pub task: Option<Task>,
}

/// `tasks.history`: what was said in a task, newest page first, each page oldest first.
#[derive(Debug)]
pub struct TasksHistory;

impl Method for TasksHistory {
    const NAME: &'static str = "tasks.history";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = TasksHistoryParams;
    type Result = TasksHistoryResult;
}

/// Parameters of [`TasksHistory`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TasksHistoryParams {
    pub task_id: RunId,
    /// Where to go on: `nextCursor` of the answer before.
    pub cursor: Option<String>,
    pub limit: Option<u32>,
}

/// Answer of [`TasksHistory`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TasksHistoryResult {
    pub messages: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
