//! `node.list`, `node.describe` and `node.rename`.

pub(crate) mod event;
pub(crate) mod exec_policy;
pub(crate) mod invoke;
pub(crate) mod pairing;
pub(crate) mod pending;
pub(crate) mod replays;

use homard_nodes::is_node;
use homard_protocol::method::NoParams;
use homard_protocol::methods::nodes::{
    MAX_NODE_NAME, NodeDescribeResult, NodeListResult, NodeName, NodeParams,
};
use homard_protocol::{DeviceId, ErrorShape};

use crate::error;
use crate::table::Cx;

/// `node.list`.
pub(super) async fn list(cx: Cx, _params: NoParams) -> Result<NodeListResult, ErrorShape> {
    let (nodes, active_node_id) = cx.gateway.nodes().all().await.map_err(|e| error::store(&e))?;
    Ok(NodeListResult { ts: cx.gateway.clock().now_ms(), active_node_id, nodes })
}

/// `node.describe`.
pub(super) async fn describe(cx: Cx, params: NodeParams) -> Result<NodeDescribeResult, ErrorShape> {
    let (nodes, _) = cx.gateway.nodes().all().await.map_err(|e| error::store(&e))?;
    let found = nodes.into_iter().find(|node| node.node_id == params.node_id.trim());
    let node = found.ok_or_else(unknown_node)?;
    Ok(NodeDescribeResult { ts: cx.gateway.clock().now_ms(), node })
}

/// `node.rename`.
pub(super) async fn rename(cx: Cx, params: NodeName) -> Result<NodeName, ErrorShape> {
    let id = node_id(&params.node_id)?;
    let name = params.display_name.trim();
    if name.is_empty() {
        return Err(ErrorShape::invalid("displayName required"));
    }
    if name.chars().count() > MAX_NODE_NAME || name.chars().any(char::is_control) {
        return Err(ErrorShape::invalid(format!(
            "invalid node.rename params: at /displayName: must be at most {MAX_NODE_NAME} characters on one line"
        )));
    }
    let store = cx.gateway.store();
    let device = store.devices().get(&id).await.map_err(|e| error::store(&e))?;
    device.filter(is_node).ok_or_else(unknown_node)?;
    store.devices().label(&id, name).await.map_err(|e| error::store(&e))?;
    Ok(NodeName { node_id: id.to_string(), display_name: name.to_owned() })
}

/// A node's name on the wire.
pub(super) fn node_id(text: &str) -> Result<DeviceId, ErrorShape> {
    if text.trim().is_empty() {
        return Err(ErrorShape::invalid("nodeId required"));
    }
    DeviceId::parse(text.trim()).map_err(|_impossible| unknown_node())
}

/// Nobody is paired by this name, or not as a node.
pub(super) fn unknown_node() -> ErrorShape {
    ErrorShape::invalid("unknown nodeId")
}
