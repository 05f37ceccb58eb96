//! `tasks.*`: what agents have other agents do. A task is named by its run.

use homard_protocol::limits::MAX_HISTORY_BYTES;
use homard_protocol::methods::system::tasks::{
    DEFAULT_TASKS, MAX_TASK_MESSAGES, MAX_TASKS, Task, TaskMoments, TaskOrder, TaskOutcome, TaskStatus,
    TasksCancelParams, TasksCancelResult, TasksGetParams, TasksGetResult, TasksHistoryParams,
    TasksHistoryResult, TasksListParams, TasksListResult,
};
use homard_protocol::{RunId, RunStatus, StopCause};
use homard_runtime::{Arrange as _, Clip as _};
use homard_store::{PageQuery, SubagentTask};

use crate::error::RequestError;
use crate::methods::chat::fit;
use crate::methods::{check_range, session_key};
use crate::table::Cx;

/// How much of a task without a label is its title, in characters.
const TITLE_CHARS: usize = 120;
/// How much of its answer is told, in characters.
const RESULT_CHARS: usize = 8_000;

/// `tasks.list`.
pub(crate) async fn list(cx: Cx, params: TasksListParams) -> Result<TasksListResult, RequestError> {
    check_range("tasks.list", "limit", params.limit, 1..=MAX_TASKS)?;
    let offset = offset("tasks.list", params.cursor.as_deref())?;
    let key = params.session_key.as_ref();
    let key = key.map(|key| session_key(&cx.gateway, key, params.agent_id.as_ref())).transpose()?;
    let children = cx.gateway.store().subagents().recent(key.as_ref()).await?;
    let mut tasks: Vec<Task> = children.into_iter().map(task).collect();
    tasks.retain(|task| {
        params.status.as_ref().is_none_or(|wanted| wanted.has(task.status))
            && (key.is_some() || params.agent_id.is_none() || params.agent_id == task.agent_id)
    });
    tasks.arrange_by_key(|task| match params.sort_by {
        Some(TaskOrder::EndedAt) => std::cmp::Reverse(task.moments.ended_at.unwrap_or(i64::MAX)),
        Some(TaskOrder::UpdatedAt) | None => std::cmp::Reverse(task.moments.updated_at),
    });
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_TASKS)).unwrap_or(1);
    let next = offset.saturating_add(limit);
    let next_cursor = (next < tasks.len()).then(|| next.to_string());
    let mut tasks: Vec<Task> = tasks.into_iter().skip(offset).take(limit).collect();
    for task in &mut tasks {
        (task.outcome.prompt, task.outcome.result) = (None, None);
    }
    Ok(TasksListResult { tasks, next_cursor })
}

/// `tasks.get`.
pub(crate) async fn get(cx: Cx, params: TasksGetParams) -> Result<TasksGetResult, RequestError> {
    let found = cx.gateway.store().subagents().task(&params.task_id).await?;
    let found = found.ok_or_else(|| not_found(&params.task_id))?;
    Ok(TasksGetResult { task: task(found) })
}

/// `tasks.cancel`.
pub(crate) async fn cancel(cx: Cx, params: TasksCancelParams) -> Result<TasksCancelResult, RequestError> {
    let store = cx.gateway.store();
    let Some(found) = store.subagents().task(&params.task_id).await? else {
        return Ok(TasksCancelResult::default());
    };
    let key = found.child.asked.child_key;
    let stopped = cx.gateway.relay().abort(&key, None, StopCause::Rpc).await;
    let cancelled = !stopped.run_ids.is_empty();
    Ok(TasksCancelResult {
        found: true,
        cancelled,
        reason: (!cancelled).then(|| "it has ended already".to_owned()),
        task: store.subagents().task(&params.task_id).await?.map(task),
    })
}

/// `tasks.history`.
pub(crate) async fn history(cx: Cx, params: TasksHistoryParams) -> Result<TasksHistoryResult, RequestError> {
    check_range("tasks.history", "limit", params.limit, 1..=MAX_TASK_MESSAGES)?;
    let offset = offset("tasks.history", params.cursor.as_deref())?;
    let store = cx.gateway.store();
    let found = store.subagents().task(&params.task_id).await?;
    let found = found.ok_or_else(|| not_found(&params.task_id))?;
    let Some(record) = store.sessions().get(&found.child.asked.child_key).await? else {
        return Err(RequestError::unavailable("This task has no readable transcript."));
    };
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_TASKS)).unwrap_or(1);
    let query = PageQuery { limit, before_seq: None, offset };
    let page = store.transcripts().page(&record.session_id, query).await?;
    let (messages, used, left_out) = fit(page.entries, usize::MAX, MAX_HISTORY_BYTES);
    let next_cursor = (page.has_more || left_out).then(|| offset.saturating_add(used).to_string());
    Ok(TasksHistoryResult { messages, next_cursor })
}

fn not_found(id: &RunId) -> RequestError {
    RequestError::invalid(format!("task not found: {id}"))
}

/// A cursor is how many were told already.
fn offset(method: &str, cursor: Option<&str>) -> Result<usize, RequestError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let wrong = || RequestError::invalid(format!("invalid {method} cursor; begin without one"));
    cursor.parse().ok().ok_or_else(wrong)
}

fn task(SubagentTask { child, run }: SubagentTask) -> Task {
    let asked = child.asked;
    let status = match run.as_ref().map(|run| run.status) {
        None if child.settled_at.is_none() => TaskStatus::Queued,
        Some(RunStatus::Queued) => TaskStatus::Queued,
        Some(RunStatus::Running) => TaskStatus::Running,
        Some(RunStatus::Error | RunStatus::Interrupted) => TaskStatus::Failed,
        Some(RunStatus::Aborted) => TaskStatus::Cancelled,
        Some(RunStatus::TimedOut) => TaskStatus::TimedOut,
        // One whose run is forgotten was told to whoever asked, days ago.
        Some(RunStatus::Ok) | None => TaskStatus::Completed,
    };
    let (started_at, ended_at) =
        run.as_ref().map_or((None, child.settled_at), |run| (run.started_at, run.ended_at));
    let updated_at = ended_at.or(started_at).unwrap_or(child.created_at);
    Task {
        id: asked.run_id.clone(),
        task_id: asked.run_id.clone(),
        kind: "subagent".to_owned(),
        runtime: "subagent".to_owned(),
        status,
        title: asked.label.unwrap_or_else(|| asked.task.clip_chars(TITLE_CHARS).to_owned()),
        agent_id: asked.child_key.agent_id().cloned(),
        session_key: asked.requester_key,
        child_session_key: asked.child_key,
        run_id: asked.run_id,
        moments: TaskMoments { created_at: child.created_at, updated_at, started_at, ended_at },
        outcome: TaskOutcome {
            has_transcript: started_at.is_some(),
            error: run.as_ref().and_then(|run| run.error.clone()),
            result: run.and_then(|run| run.reply).map(|reply| reply.clip_chars(RESULT_CHARS).to_owned()),
            prompt: Some(asked.task),
        },
    }
}
