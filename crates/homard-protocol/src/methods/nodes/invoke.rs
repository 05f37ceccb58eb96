//! `node.invoke*`, `node.event`, `node.pending.*` and `node.pluginSurface.refresh`: commands on their way to a node,
//! and what nodes say.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use super::named;
use crate::id::DeviceId;
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// Longest piece of progress a node may report, in characters.
pub const MAX_PROGRESS_CHUNK: usize = 16_384;
/// Most items `node.pending.drain` hands out at once.
pub const MAX_DRAIN: u32 = 10;
/// The commands only an admin may have a node run.
pub const ADMIN_INVOKES: [&str; 4] =
    ["browser.proxy", "browser.proxy.upload.v1", "fs.listDir", "terminal.upload"];

/// `node.invoke`: has a node run a command and waits for the result.
#[derive(Debug)]
pub struct NodeInvoke;

impl Method for NodeInvoke {
    const NAME: &'static str = "node.invoke";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = NodeInvokeParams;
    type Result = NodeInvoked;

    fn access_for(params: &NodeInvokeParams) -> Access {
        let command = params.command.trim();
        let is_admins = command.starts_with("browser.proxy.") || ADMIN_INVOKES.contains(&command);
        Access::Operator(if is_admins { Scope::Admin } else { Scope::Write })
    }
}

/// Parameters of [`NodeInvoke`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeInvokeParams {
    #[serde(deserialize_with = "named")]
    pub node_id: DeviceId,
    pub command: String,
    /// What the command is given.
    pub params: Option<Value>,
    /// How long to wait, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Repeating a request with the same key runs the command once.
    pub idempotency_key: String,
    /// The conversation it is for.
    pub session_key: Option<String>,
    /// Where the turn came from; taken without effect, as are the next three.
    pub turn_source_channel: Option<String>,
    pub turn_source_to: Option<String>,
    pub turn_source_account_id: Option<String>,
    pub turn_source_thread_id: Option<Value>,
}

/// Answer of [`NodeInvoke`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeInvoked {
    /// Always true; failures are errors.
    pub ok: bool,
    pub node_id: DeviceId,
    pub command: String,
    pub payload: Value,
    /// The same as the node wrote it, if it did as text.
    #[serde(rename = "payloadJSON")]
    pub payload_json: Option<String>,
}

/// `node.invoke.request`: a node is to run a command. Sent to that node only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeInvokeRequest {
    pub id: String,
    pub node_id: DeviceId,
    pub command: String,
    /// What it is given, as JSON text.
    #[serde(rename = "paramsJSON")]
    pub params_json: Option<String>,
    /// How long somebody waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The conversation it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
}

/// `node.invoke.cancel`: nobody waits for the result any more. Sent to that node only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeInvokeCancel {
    pub invoke_id: String,
    pub node_id: DeviceId,
}

/// `node.invoke.result`: a node is done.
#[derive(Debug)]
pub struct NodeInvokeResult;

impl Method for NodeInvokeResult {
    const NAME: &'static str = "node.invoke.result";
    const ACCESS: Access = Access::Node;
    type Params = NodeInvokeResultParams;
    type Result = NodeHeard;
}

/// Parameters of [`NodeInvokeResult`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeInvokeResultParams {
    pub id: String,
    pub node_id: DeviceId,
    /// Whether the command did what it should.
    pub ok: bool,
    /// What came of it.
    pub payload: Option<Value>,
    /// The same as JSON text; counts before `payload`.
    #[serde(rename = "payloadJSON")]
    pub payload_json: Option<String>,
    pub error: Option<NodeError>,
}

/// What went wrong on a node, in its words.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeError {
    pub code: Option<String>,
    pub message: Option<String>,
}

/// Whether what a node said was of use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeHeard {
    /// Always true: the words arrived.
    pub ok: bool,
    /// Nobody waits for it, or it is too late.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored: bool,
}

/// `node.invoke.progress`: a piece of what a command has produced so far.
#[derive(Debug)]
pub struct NodeInvokeProgress;

impl Method for NodeInvokeProgress {
    const NAME: &'static str = "node.invoke.progress";
    const ACCESS: Access = Access::Node;
    type Params = NodeInvokeProgressParams;
    type Result = NodeProgressHeard;
}

/// Parameters of [`NodeInvokeProgress`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeInvokeProgressParams {
    pub invoke_id: String,
    pub node_id: DeviceId,
    /// Which piece, from 0.
    pub seq: u64,
    /// The piece; at most [`MAX_PROGRESS_CHUNK`] characters.
    pub chunk: String,
}

/// Answer of [`NodeInvokeProgress`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeProgressHeard {
    pub ok: bool,
    /// Nobody waits for it.
    pub ignored: bool,
}

/// `node.event`: a node says that something happened.
#[derive(Debug)]
pub struct NodeEvent;

impl Method for NodeEvent {
    const NAME: &'static str = "node.event";
    const ACCESS: Access = Access::Node;
    type Params = NodeEventParams;
    type Result = NodeEventHeard;
}

/// Parameters of [`NodeEvent`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeEventParams {
    pub event: String,
    pub payload: Option<Value>,
    /// The same as JSON text; counts before `payload`.
    #[serde(rename = "payloadJSON", default)]
    pub payload_json: Option<String>,
}

/// Answer of [`NodeEvent`].
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeEventHeard {
    /// Always true: it arrived.
    pub ok: bool,
    pub event: Option<String>,
    /// Whether anything follows from it.
    pub handled: Option<bool>,
    /// What followed, or why nothing does.
    pub reason: Option<String>,
}

/// `node.pluginSurface.refresh`: where a page is that the gateway serves for a node.
#[derive(Debug)]
pub struct NodePluginSurfaceRefresh;

impl Method for NodePluginSurfaceRefresh {
    const NAME: &'static str = "node.pluginSurface.refresh";
    const ACCESS: Access = Access::Node;
    type Params = NodePluginSurfaceParams;
    type Result = NodePluginSurfaceResult;
}

/// Parameters of [`NodePluginSurfaceRefresh`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodePluginSurfaceParams {
    pub surface: String,
}

/// Answer of [`NodePluginSurfaceRefresh`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePluginSurfaceResult {
    pub surface: String,
    pub plugin_surface_urls: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<i64>,
}

/// `node.pending.pull`: what a node could not do in the background and is to do now.
#[derive(Debug)]
pub struct NodePendingPull;

impl Method for NodePendingPull {
    const NAME: &'static str = "node.pending.pull";
    const ACCESS: Access = Access::Node;
    type Params = NoParams;
    type Result = NodePendingActions;
}

/// Answer of [`NodePendingPull`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePendingActions {
    pub node_id: DeviceId,
    pub actions: Vec<NodePendingAction>,
}

/// One command that waits for its node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePendingAction {
    /// Its name, for [`NodePendingAck`].
    pub id: String,
    pub command: String,
    /// What it is given, as JSON text.
    #[serde(rename = "paramsJSON")]
    pub params_json: Option<String>,
    /// Since when it waits.
    pub enqueued_at_ms: i64,
}

/// `node.pending.ack`: a node has taken care of what it pulled.
#[derive(Debug)]
pub struct NodePendingAck;

impl Method for NodePendingAck {
    const NAME: &'static str = "node.pending.ack";
    const ACCESS: Access = Access::Node;
    type Params = NodePendingAckParams;
    type Result = NodePendingAcked;
}

/// Parameters of [`NodePendingAck`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodePendingAckParams {
    /// Which; at least one.
    pub ids: Vec<String>,
}

/// Answer of [`NodePendingAck`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePendingAcked {
    pub node_id: DeviceId,
    pub acked_ids: Vec<String>,
    /// How many still wait.
    pub remaining_count: u64,
}

/// What a sleeping node can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NodeWorkType {
    #[serde(rename = "status.request")]
    StatusRequest,
    #[serde(rename = "location.request")]
    LocationRequest,
}

/// How urgent it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeWorkPriority {
    #[default]
    Normal,
    High,
}

/// `node.pending.enqueue`: something for a node to do when it wakes.
#[derive(Debug)]
pub struct NodePendingEnqueue;

impl Method for NodePendingEnqueue {
    const NAME: &'static str = "node.pending.enqueue";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = NodePendingEnqueueParams;
    type Result = NodePendingEnqueued;
}

/// Parameters of [`NodePendingEnqueue`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodePendingEnqueueParams {
    #[serde(deserialize_with = "named")]
    pub node_id: DeviceId,
    #[serde(rename = "type")]
    pub kind: NodeWorkType,
    /// How urgent it is.
    pub priority: Option<NodeWorkPriority>,
    /// For how long it is of interest.
    pub expires_in_ms: Option<u64>,
    /// Whether to wake the node; there is nothing to wake it with yet.
    pub wake: Option<bool>,
}

/// Answer of [`NodePendingEnqueue`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePendingEnqueued {
    pub node_id: DeviceId,
    /// Grows with every change of its queue.
    pub revision: u64,
    pub queued: NodeWorkItem,
    /// Whether the node was woken.
    pub wake_triggered: bool,
}

/// One thing a sleeping node is to do.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeWorkItem {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: NodeWorkType,
    /// How urgent it is.
    pub priority: NodeWorkPriority,
    /// Since when it waits.
    pub created_at_ms: i64,
    /// Until when it is of interest.
    pub expires_at_ms: Option<i64>,
    pub payload: Option<Map<String, Value>>,
}

/// `node.pending.drain`: a node that woke takes what waits for it.
#[derive(Debug)]
pub struct NodePendingDrain;

impl Method for NodePendingDrain {
    const NAME: &'static str = "node.pending.drain";
    const ACCESS: Access = Access::Node;
    type Params = NodePendingDrainParams;
    type Result = NodePendingDrained;
}

/// Parameters of [`NodePendingDrain`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodePendingDrainParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
}

/// Answer of [`NodePendingDrain`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePendingDrained {
    pub node_id: DeviceId,
    /// Grows with every change of its queue.
    pub revision: u64,
    /// Urgent ones first; they wait no more.
    pub items: Vec<NodeWorkItem>,
    pub has_more: bool,
}

#[cfg(test)]
mod tests;
