//! `tools.invoke`: one tool, called by a program instead of a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_ref::SessionRef;

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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolsInvokeParams {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Map<String, Value>>,
    /// In which conversation; the agent's main one when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<SessionRef>,
    /// Whose, when the conversation does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// Ask people for approval where it is needed, and wait for their answer; otherwise the need is only told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<bool>,
    /// Names the call, so that repeating it does not do it twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Who reads what comes back, for tools that read conversations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsInvokeResult {
    /// Whether the tool did what was asked.
    pub ok: bool,
    /// Which tool, by its own name.
    pub tool_name: String,
    /// What it answered: `content` and `details`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Where the tool comes from: `core`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether somebody would have to agree first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_approval: Option<bool>,
    /// Why it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolFailure>,
}

/// Why a tool did not do what was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolFailure {
    /// A word for programs: `not_found`, `requires_approval`, `tool_error`, `timeout`.
    pub code: String,
    pub message: String,
}
