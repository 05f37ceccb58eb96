//! What the `nodes` tool, and `exec` on a node, ask of the gateway.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::PortError;
use crate::cx::ToolCx;

/// A command for a node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeCall {
    /// Which node, by id, name or address; `None` for the only one that can.
    pub node: Option<String>,
    pub command: String,
    /// What it is given.
    pub params: Value,
    /// How long to wait; `None` for as long as usual.
    pub timeout: Option<Duration>,
}

/// What a node answered.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeAnswer {
    pub node_id: String,
    /// What people call it.
    pub name: String,
    pub payload: Value,
}

/// The machines that offer commands.
pub trait NodesPort: Send + Sync {
    /// Whether any is connected; without one the tool is not offered.
    fn has_any(&self) -> bool;

    /// All nodes, or the one that is meant.
    fn list<'a>(&'a self, node: Option<&'a str>) -> BoxFuture<'a, Result<Value, PortError>>;

    /// Questions about nodes that wait for the owner.
    fn pending(&self) -> BoxFuture<'_, Result<Value, PortError>>;

    /// Answers such a question, after the owner was asked.
    fn decide<'a>(&'a self, request: &'a str, allow: bool) -> BoxFuture<'a, Result<Value, PortError>>;

    /// Has a node run a command. Progress is reported to `cx`; a call that is stopped stops the node.
    fn invoke<'a>(&'a self, cx: &'a ToolCx, call: NodeCall) -> BoxFuture<'a, Result<NodeAnswer, PortError>>;
}
