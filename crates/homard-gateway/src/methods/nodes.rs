//! `node.list`, `node.describe` and `node.rename`.

pub(crate) mod event;
pub(crate) mod exec_policy;
pub(crate) mod invoke;
pub(crate) mod pairing;
pub(crate) mod pending;
pub(crate) mod replays;

use homard_nodes::is_node;
use homard_protocol::method::NoParams;
use homard_protocol::methods::nodes::exec_policy::{ExecApprovalsNodeGet, ExecApprovalsNodeSet};
use homard_protocol::methods::nodes::invoke::{
    NodeEvent, NodeInvoke, NodeInvokeProgress, NodeInvokeResult, NodePendingAck, NodePendingDrain,
    NodePendingEnqueue, NodePendingPull, NodePluginSurfaceRefresh,
};
use homard_protocol::methods::nodes::{
    MAX_NODE_NAME, NodeDescribe, NodeDescribeResult, NodeList, NodeListResult, NodeName, NodePairApprove,
    NodePairList, NodePairReject, NodePairRemove, NodeParams, NodeRename,
};

use crate::error::RequestError;
use crate::table::{Cx, MethodTable};

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<ExecApprovalsNodeGet, _, _>(exec_policy::get)
        .on::<ExecApprovalsNodeSet, _, _>(exec_policy::set)
        .on::<NodeDescribe, _, _>(describe)
        .on::<NodeEvent, _, _>(event::event)
        .on::<NodeInvoke, _, _>(invoke::invoke)
        .on::<NodeInvokeProgress, _, _>(invoke::progress)
        .on::<NodeInvokeResult, _, _>(invoke::result)
        .on::<NodeList, _, _>(list)
        .on::<NodePairApprove, _, _>(pairing::approve)
        .on::<NodePairList, _, _>(pairing::list)
        .on::<NodePairReject, _, _>(pairing::reject)
        .on::<NodePairRemove, _, _>(pairing::remove)
        .on::<NodePendingAck, _, _>(pending::ack)
        .on::<NodePendingDrain, _, _>(pending::drain)
        .on::<NodePendingEnqueue, _, _>(pending::enqueue)
        .on::<NodePendingPull, _, _>(pending::pull)
        .on::<NodePluginSurfaceRefresh, _, _>(invoke::plugin_surface)
        .on::<NodeRename, _, _>(rename)
}

/// `node.list`.
pub(super) async fn list(cx: Cx, _params: NoParams) -> Result<NodeListResult, RequestError> {
    let (nodes, active_node_id) = cx.gateway.nodes().all().await?;
    Ok(NodeListResult { ts: cx.gateway.clock().now_ms(), active_node_id, nodes })
}

/// `node.describe`.
pub(super) async fn describe(cx: Cx, params: NodeParams) -> Result<NodeDescribeResult, RequestError> {
    let (nodes, _) = cx.gateway.nodes().all().await?;
    let found = nodes.into_iter().find(|node| node.node_id == params.node_id);
    let node = found.ok_or_else(unknown_node)?;
    Ok(NodeDescribeResult { ts: cx.gateway.clock().now_ms(), node })
}

/// `node.rename`.
pub(super) async fn rename(cx: Cx, params: NodeName) -> Result<NodeName, RequestError> {
    let id = params.node_id;
    let name = params.display_name.trim();
    if name.is_empty() {
        return Err(RequestError::invalid("displayName required"));
    }
    if name.chars().count() > MAX_NODE_NAME || name.chars().any(char::is_control) {
        return Err(RequestError::invalid(format!(
            "invalid node.rename params: at /displayName: must be at most {MAX_NODE_NAME} characters on one line"
        )));
    }
    let store = cx.gateway.store();
    let device = store.devices().get(&id).await?;
    device.filter(is_node).ok_or_else(unknown_node)?;
    store.devices().label(&id, name).await?;
    Ok(NodeName { node_id: id, display_name: name.to_owned() })
}

/// Nobody is paired by this name, or not as a node.
pub(super) fn unknown_node() -> RequestError {
    RequestError::invalid("unknown nodeId")
}
