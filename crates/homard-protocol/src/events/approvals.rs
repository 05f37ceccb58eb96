//! A person is asked before something is done, and how that ended.

use serde::Serialize;

use crate::event::{Event, Guard};
use crate::id::ToolCallId;
use crate::methods::approvals::{
    ApprovalDecision, ExecApproval, ExecApprovalDetails, PluginApproval, PluginApprovalDetails,
};
use crate::scope::Scope;

/// `exec.approval.requested`: a command waits for an answer.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct ExecApprovalRequestedEvent(pub ExecApproval);

impl Event for ExecApprovalRequestedEvent {
    const NAME: &'static str = "exec.approval.requested";
    const GUARD: Guard = Guard::Operator(Scope::Approvals);
}

/// `plugin.approval.requested`: another tool waits for an answer.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct PluginApprovalRequestedEvent(pub PluginApproval);

impl Event for PluginApprovalRequestedEvent {
    const NAME: &'static str = "plugin.approval.requested";
    const GUARD: Guard = Guard::Operator(Scope::Approvals);
}

/// A run waits for a person, or no longer does.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "wire struct: the names are the format's own words")]
pub struct ApprovalPhase {
    pub phase: &'static str,
    /// `pending`, `approved`, `denied`, `expired`, `unavailable` or `cancelled`.
    pub status: &'static str,
    pub kind: &'static str,
    pub title: String,
    pub approval_id: String,
    pub approval_slug: String,
    pub tool_call_id: Option<ToolCallId>,
}

/// How an approval ended.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalEnd<D> {
    pub approval_kind: &'static str,
    pub id: String,
    /// What holds: an approval nobody answered is denied.
    pub decision: ApprovalDecision,
    pub resolved_by: Option<String>,
    pub ts: i64,
    /// `user`, `timeout`, `no-route` or `cancelled`.
    pub terminal_reason: &'static str,
    /// What it was about.
    pub request: D,
}

/// `exec.approval.resolved`: a command waits no more.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct ExecApprovalResolvedEvent(pub ApprovalEnd<ExecApprovalDetails>);

impl Event for ExecApprovalResolvedEvent {
    const NAME: &'static str = "exec.approval.resolved";
    const GUARD: Guard = Guard::Operator(Scope::Approvals);
}

/// `plugin.approval.resolved`: another tool waits no more.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct PluginApprovalResolvedEvent(pub ApprovalEnd<PluginApprovalDetails>);

impl Event for PluginApprovalResolvedEvent {
    const NAME: &'static str = "plugin.approval.resolved";
    const GUARD: Guard = Guard::Operator(Scope::Approvals);
}
