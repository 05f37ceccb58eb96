//! `hooks.status`: what runs on the gateway's own events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;

/// `hooks.status`.
#[derive(Debug)]
pub struct HooksStatus;

impl Method for HooksStatus {
    const NAME: &'static str = "hooks.status";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = HooksStatusParams;
    type Result = HooksStatusResult;
}

/// Parameters of [`HooksStatus`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HooksStatusParams {
    /// Whose workspace is looked into; the default agent's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Answer of [`HooksStatus`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HooksStatusResult {
    pub workspace_dir: String,
    /// Where hooks for all agents are kept.
    pub managed_hooks_dir: String,
    /// Whether any of them run.
    pub enabled: bool,
    /// One object for each, with `name`, `events`, `runs` and why it does not.
    pub hooks: Vec<Value>,
}
