//! A person is asked before something is done, and how that ended.

use serde::Serialize;

use crate::event::{Event, Guard};
use crate::id::{ApprovalId, ToolCallId};
use crate::methods::approvals::{
    ApprovalDecision, ApprovalEnding, ApprovalKind, ExecApproval, ExecApprovalDetails, PluginApproval,
    PluginApprovalDetails,
};
use crate::scope::Scope;
use crate::word::words;

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

words! {
    /// Whether a question waits.
    ApprovalStage {
        Requested = "requested",
        Resolved = "resolved",
    }
}

words! {
    /// How a question stands.
    ApprovalStatus {
        Pending = "pending",
        Approved = "approved",
        Denied = "denied",
        Expired = "expired",
        /// Nobody could be asked.
        Unavailable = "unavailable",
        Cancelled = "cancelled",
    }
}

/// A run waits for a person, or no longer does.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "wire struct: the names are the format's own words")]
pub struct ApprovalPhase {
    pub phase: ApprovalStage,
    pub status: ApprovalStatus,
    pub kind: ApprovalKind,
    pub title: String,
    pub approval_id: ApprovalId,
    pub approval_slug: String,
    pub tool_call_id: Option<ToolCallId>,
}

/// How an approval ended.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalEnd<D> {
    pub approval_kind: ApprovalKind,
    pub id: ApprovalId,
    /// What holds: an approval nobody answered is denied.
    pub decision: ApprovalDecision,
    pub resolved_by: Option<String>,
    pub ts: i64,
    pub terminal_reason: ApprovalEnding,
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
