//! Questions that have ended, for those who look back. Kept in memory: a question dies with its gateway.

use std::collections::VecDeque;

use homard_protocol::methods::approvals::unified::{
    ApprovalPresentation, ApprovalReason, ApprovalSnapshot, ApprovalSource, ApprovalState,
};
use homard_protocol::methods::approvals::{ApprovalDecision, ApprovalKind};
use homard_runtime::Mutex;
use homard_tools::{ApprovalOutcome, Question};

use super::{agent, decision, exec_details, kind, plugin_details};

/// So many are remembered.
const REMEMBERED: usize = 500;

/// What has ended, the latest first.
#[derive(Debug, Default)]
pub(crate) struct ApprovalLog {
    ended: Mutex<VecDeque<(Question, i64)>>,
}

impl ApprovalLog {
    /// Remembers a question that has ended.
    pub(crate) fn note(&self, question: &Question, at: i64) {
        let mut ended = self.ended.lock();
        ended.push_front((question.clone(), at));
        ended.truncate(REMEMBERED);
    }

    /// One that has ended.
    pub(crate) fn find(&self, id: &str) -> Option<(Question, i64)> {
        self.ended.lock().iter().find(|(question, _)| question.id.as_str() == id).cloned()
    }

    /// Those of a family after the one named, the latest first, and whether there are more.
    pub(crate) fn page(
        &self,
        wanted: Option<ApprovalKind>,
        after: Option<&str>,
        limit: usize,
    ) -> (Vec<(Question, i64)>, bool) {
        let ended = self.ended.lock();
        let skipped = after.map_or(0, |id| {
            let place = ended.iter().position(|(question, _)| question.id.as_str() == id);
            place.map_or(ended.len(), |place| place + 1)
        });
        let fits = |one: &&(Question, i64)| wanted.is_none_or(|wanted| kind(&one.0) == wanted);
        let mut found: Vec<(Question, i64)> =
            ended.iter().skip(skipped).filter(fits).take(limit.saturating_add(1)).cloned().collect();
        let more = found.len() > limit;
        found.truncate(limit);
        (found, more)
    }
}

/// A question in the shape that is one for all families.
pub(crate) fn snapshot(
    question: &Question,
    resolved_at_ms: Option<i64>,
    base_path: &str,
) -> ApprovalSnapshot {
    let asked = &question.request;
    let (status, reason) = match question.outcome {
        None => (ApprovalState::Pending, None),
        Some(ApprovalOutcome::Said(ApprovalDecision::Deny)) => {
            (ApprovalState::Denied, Some(ApprovalReason::User))
        }
        Some(ApprovalOutcome::Said(_)) => (ApprovalState::Allowed, Some(ApprovalReason::User)),
        Some(ApprovalOutcome::Expired) => (ApprovalState::Expired, Some(ApprovalReason::Timeout)),
        Some(ApprovalOutcome::NoRoute) => (ApprovalState::Denied, Some(ApprovalReason::NoRoute)),
        Some(ApprovalOutcome::Withdrawn) => (ApprovalState::Cancelled, Some(ApprovalReason::RunAborted)),
    };
    let pending = status == ApprovalState::Pending;
    let decision = match status {
        ApprovalState::Denied => Some(ApprovalDecision::Deny),
        _ => question.outcome.and_then(decision),
    };
    let source = ApprovalSource { agent_id: agent(asked), session_key: asked.session_key.clone() };
    let known = source.agent_id.is_some() || source.session_key.is_some();
    ApprovalSnapshot {
        id: question.id.clone(),
        url_path: format!("{base_path}/approve/{}", question.id),
        created_at_ms: question.created_at,
        expires_at_ms: question.expires_at,
        presentation: presentation(question),
        status,
        decision,
        reason,
        resolved_at_ms,
        source_session_key: asked.session_key.clone().filter(|_| pending),
        source: (!pending && known).then_some(source),
    }
}

fn presentation(question: &Question) -> ApprovalPresentation {
    match kind(question) {
        ApprovalKind::Exec => {
            let asked = exec_details(&question.request);
            ApprovalPresentation::Exec {
                command_text: asked.command,
                command_preview: asked.command_preview,
                warning_text: asked.warning_text,
                host: asked.host,
                agent_id: asked.agent_id,
                allowed_decisions: asked.allowed_decisions,
            }
        }
        ApprovalKind::Plugin => {
            let asked = plugin_details(&question.request);
            ApprovalPresentation::Plugin {
                title: asked.title,
                description: asked.description,
                detail: asked.detail,
                severity: asked.severity,
                tool_name: asked.tool_name,
                agent_id: asked.agent_id,
                allowed_decisions: asked.allowed_decisions,
            }
        }
    }
}
