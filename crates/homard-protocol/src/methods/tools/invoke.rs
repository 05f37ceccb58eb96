//! `tools.invoke`: one tool, called by a program instead of a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_ref::SessionRef;
use crate::word::words;

/// `tools.invoke`: calls one tool under the policy of a conversation. A tool that fails is an answer, not an error.
#[derive(Debug)]
pub struct ToolsInvoke;

impl Method for ToolsInvoke {
    const NAME: &'static str = "tools.invoke";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = ToolsInvokeParams;
    type Result = ToolsInvokeResult;
}

/// Parameters of [`ToolsInvoke`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolsInvokeParams {
    pub name: String,
    pub args: Option<Map<String, Value>>,
    /// In which conversation; the agent's main one when left out.
    pub session_key: Option<SessionRef>,
    /// Whose, when the conversation does not say.
    pub agent_id: Option<AgentId>,
    /// Ask people for approval where it is needed, and wait for their answer; otherwise the need is only told.
    pub confirm: Option<bool>,
    /// Names the call, so that repeating it does not do it twice.
    pub idempotency_key: Option<String>,
    /// Who reads what comes back, for tools that read conversations.
    pub conversation_read_origin: Option<ReadOrigin>,
}

/// Who reads what a tool brings back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadOrigin {
    /// The operator who calls.
    DirectOperator,
}

/// Answer to [`ToolsInvoke`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsInvokeResult {
    /// Whether the tool did what was asked.
    pub ok: bool,
    /// Which tool, by its own name.
    pub tool_name: String,
    /// What it answered: `content` and `details`.
    pub output: Option<Value>,
    /// Where the tool comes from: `core`.
    pub source: Option<String>,
    /// Whether somebody would have to agree first.
    pub requires_approval: Option<bool>,
    /// Why it did not.
    pub error: Option<ToolFailure>,
}

words! {
    /// Why a tool did not do what was asked, for programs.
    ToolFailureCode {
        NotFound = "not_found",
        RequiresApproval = "requires_approval",
        ToolError = "tool_error",
        Timeout = "timeout",
    }
}

/// Why a tool did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolFailure {
    pub code: ToolFailureCode,
    pub message: String,
}
