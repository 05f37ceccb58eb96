//! `approval.get`, `.resolve` and `.history`: questions of every family in one shape, as newer clients ask for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::{ApprovalDecision, ApprovalKind, ApprovalReviewer, ApprovalSeverity};
use crate::id::{AgentId, ApprovalId};
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_words::ExecHost;
use crate::word::{Word, words};

/// Questions in one answer of [`ApprovalHistory`] unless the caller says otherwise.
pub const DEFAULT_APPROVAL_HISTORY: u32 = 50;
/// Most questions in one answer of [`ApprovalHistory`].
pub const MAX_APPROVAL_HISTORY: u32 = 100;

/// `approval.get`: one question, that waits or has ended.
#[derive(Debug)]
pub struct ApprovalGet;

impl Method for ApprovalGet {
    const NAME: &'static str = "approval.get";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = super::ApprovalIdParams;
    type Result = ApprovalGetResult;
}

/// Answer of [`ApprovalGet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalGetResult {
    pub approval: ApprovalSnapshot,
}

/// `approval.resolve`: a person's answer; the first one counts, and whoever comes later is told what it was.
#[derive(Debug)]
pub struct ApprovalResolve;

impl Method for ApprovalResolve {
    const NAME: &'static str = "approval.resolve";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = ApprovalAnswerParams;
    type Result = ApprovalAnswered;
}

/// Parameters of [`ApprovalResolve`].
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalAnswerParams {
    pub id: ApprovalId,
    /// The family; one that is not known here has no questions.
    pub kind: Word<ApprovalKind>,
    pub decision: ApprovalDecision,
    /// For whom the client answers.
    pub reviewer: Option<ApprovalReviewer>,
    /// Taken without effect: answers given once are not kept.
    pub grant_expires_in_days: Option<u32>,
}

/// Answer of [`ApprovalResolve`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalAnswered {
    /// Whether this answer is the one that counts.
    pub applied: bool,
    pub approval: ApprovalSnapshot,
}

/// `approval.history`: questions that have ended since the gateway started, the latest first.
#[derive(Debug)]
pub struct ApprovalHistory;

impl Method for ApprovalHistory {
    const NAME: &'static str = "approval.history";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = ApprovalHistoryParams;
    type Result = ApprovalHistoryResult;
}

/// Parameters of [`ApprovalHistory`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ApprovalHistoryParams {
    /// Where an earlier answer ended.
    pub cursor: Option<ApprovalId>,
    pub limit: Option<u32>,
    pub kind: Option<Word<ApprovalKind>>,
}

/// Answer of [`ApprovalHistory`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalHistoryResult {
    pub items: Vec<ApprovalSnapshot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<ApprovalId>,
}

words! {
    /// How a question stands, as one shape for all families has it.
    ApprovalState {
        Pending = "pending",
        Allowed = "allowed",
        Denied = "denied",
        Expired = "expired",
        Cancelled = "cancelled",
    }
}

words! {
    /// Why a question ended.
    ApprovalReason {
        User = "user",
        Timeout = "timeout",
        /// Nobody could be asked.
        NoRoute = "no-route",
        RunAborted = "run-aborted",
    }
}

/// A question, safe to be shown to those who decide.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalSnapshot {
    pub id: ApprovalId,
    /// Where it has a page of its own, below the Control UI.
    pub url_path: String,
    pub created_at_ms: i64,
    pub expires_at_ms: i64,
    pub presentation: ApprovalPresentation,
    pub status: ApprovalState,
    /// What was said, if anything was.
    pub decision: Option<ApprovalDecision>,
    pub reason: Option<ApprovalReason>,
    pub resolved_at_ms: Option<i64>,
    /// Where it came from; of those that ended.
    pub source: Option<ApprovalSource>,
    /// Where it came from; of those that wait.
    pub source_session_key: Option<SessionKey>,
}

/// Whose question it was.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalSource {
    pub agent_id: Option<AgentId>,
    pub session_key: Option<SessionKey>,
}

/// What is asked, by family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum ApprovalPresentation {
    Exec {
        command_text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command_preview: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warning_text: Option<String>,
        host: ExecHost,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_id: Option<AgentId>,
        allowed_decisions: Vec<ApprovalDecision>,
    },
    Plugin {
        title: String,
        description: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        severity: ApprovalSeverity,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_id: Option<AgentId>,
        allowed_decisions: Vec<ApprovalDecision>,
    },
}

/// `exec.approval.grants.list`: leave that jobs were given to run a command again and again; there is no such leave.
#[derive(Debug)]
pub struct ExecApprovalGrantsList;

impl Method for ExecApprovalGrantsList {
    const NAME: &'static str = "exec.approval.grants.list";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    const EMPTY: bool = true;
    type Params = GrantsParams;
    type Result = GrantsResult;
}

/// Parameters of [`ExecApprovalGrantsList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GrantsParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Answer of [`ExecApprovalGrantsList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct GrantsResult {
    pub grants: Vec<Value>,
}
