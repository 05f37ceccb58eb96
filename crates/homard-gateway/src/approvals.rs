//! Questions to people, as clients see them: who is told that one is asked and how it ended, and in which words.
//!
//! `visible` makes sure that what a person reads is what would be done.

pub(crate) mod log;

use std::sync::Arc;

use homard_protocol::AgentId;
use homard_protocol::event::{Event, Guard};
use homard_protocol::events::{
    ApprovalEnd, ApprovalPhase, ApprovalStage, ApprovalStatus, ExecApprovalRequestedEvent,
    ExecApprovalResolvedEvent, PluginApprovalRequestedEvent, PluginApprovalResolvedEvent,
};
use homard_protocol::methods::approvals::{
    APPROVAL_SLUG_CHARS, ApprovalDecided, ApprovalDecision, ApprovalEnding, ApprovalKind, ApprovalSeverity,
    ExecApproval, ExecApprovalDetails, MAX_APPROVAL_DESCRIPTION, MAX_APPROVAL_TITLE, PendingApproval,
    PluginApproval, PluginApprovalDetails,
};
use homard_protocol::session_words::ExecHost;
use homard_relay::DomainEvent;
use homard_runtime::{Clip, brief, visible};
use homard_tools::{ApprovalOutcome, ApprovalRequest, Question};

use crate::gateway::Gateway;

/// The tool whose questions are command approvals.
pub(crate) const EXEC: &str = "exec";
/// Characters of a command in its preview.
const PREVIEW_CHARS: usize = 160;
/// Who may decide, and so who hears of it.
pub(crate) const DECIDERS: Guard = ExecApprovalRequestedEvent::GUARD;

/// Which family a question belongs to.
pub(crate) fn kind(question: &Question) -> ApprovalKind {
    if question.request.tool == EXEC { ApprovalKind::Exec } else { ApprovalKind::Plugin }
}

/// Tells clients about every question from now on.
pub(crate) fn announce(gateway: &Arc<Gateway>) {
    let told = Arc::downgrade(gateway);
    gateway.relay().events().subscribe(move |event| match event {
        DomainEvent::ApprovalAsked(question) | DomainEvent::ApprovalEnded(question) => {
            if let Some(gateway) = told.upgrade() {
                tell(&gateway, question);
            }
        }
        _ => {}
    });
}

fn tell(gateway: &Gateway, question: &Question) {
    let bus = gateway.bus();
    match (kind(question), question.outcome) {
        (ApprovalKind::Exec, None) => bus.publish(&ExecApprovalRequestedEvent(exec(question))),
        (ApprovalKind::Plugin, None) => bus.publish(&PluginApprovalRequestedEvent(plugin(question))),
        (ApprovalKind::Exec, Some(outcome)) => {
            let request = exec_details(&question.request);
            bus.publish(&ExecApprovalResolvedEvent(end(gateway, question, outcome, request)));
        }
        (ApprovalKind::Plugin, Some(outcome)) => {
            let request = plugin_details(&question.request);
            bus.publish(&PluginApprovalResolvedEvent(end(gateway, question, outcome, request)));
        }
    }
    if let Some(run) = &question.request.run_id {
        gateway.relay().turns().tell_approval(run, step(question));
    }
    if question.outcome.is_some() {
        gateway.approval_log().note(question, gateway.clock().now_ms());
    }
    trace(gateway, question);
}

fn trace(gateway: &Gateway, question: &Question) {
    let (id, tool) = (&question.id, &question.request.tool);
    match question.outcome {
        None if gateway.connections().clients.someone_hears(DECIDERS, None) => {
            tracing::info!(%id, %tool, "waiting for approval");
        }
        None => tracing::warn!(
            %id, %tool,
            "waiting for approval, and nobody who may approve is connected; open the page, run `homard approvals watch`, or answer where the owner is asked on a chat platform"
        ),
        Some(outcome) => {
            let by = question.answered_by.as_deref().unwrap_or("nobody");
            tracing::info!(%id, %tool, by, ?outcome, "approval request ended");
        }
    }
}

fn end<D>(gateway: &Gateway, question: &Question, outcome: ApprovalOutcome, request: D) -> ApprovalEnd<D> {
    ApprovalEnd {
        approval_kind: kind(question),
        id: question.id.clone(),
        // Silence is no.
        decision: decision(outcome).unwrap_or(ApprovalDecision::Deny),
        resolved_by: question.answered_by.clone(),
        ts: gateway.clock().now_ms(),
        terminal_reason: terminal_reason(outcome),
        request,
    }
}

/// What those who watch the run are told. They may lack the right to see what is asked, so it is not in here.
fn step(question: &Question) -> ApprovalPhase {
    let status = match question.outcome {
        None => ApprovalStatus::Pending,
        Some(ApprovalOutcome::Said(ApprovalDecision::AllowOnce | ApprovalDecision::AllowAlways)) => {
            ApprovalStatus::Approved
        }
        Some(ApprovalOutcome::Said(ApprovalDecision::Deny)) => ApprovalStatus::Denied,
        Some(ApprovalOutcome::Expired) => ApprovalStatus::Expired,
        Some(ApprovalOutcome::NoRoute) => ApprovalStatus::Unavailable,
        Some(ApprovalOutcome::Withdrawn) => ApprovalStatus::Cancelled,
    };
    let waits = status == ApprovalStatus::Pending;
    ApprovalPhase {
        phase: if waits { ApprovalStage::Requested } else { ApprovalStage::Resolved },
        status,
        kind: kind(question),
        title: question.request.tool.clone(),
        approval_id: question.id.clone(),
        approval_slug: slug(&question.id),
        tool_call_id: question.request.call_id.clone(),
    }
}

fn slug(id: &str) -> String {
    id.clip_chars(APPROVAL_SLUG_CHARS).to_owned()
}

/// What was said, if anything was.
fn decision(outcome: ApprovalOutcome) -> Option<ApprovalDecision> {
    match outcome {
        ApprovalOutcome::Said(decision) => Some(decision),
        ApprovalOutcome::Expired | ApprovalOutcome::NoRoute | ApprovalOutcome::Withdrawn => None,
    }
}

fn terminal_reason(outcome: ApprovalOutcome) -> ApprovalEnding {
    match outcome {
        ApprovalOutcome::Said(_) => ApprovalEnding::User,
        ApprovalOutcome::Expired => ApprovalEnding::Timeout,
        ApprovalOutcome::NoRoute => ApprovalEnding::NoRoute,
        ApprovalOutcome::Withdrawn => ApprovalEnding::Cancelled,
    }
}

/// The end of a question, for whoever waited.
pub(crate) fn decided(question: &Question, outcome: ApprovalOutcome) -> ApprovalDecided {
    ApprovalDecided {
        id: question.id.clone(),
        decision: decision(outcome),
        created_at_ms: question.created_at,
        expires_at_ms: question.expires_at,
        terminal_reason: Some(terminal_reason(outcome)),
    }
}

/// A command that waits.
pub(crate) fn exec(question: &Question) -> ExecApproval {
    pending(question, exec_details(&question.request))
}

/// Another tool that waits.
pub(crate) fn plugin(question: &Question) -> PluginApproval {
    pending(question, plugin_details(&question.request))
}

fn pending<D>(question: &Question, request: D) -> PendingApproval<D> {
    PendingApproval {
        approval_kind: kind(question),
        id: question.id.clone(),
        request,
        created_at_ms: question.created_at,
        expires_at_ms: question.expires_at,
    }
}

fn exec_details(asked: &ApprovalRequest) -> ExecApprovalDetails {
    let command = visible(&asked.action);
    let reasons = reasons(asked);
    ExecApprovalDetails {
        command_preview: Some(brief(&command, PREVIEW_CHARS)),
        command,
        cwd: asked.cwd.as_deref().map(visible),
        host: if asked.terms.on_node { ExecHost::Node } else { ExecHost::Gateway },
        security: asked.terms.security.clone(),
        ask: asked.terms.ask.clone(),
        warning_text: (!reasons.is_empty()).then(|| reasons.join("\n")),
        reasons,
        allowed_decisions: allowed(asked),
        agent_id: agent(asked),
        resolved_path: asked.resolved_path.as_deref().map(visible),
        session_key: asked.session_key.clone(),
        run_id: asked.run_id.clone(),
        tool_call_id: asked.call_id.clone(),
    }
}

fn plugin_details(asked: &ApprovalRequest) -> PluginApprovalDetails {
    let action = visible(&asked.action);
    let reasons = reasons(asked);
    // Why it is asked must not fall victim to the length of what is asked.
    let why = brief(&reasons.join("; "), MAX_APPROVAL_DESCRIPTION / 2);
    let room = MAX_APPROVAL_DESCRIPTION.saturating_sub(why.chars().count() + 1);
    let what = brief(&action, room);
    PluginApprovalDetails {
        title: brief(&format!("{}: {action}", visible(&asked.tool)), MAX_APPROVAL_TITLE),
        description: format!("{what}\n{why}").trim().to_owned(),
        detail: (what != action).then_some(action),
        severity: ApprovalSeverity::Warning,
        tool_name: Some(visible(&asked.tool)),
        tool_call_id: asked.call_id.clone(),
        reasons,
        allowed_decisions: allowed(asked),
        agent_id: agent(asked),
        session_key: asked.session_key.clone(),
        run_id: asked.run_id.clone(),
    }
}

fn reasons(asked: &ApprovalRequest) -> Vec<String> {
    asked.reasons.iter().map(|reason| visible(reason)).collect()
}

fn allowed(asked: &ApprovalRequest) -> Vec<ApprovalDecision> {
    let always = asked.can_always.then_some(ApprovalDecision::AllowAlways);
    std::iter::once(ApprovalDecision::AllowOnce).chain(always).chain([ApprovalDecision::Deny]).collect()
}

fn agent(asked: &ApprovalRequest) -> Option<AgentId> {
    asked.session_key.as_ref().and_then(|key| key.agent_id()).cloned()
}

#[cfg(test)]
mod tests;
