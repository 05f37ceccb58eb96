//! Lists beside the conversation whose rooms are not furnished: each is truly empty.

use crate::error::RequestError;
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::conversation_stubs::{
    CompanionStateResult, InSessionParams, OfSessionParams, ProgressCardResult, QuestionListResult,
    TaskSuggestionsResult,
};

use crate::methods::session_key;
use crate::table::Cx;

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
