//! `exec.approvals.*`: the owner's file of command rules, over the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::session_words::{ExecAsk, ExecSecurity};

/// `exec.approvals.get`.
#[derive(Debug)]
pub struct ExecApprovalsGet;

impl Method for ExecApprovalsGet {
    const NAME: &'static str = "exec.approvals.get";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = NoParams;
    type Result = ExecApprovalsSnapshot;
}

/// `exec.approvals.set`.
#[derive(Debug)]
pub struct ExecApprovalsSet;

impl Method for ExecApprovalsSet {
    const NAME: &'static str = "exec.approvals.set";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = ExecApprovalsSetParams;
    type Result = ExecApprovalsSnapshot;
}

/// The whole file, and which one it replaces.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecApprovalsSetParams {
    /// The new content; a socket's token that is left out is kept.
    pub file: Value,
    /// The `hash` that was read; needed when there is a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub base_hash: Option<String>,
}

/// The file as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecApprovalsSnapshot {
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// Its content, without the socket's token.
    pub file: Value,
    /// SHA-256 of its text; to be sent back as `baseHash`.
    pub hash: String,
    /// What it means for agents it does not name.
    pub resolved_defaults: ExecApprovalsDefaults,
}

/// Rules in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecApprovalsDefaults {
    pub security: ExecSecurity,
    pub ask: ExecAsk,
    /// What happens when nobody answers.
    pub ask_fallback: ExecSecurity,
    /// Whether programs of skills may run.
    pub auto_allow_skills: bool,
}
