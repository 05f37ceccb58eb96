//! `node.list`, `node.describe` and `node.pair.list`.
//!
//! A node can be paired and connect. Its commands cannot be used yet, so none are shown as usable and nobody is
//! asked about them.

use homard_protocol::method::NoParams;
use homard_protocol::methods::nodes::{
    Node, NodeDescribeParams, NodeDescribeResult, NodeListResult, NodePairListResult,
};
use homard_protocol::presence::PresenceEntry;
use homard_protocol::{ErrorShape, Role};
use homard_store::PairedDevice;

use crate::error;
use crate::gateway::Gateway;
use crate::table::Cx;

/// `node.list`.
pub(super) async fn list(cx: Cx, _params: NoParams) -> Result<NodeListResult, ErrorShape> {
    Ok(NodeListResult { ts: cx.gateway.clock().now_ms(), nodes: nodes(&cx.gateway).await? })
}

/// `node.describe`.
pub(super) async fn describe(cx: Cx, params: NodeDescribeParams) -> Result<NodeDescribeResult, ErrorShape> {
    let found = nodes(&cx.gateway).await?.into_iter().find(|node| node.node_id == params.node_id);
    let node = found.ok_or_else(|| ErrorShape::invalid("unknown nodeId"))?;
    Ok(NodeDescribeResult { ts: cx.gateway.clock().now_ms(), node })
}

/// `node.pair.list`.
pub(super) async fn pair_list(_cx: Cx, _params: NoParams) -> Result<NodePairListResult, ErrorShape> {
    Ok(NodePairListResult::default())
}

/// Everything that was paired as a node, connected ones first.
async fn nodes(gateway: &Gateway) -> Result<Vec<Node>, ErrorShape> {
    let devices = gateway.store().paired_devices().await.map_err(|e| error::store(&e))?;
    let present = gateway.presence().list(gateway.clock().now_ms());
    let is_node = |roles: &[String]| roles.iter().any(|role| role == Role::Node.as_str());
    let mut nodes: Vec<Node> = devices
        .into_iter()
        .filter(|device| is_node(&device.roles))
        .map(|device| {
            let here = present.iter().find(|entry| {
                is_node(&entry.roles) && entry.device_id.as_deref() == Some(device.device_id.as_str())
            });
            node(device, here)
        })
        .collect();
    nodes.sort_by_key(|node| !node.connected);
    Ok(nodes)
}

fn node(device: PairedDevice, here: Option<&PresenceEntry>) -> Node {
    Node {
        node_id: device.device_id.to_string(),
        display_name: device.display_name,
        platform: device.platform,
        version: here.and_then(|entry| entry.version.clone()),
        device_family: device.device_family,
        model_identifier: here.and_then(|entry| entry.model_identifier.clone()),
        remote_ip: here.and_then(|entry| entry.ip.clone()).or(device.remote_ip),
        caps: Vec::new(),
        commands: Vec::new(),
        permissions: std::collections::BTreeMap::new(),
        paired: true,
        connected: here.is_some(),
        connected_at_ms: here.and_then(|entry| entry.online_since),
        last_seen_at_ms: device.last_seen_at,
    }
}
