//! Lists beside the conversation whose rooms are not furnished: each is truly empty.

use crate::error::RequestError;
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::side_lists::{
    CompanionStateResult, InSessionParams, OfSessionParams, ProgressCardResult, QuestionListResult,
    TaskSuggestionsResult, TasksListParams, TasksListResult,
};

use crate::methods::check_range;
use crate::methods::session_key;
use crate::table::Cx;

/// Most tasks in one answer.
const MAX_TASKS: u32 = 500;

/// `question.list`.
pub(crate) async fn questions(_cx: Cx, _params: NoParams) -> Result<QuestionListResult, RequestError> {
    Ok(QuestionListResult::default())
}

/// `taskSuggestions.list`.
pub(crate) async fn suggestions(
    cx: Cx,
    params: OfSessionParams,
) -> Result<TaskSuggestionsResult, RequestError> {
    if let Some(key) = &params.session_key {
        session_key(&cx.gateway, key, params.agent_id.as_ref())?;
    }
    Ok(TaskSuggestionsResult::default())
}

/// `tasks.list`.
pub(crate) async fn tasks(_cx: Cx, params: TasksListParams) -> Result<TasksListResult, RequestError> {
    check_range("tasks.list", "limit", params.limit, 1..=MAX_TASKS)?;
    Ok(TasksListResult::default())
}

/// `progressCard.get`.
pub(crate) async fn card(cx: Cx, params: InSessionParams) -> Result<ProgressCardResult, RequestError> {
    session_key(&cx.gateway, &params.session_key, params.agent_id.as_ref())?;
    Ok(ProgressCardResult::default())
}

/// `sessions.companion.state`.
pub(crate) async fn companion(cx: Cx, params: InSessionParams) -> Result<CompanionStateResult, RequestError> {
    session_key(&cx.gateway, &params.session_key, params.agent_id.as_ref())?;
    Ok(CompanionStateResult::default())
}
