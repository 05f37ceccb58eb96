//! `node.list`, `node.describe`, `node.rename` and `node.pair.*`: machines that offer commands, and what of it the
//! owner said yes to.

pub mod exec_policy;
pub mod invoke;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::{DeviceId, padded};
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// Longest name an owner may give a node, in characters.
pub const MAX_NODE_NAME: usize = 64;

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
#[serde(rename_all = "camelCase")]
pub struct NodeListResult {
    pub ts: i64,
    /// The one that was used last, of those that say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_node_id: Option<DeviceId>,
    /// Those that are connected first, then those that were.
    pub nodes: Vec<Node>,
}

/// What the owner said about what a node offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodeApproval {
    Approved,
    /// Nothing yet, and is asked.
    PendingApproval,
    /// Yes to less than it offers now, and is asked.
    PendingReapproval,
    /// Nothing, and is not asked: it was turned away, or has not connected since.
    Unapproved,
}

/// One node.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    pub node_id: DeviceId,
    /// What its owner calls it, or it itself.
    pub display_name: Option<String>,
    pub platform: Option<String>,
    /// Of its program; only while it is connected.
    pub version: Option<String>,
    pub client_id: Option<String>,
    /// In which manner it connects.
    pub client_mode: Option<String>,
    pub device_family: Option<String>,
    pub model_identifier: Option<String>,
    /// Where it is, or was when it was paired.
    pub remote_ip: Option<String>,
    /// Kinds of commands that may be used.
    pub caps: Vec<String>,
    /// Commands that may be used: offered, approved and allowed by the gateway's lists.
    pub commands: Vec<String>,
    /// What its operating system lets it do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub permissions: BTreeMap<String, bool>,
    /// Its PATH; only while it is connected.
    pub path_env: Option<String>,
    /// Whether it may connect.
    pub paired: bool,
    /// Whether it is connected.
    pub connected: bool,
    /// What the owner said about its commands.
    pub approval_state: NodeApproval,
    /// The question that waits, for [`NodePairApprove`].
    pub pending_request_id: Option<String>,
    /// What that question is about: kinds of commands.
    pub pending_declared_caps: Option<Vec<String>>,
    /// What that question is about: commands.
    pub pending_declared_commands: Option<Vec<String>>,
    /// What that question is about: permissions.
    pub pending_declared_permissions: Option<BTreeMap<String, bool>>,
    /// When its commands were approved.
    pub approved_at_ms: Option<i64>,
    /// Since when it is connected.
    pub connected_at_ms: Option<i64>,
    /// When it last connected.
    pub last_connected_at_ms: Option<i64>,
    /// When it was last heard of.
    pub last_seen_at_ms: Option<i64>,
    /// How: `connect`, or why it woke.
    pub last_seen_reason: Option<String>,
    /// What its machine last said of itself: processors, memory, disk.
    pub host_stats: Option<Value>,
    /// Whether it is the one that was used last.
    pub active: Option<bool>,
    /// When a person last used it.
    pub last_active_at_ms: Option<i64>,
    /// When it last said so.
    pub presence_updated_at_ms: Option<i64>,
}

/// `node.describe`.
#[derive(Debug)]
pub struct NodeDescribe;

impl Method for NodeDescribe {
    const NAME: &'static str = "node.describe";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NodeParams;
    type Result = NodeDescribeResult;
}

/// Which node is meant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeParams {
    #[serde(deserialize_with = "named")]
    pub node_id: DeviceId,
}

/// Reads which node a client means.
fn named<'de, D: Deserializer<'de>>(from: D) -> Result<DeviceId, D::Error> {
    padded(from)?.ok_or_else(|| D::Error::custom("nodeId required"))
}

/// Answer of [`NodeDescribe`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NodeDescribeResult {
    pub ts: i64,
    #[serde(flatten)]
    pub node: Node,
}

/// `node.rename`: what its owner calls a node.
#[derive(Debug)]
pub struct NodeRename;

impl Method for NodeRename {
    const NAME: &'static str = "node.rename";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = NodeName;
    type Result = NodeName;
}

/// Parameters and answer of [`NodeRename`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeName {
    #[serde(deserialize_with = "named")]
    pub node_id: DeviceId,
    pub display_name: String,
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
    pub pending: Vec<PendingNodeRow>,
    /// What the owner said yes to.
    pub paired: Vec<PairedNodeRow>,
}

/// A node asks to offer commands.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingNodeRow {
    pub request_id: String,
    pub node_id: DeviceId,
    /// What its owner calls it, or it itself.
    pub display_name: Option<String>,
    pub platform: Option<String>,
    pub version: Option<String>,
    pub device_family: Option<String>,
    pub caps: Vec<String>,
    /// Commands, as far as the gateway's lists would let them be used.
    pub commands: Vec<String>,
    /// What its operating system lets it do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub permissions: BTreeMap<String, bool>,
    /// Where it connects from.
    pub remote_ip: Option<String>,
    /// Whether its device was let in without a question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
    /// The scopes somebody needs to say yes.
    pub required_approve_scopes: Vec<String>,
    /// Since when it waits.
    pub ts: i64,
}

/// A node that may offer commands.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairedNodeRow {
    pub node_id: DeviceId,
    /// What its owner calls it, or it itself.
    pub display_name: Option<String>,
    pub platform: Option<String>,
    pub device_family: Option<String>,
    /// Kinds of commands that were approved.
    pub caps: Vec<String>,
    /// Commands that were approved.
    pub commands: Vec<String>,
    /// Permissions that were approved.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub permissions: BTreeMap<String, bool>,
    /// Where it was when it was paired.
    pub remote_ip: Option<String>,
    /// When it was paired.
    pub created_at_ms: i64,
    /// When its commands were approved.
    pub approved_at_ms: Option<i64>,
    /// When it last connected.
    pub last_connected_at_ms: Option<i64>,
}

/// Which question is meant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeRequestParams {
    pub request_id: String,
}

/// `node.pair.approve`: a node may offer what it asked for. Needs more scopes for some commands; the handler knows
/// which, because the question does.
#[derive(Debug)]
pub struct NodePairApprove;

impl Method for NodePairApprove {
    const NAME: &'static str = "node.pair.approve";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = NodeRequestParams;
    type Result = NodePairApproved;
}

/// Answer of [`NodePairApprove`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePairApproved {
    pub request_id: String,
    pub node: PairedNodeRow,
}

/// `node.pair.reject`: it may not.
#[derive(Debug)]
pub struct NodePairReject;

impl Method for NodePairReject {
    const NAME: &'static str = "node.pair.reject";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = NodeRequestParams;
    type Result = NodePairRejected;
}

/// Answer of [`NodePairReject`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePairRejected {
    pub request_id: String,
    pub node_id: DeviceId,
}

/// `node.pair.remove`: a device is no node any more.
#[derive(Debug)]
pub struct NodePairRemove;

impl Method for NodePairRemove {
    const NAME: &'static str = "node.pair.remove";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = NodeParams;
    type Result = NodeParams;
}
