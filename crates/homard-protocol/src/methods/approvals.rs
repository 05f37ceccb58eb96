//! `exec.approval.*` and `plugin.approval.*`: a person is asked before something is done.
//!
//! Commands are asked about as `exec` approvals, other tools as `plugin` approvals: that is how clients that exist
//! know them.

pub mod exec_policy;
pub mod unified;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use crate::id::{AgentId, ApprovalId, DeviceId, RunId, ToolCallId};
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::session_words::{ExecAsk, ExecHost};
use crate::word::{Word, words};

/// The longest a request of another program may wait, in milliseconds.
pub const MAX_APPROVAL_WAIT_MS: u64 = 600_000;
/// So many characters of an id are enough to name an approval, if no other begins with them.
pub const APPROVAL_SLUG_CHARS: usize = 8;
/// Most characters of a title.
pub const MAX_APPROVAL_TITLE: usize = 80;
/// Most characters of a description.
pub const MAX_APPROVAL_DESCRIPTION: usize = 512;

/// What a person may say. Older spellings are read as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalDecision {
    #[serde(alias = "allow", alias = "allow_once")]
    AllowOnce,
    /// This, and its like from now on.
    #[serde(alias = "always_allow", alias = "allow_always", alias = "always-allow")]
    AllowAlways,
    Deny,
}

impl ApprovalDecision {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AllowOnce => "allow-once",
            Self::AllowAlways => "allow-always",
            Self::Deny => "deny",
        }
    }

    /// What a person's word means.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "allow-once" | "once" | "allow" | "yes" => Some(Self::AllowOnce),
            "allow-always" | "always" => Some(Self::AllowAlways),
            "deny" | "no" | "reject" => Some(Self::Deny),
            _ => None,
        }
    }
}

words! {
    /// The two families of questions clients know.
    ApprovalKind {
        Exec = "exec",
        Plugin = "plugin",
    }
}

words! {
    /// Why nobody waits for an answer any more.
    ApprovalEnding {
        User = "user",
        Timeout = "timeout",
        /// Nobody could be asked.
        NoRoute = "no-route",
        Cancelled = "cancelled",
    }
}

words! {
    /// How much is at stake.
    #[derive(Default)]
    ApprovalSeverity {
        Info = "info",
        #[default]
        Warning = "warning",
        Critical = "critical",
    }
}

words! {
    /// The first of two answers says no more than this.
    ApprovalReceipt {
        Accepted = "accepted",
    }
}

words! {
    /// Who hears of a question.
    ApprovalRoute {
        /// Somebody who may decide is connected.
        ApprovalClient = "approval-client",
        None = "none",
    }
}

/// What a command approval is about.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecApprovalDetails {
    pub command: String,
    /// Its beginning, on one line.
    pub command_preview: Option<String>,
    /// Where it would run.
    pub cwd: Option<String>,
    pub host: ExecHost,
    /// The security mode it is under.
    pub security: Option<String>,
    /// When such commands are asked about.
    pub ask: Option<String>,
    /// Why the person is asked, one reason a line.
    pub warning_text: Option<String>,
    /// The same as a list: the rule, and whose words are in play. Homard's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What may be said.
    pub allowed_decisions: Vec<ApprovalDecision>,
    pub agent_id: Option<AgentId>,
    /// The program that would start.
    pub resolved_path: Option<String>,
    pub session_key: Option<SessionKey>,
    pub run_id: Option<RunId>,
    pub tool_call_id: Option<ToolCallId>,
}

/// What an approval of any other tool is about.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PluginApprovalDetails {
    /// What is asked, in a line.
    pub title: String,
    /// What would be done, and why it is asked about.
    pub description: String,
    /// What would be done, whole, where the description had to leave some of it out.
    pub detail: Option<String>,
    pub severity: ApprovalSeverity,
    pub tool_name: Option<String>,
    pub tool_call_id: Option<ToolCallId>,
    /// Why the person is asked. Homard's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What may be said.
    pub allowed_decisions: Vec<ApprovalDecision>,
    pub agent_id: Option<AgentId>,
    pub session_key: Option<SessionKey>,
    pub run_id: Option<RunId>,
}

/// An approval that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingApproval<D> {
    pub approval_kind: ApprovalKind,
    pub id: ApprovalId,
    /// What it is about.
    pub request: D,
    pub created_at_ms: i64,
    pub expires_at_ms: i64,
}

/// A command that waits for an answer.
pub type ExecApproval = PendingApproval<ExecApprovalDetails>;
/// Another tool that waits for an answer.
pub type PluginApproval = PendingApproval<PluginApprovalDetails>;

/// `exec.approval.list`: the commands that wait, oldest first.
#[derive(Debug)]
pub struct ExecApprovalList;

impl Method for ExecApprovalList {
    const NAME: &'static str = "exec.approval.list";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = NoParams;
    type Result = Vec<ExecApproval>;
}

/// Names one approval: its id, or enough of its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalIdParams {
    pub id: ApprovalId,
}

/// `exec.approval.get`.
#[derive(Debug)]
pub struct ExecApprovalGet;

impl Method for ExecApprovalGet {
    const NAME: &'static str = "exec.approval.get";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = ApprovalIdParams;
    type Result = ExecApprovalGetResult;
}

/// Answer of [`ExecApprovalGet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecApprovalGetResult {
    pub id: ApprovalId,
    pub command_text: String,
    /// Its beginning, on one line.
    pub command_preview: Option<String>,
    /// What may be said.
    pub allowed_decisions: Vec<ApprovalDecision>,
    /// On what it would run.
    pub host: Option<ExecHost>,
    /// Always `null`: a node asks about its own commands itself.
    pub node_id: Option<DeviceId>,
    pub agent_id: Option<AgentId>,
    pub expires_at_ms: i64,
    /// Why the person is asked. Homard's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// `exec.approval.request`: another program of the owner's asks, and waits for the answer.
#[derive(Debug)]
pub struct ExecApprovalRequest;

impl Method for ExecApprovalRequest {
    const NAME: &'static str = "exec.approval.request";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = ExecApprovalRequestParams;
    type Result = ApprovalDecided;
}

/// Parameters of [`ExecApprovalRequest`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecApprovalRequestParams {
    /// A name of the requester's own.
    pub id: Option<String>,
    pub command: Option<String>,
    /// The same in words, where there is no line.
    pub command_argv: Option<Vec<String>>,
    /// Variables the command would get; their names are shown.
    pub env: Option<Map<String, Value>>,
    /// Where it would run.
    pub cwd: Option<String>,
    /// On what it would run.
    pub host: Option<Word<ExecHost>>,
    /// The security mode it is under.
    pub security: Option<String>,
    /// When such commands are asked about.
    pub ask: Option<Word<ExecAsk>>,
    /// Why it is asked about.
    pub warning_text: Option<String>,
    /// What may not be said.
    pub unavailable_decisions: Option<Vec<ApprovalDecision>>,
    /// The program that would start.
    pub resolved_path: Option<String>,
    /// The conversation it is for.
    pub session_key: Option<SessionRef>,
    /// The turn it is for.
    pub run_id: Option<RunId>,
    /// The call it is for.
    pub tool_call_id: Option<ToolCallId>,
    /// Give up at once when nobody who may decide is connected.
    pub require_delivery_route: Option<bool>,
    /// How long to wait; at most [`MAX_APPROVAL_WAIT_MS`].
    pub timeout_ms: Option<u64>,
    /// Answer twice: accepted, decided.
    pub two_phase: Option<bool>,
    /// What else clients send; the gateway says which of it is known.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The first of two answers of [`ExecApprovalRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAccepted {
    pub status: ApprovalReceipt,
    pub id: ApprovalId,
    pub delivery_route: ApprovalRoute,
    pub created_at_ms: i64,
    pub expires_at_ms: i64,
}

/// How an approval ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalDecided {
    pub id: ApprovalId,
    /// What was said; `null` when nobody answered, which counts as no.
    pub decision: Option<ApprovalDecision>,
    /// Since when it waited.
    pub created_at_ms: i64,
    /// Until when it would have.
    pub expires_at_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal_reason: Option<ApprovalEnding>,
}

/// `exec.approval.waitDecision`: waits for the end of an approval somebody else asked for.
#[derive(Debug)]
pub struct ExecApprovalWaitDecision;

impl Method for ExecApprovalWaitDecision {
    const NAME: &'static str = "exec.approval.waitDecision";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = ApprovalIdParams;
    type Result = ApprovalDecided;
}

/// `exec.approval.resolve`: a person's answer.
#[derive(Debug)]
pub struct ExecApprovalResolve;

impl Method for ExecApprovalResolve {
    const NAME: &'static str = "exec.approval.resolve";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = ApprovalResolveParams;
    type Result = ApprovalResolved;
}

/// Parameters of [`ExecApprovalResolve`] and [`PluginApprovalResolve`].
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalResolveParams {
    /// The id, or enough of its beginning.
    pub id: ApprovalId,
    pub decision: ApprovalDecision,
    /// For whom the client answers.
    pub reviewer: Option<ApprovalReviewer>,
    /// Taken without effect: answers given once are not kept.
    pub grant_expires_in_days: Option<u32>,
}

/// A person who answered on a chat platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalReviewer {
    pub channel: String,
    pub account_id: String,
    pub sender_id: String,
}

/// Answer of [`ExecApprovalResolve`] and [`PluginApprovalResolve`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalResolved {
    pub ok: bool,
}

/// `plugin.approval.list`: the other tools that wait, oldest first.
#[derive(Debug)]
pub struct PluginApprovalList;

impl Method for PluginApprovalList {
    const NAME: &'static str = "plugin.approval.list";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = NoParams;
    type Result = Vec<PluginApproval>;
}

/// `plugin.approval.resolve`: a person's answer.
#[derive(Debug)]
pub struct PluginApprovalResolve;

impl Method for PluginApprovalResolve {
    const NAME: &'static str = "plugin.approval.resolve";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    type Params = ApprovalResolveParams;
    type Result = ApprovalResolved;
}

#[cfg(test)]
mod tests;
