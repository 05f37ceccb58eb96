//! `exec.approvals.node.*`: the rules for commands that a node keeps itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::DeviceId;
use crate::method::{Access, Method};
use crate::methods::nodes::{NodeParams, named};
use crate::scope::Scope;

/// `exec.approvals.node.get`.
#[derive(Debug)]
pub struct ExecApprovalsNodeGet;

impl Method for ExecApprovalsNodeGet {
    const NAME: &'static str = "exec.approvals.node.get";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = NodeParams;
    type Result = Value;
}

/// `exec.approvals.node.set`.
#[derive(Debug)]
pub struct ExecApprovalsNodeSet;

impl Method for ExecApprovalsNodeSet {
    const NAME: &'static str = "exec.approvals.node.set";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = ExecApprovalsNodeSetParams;
    type Result = Value;
}

/// Parameters of [`ExecApprovalsNodeSet`]. What a node keeps is its own business, so the rest goes to it as it is.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecApprovalsNodeSetParams {
    #[serde(deserialize_with = "named")]
    pub node_id: DeviceId,
    /// `file`, `baseHash` and whatever else the node takes.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}
