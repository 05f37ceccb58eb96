//! `approval.*`: questions of every family in one shape.

use homard_protocol::methods::approvals::ApprovalIdParams;
use homard_protocol::methods::approvals::unified::{
    ApprovalAnswerParams, ApprovalAnswered, ApprovalGetResult, ApprovalHistoryParams, ApprovalHistoryResult,
    ApprovalSnapshot, DEFAULT_APPROVAL_HISTORY, GrantsParams, GrantsResult, MAX_APPROVAL_HISTORY,
};
use homard_protocol::word::Word;
use homard_tools::{NotFound, NotTaken, Question};

use super::exec::reviewer;
use crate::approvals::kind;
use crate::approvals::log::snapshot;
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::check_range;
use crate::table::Cx;

/// `approval.get`.
pub(crate) async fn get(cx: Cx, params: ApprovalIdParams) -> Result<ApprovalGetResult, RequestError> {
    let (question, ended_at) = known(&cx.gateway, &params.id)?;
    Ok(ApprovalGetResult { approval: told(&cx.gateway, &question, ended_at) })
}

/// `approval.resolve`.
pub(crate) async fn resolve(cx: Cx, params: ApprovalAnswerParams) -> Result<ApprovalAnswered, RequestError> {
    let gateway = &cx.gateway;
    let (question, ended_at) = known(gateway, &params.id)?;
    if params.kind.known() != Some(kind(&question)) {
        return Err(NotFound::Unknown.into());
    }
    if question.outcome.is_some() {
        return Ok(ApprovalAnswered { applied: false, approval: told(gateway, &question, ended_at) });
    }
    let by = reviewer(&cx, params.reviewer.as_ref());
    match gateway.relay().approvals().resolve(&question.id, params.decision, &by) {
        Ok(question) => {
            let now = gateway.clock().now_ms();
            Ok(ApprovalAnswered { applied: true, approval: told(gateway, &question, Some(now)) })
        }
        // Somebody else was faster.
        Err(NotTaken::Answered) => {
            let (question, ended_at) = known(gateway, &params.id)?;
            Ok(ApprovalAnswered { applied: false, approval: told(gateway, &question, ended_at) })
        }
        Err(refused) => Err(refused.into()),
    }
}

/// `approval.history`.
pub(crate) async fn history(
    cx: Cx,
    params: ApprovalHistoryParams,
) -> Result<ApprovalHistoryResult, RequestError> {
    check_range("approval.history", "limit", params.limit, 1..=MAX_APPROVAL_HISTORY)?;
    let wanted = match params.kind {
        None => None,
        Some(Word::Known(kind)) => Some(kind),
        // A family there is not has had no questions.
        Some(Word::Other(_)) => return Ok(ApprovalHistoryResult::default()),
    };
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_APPROVAL_HISTORY)).unwrap_or(1);
    let (page, more) = cx.gateway.approval_log().page(wanted, params.cursor.as_deref(), limit);
    let next_cursor = page.last().filter(|_| more).map(|(question, _)| question.id.clone());
    let items = page.iter().map(|(question, at)| told(&cx.gateway, question, Some(*at)));
    Ok(ApprovalHistoryResult { items: items.collect(), next_cursor })
}

/// `exec.approval.grants.list`.
pub(crate) async fn grants(_cx: Cx, _params: GrantsParams) -> Result<GrantsResult, RequestError> {
    Ok(GrantsResult::default())
}

/// A question that waits, or one that has ended and when.
fn known(gateway: &Gateway, id: &str) -> Result<(Question, Option<i64>), RequestError> {
    if let Some((question, at)) = gateway.approval_log().find(id) {
        return Ok((question, Some(at)));
    }
    Ok((gateway.relay().approvals().find(id)?, None))
}

fn told(gateway: &Gateway, question: &Question, ended_at: Option<i64>) -> ApprovalSnapshot {
    snapshot(question, ended_at, &gateway.config().current().gateway.control_ui.base_path)
}
