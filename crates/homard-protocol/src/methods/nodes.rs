//! `node.list`, `node.describe` and `node.pair.list`: machines that offer commands.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// `node.list`.
#[derive(Debug)]
pub struct NodeList;

impl Method for NodeList {
    const NAME: &'static str = "node.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = NodeListResult;
}

/// Answer of [`NodeList`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NodeListResult {
    /// When.
    pub ts: i64,
    /// Those that are connected first, then those that were.
    pub nodes: Vec<Node>,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Its device.
    pub node_id: String,
    /// What its owner calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// For example `linux`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Of its program; only while it is connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// For example `iPhone`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_family: Option<String>,
    /// For example `iPhone17,1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_identifier: Option<String>,
    /// Where it is, or was when it was paired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_ip: Option<String>,
    /// Kinds of commands that may be used; none yet.
    pub caps: Vec<String>,
    /// Commands that may be used; none yet.
    pub commands: Vec<String>,
    /// What its owner lets it do; nothing yet.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub permissions: BTreeMap<String, bool>,
    /// Whether it may connect.
    pub paired: bool,
    /// Whether it is connected.
    pub connected: bool,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected_at_ms: Option<i64>,
    /// When it was last connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen_at_ms: Option<i64>,
}

/// `node.describe`.
#[derive(Debug)]
pub struct NodeDescribe;

impl Method for NodeDescribe {
    const NAME: &'static str = "node.describe";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NodeDescribeParams;
    type Result = NodeDescribeResult;
}

/// Parameters of [`NodeDescribe`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeDescribeParams {
    /// Which.
    pub node_id: String,
}

/// Answer of [`NodeDescribe`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NodeDescribeResult {
    /// When.
    pub ts: i64,
    /// The node.
    #[serde(flatten)]
    pub node: Node,
}

/// `node.pair.list`: commands that nodes would like to offer, and those they may.
#[derive(Debug)]
pub struct NodePairList;

impl Method for NodePairList {
    const NAME: &'static str = "node.pair.list";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = NoParams;
    type Result = NodePairListResult;
}

/// Answer of [`NodePairList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct NodePairListResult {
    /// What waits for the owner.
    pub pending: Vec<Value>,
    /// What the owner said yes to.
    pub paired: Vec<Value>,
}
