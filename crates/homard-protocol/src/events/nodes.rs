//! Nodes ask, are answered, and say how they are.

use serde::Serialize;
use serde_json::Value;

use crate::event::{Event, Guard};
use crate::id::DeviceId;
use crate::methods::nodes::PendingNodeRow;
use crate::methods::voice::wake_words::WakeWords;
use crate::scope::Scope;

/// The name of the event by which a node is told to run a command.
pub const NODE_INVOKE_REQUEST: &str = "node.invoke.request";
/// The name of the event by which a node is told to stop.
pub const NODE_INVOKE_CANCEL: &str = "node.invoke.cancel";

/// `node.pair.requested`: a node would like to offer commands.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct NodePairRequestedEvent(pub PendingNodeRow);

impl Event for NodePairRequestedEvent {
    const NAME: &'static str = "node.pair.requested";
    const GUARD: Guard = Guard::Operator(Scope::Pairing);

    fn droppable(&self) -> bool {
        true
    }
}

/// What was decided about a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeDecision {
    /// It may offer what it asked for.
    Approved,
    /// It may not, or asks for something else now.
    Rejected,
    /// It is no node any more.
    Removed,
}

/// `node.pair.resolved`: a node waits no more.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePairResolvedEvent {
    /// Which question; empty when a node was removed.
    pub request_id: String,
    pub node_id: DeviceId,
    pub decision: NodeDecision,
    pub ts: i64,
}

impl Event for NodePairResolvedEvent {
    const NAME: &'static str = "node.pair.resolved";
    const GUARD: Guard = Guard::Operator(Scope::Pairing);

    fn droppable(&self) -> bool {
        true
    }
}

/// `node.presence`: when a person last used a node.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePresenceEvent {
    pub node_id: DeviceId,
    /// When a person used it.
    pub last_active_at_ms: Option<i64>,
    /// When it said so.
    pub presence_updated_at_ms: Option<i64>,
    /// Which node was used last.
    pub active_node_id: Option<DeviceId>,
}

impl Event for NodePresenceEvent {
    const NAME: &'static str = "node.presence";
    const GUARD: Guard = Guard::Operator(Scope::Read);

    fn droppable(&self) -> bool {
        true
    }
}

/// `node.hostStats`: how a node's machine is.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeHostStatsEvent {
    pub node_id: DeviceId,
    /// Processors, load, memory, disk, and when.
    pub host_stats: Value,
}

impl Event for NodeHostStatsEvent {
    const NAME: &'static str = "node.hostStats";
    const GUARD: Guard = Guard::Operator(Scope::Read);

    fn droppable(&self) -> bool {
        true
    }
}

/// `voicewake.changed`: other words wake nodes now. Nodes hear it, too.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct VoicewakeChangedEvent(pub WakeWords);

impl Event for VoicewakeChangedEvent {
    const NAME: &'static str = "voicewake.changed";
    const GUARD: Guard = Guard::Operator(Scope::Read);
}
