//! `node.pair.*`: what nodes ask to offer, and the owner's answers.

use homard_protocol::events::NodeDecision;
use homard_protocol::method::NoParams;
use homard_protocol::methods::nodes::{
    NodePairApproved, NodePairListResult, NodePairRejected, NodeParams, NodeRequestParams,
};
use homard_protocol::{DeviceId, ErrorShape, Role, Scope};
use homard_store::{NodeRecord, StoreError};

use crate::access::devices::hang_up;
use crate::error;
use crate::gateway::Gateway;
use crate::methods::nodes::{node_id, unknown_node};
use crate::nodes::surface::tell_resolved;
use crate::nodes::{commands, rows};
use crate::table::Cx;

/// `node.pair.list`.
pub(crate) async fn list(cx: Cx, _params: NoParams) -> Result<NodePairListResult, ErrorShape> {
    listed(&cx.gateway).await.map_err(|e| error::store(&e))
}

/// What waits, and what the owner said yes to.
pub(crate) async fn listed(gateway: &Gateway) -> Result<NodePairListResult, StoreError> {
    let store = gateway.store();
    let devices = store.paired_devices().await?;
    let label = |id: &DeviceId| {
        devices.iter().find(|device| device.device_id == *id).and_then(|device| device.operator_label.clone())
    };
    let pending = store.node_requests().await?.into_iter();
    let pending = pending.map(|asked| {
        let label = label(&asked.about.device_id);
        rows::pending(asked, label)
    });
    let pending = pending.collect();
    let mut kept: Vec<NodeRecord> = store.nodes().await?;
    let paired = devices.into_iter().filter(rows::is_node).map(|device| {
        let at = kept.iter().position(|node| node.device_id == device.device_id);
        let node = at.map(|at| kept.swap_remove(at));
        rows::paired(device, node)
    });
    Ok(NodePairListResult { paired: paired.collect(), pending })
}

/// `node.pair.approve`.
pub(crate) async fn approve(cx: Cx, params: NodeRequestParams) -> Result<NodePairApproved, ErrorShape> {
    let asked = cx.gateway.store().node_request(&params.request_id).await.map_err(|e| error::store(&e))?;
    let asked = asked.ok_or_else(unknown_request)?;
    // Nobody gives away more than they hold.
    commands::approve_scopes(&asked.about.surface.commands)
        .into_iter()
        .try_for_each(|scope| cx.caller.check_scope(scope))?;
    approved(&cx.gateway, &params.request_id).await
}

/// Says yes to a question. Who may is checked before.
pub(crate) async fn approved(gateway: &Gateway, request_id: &str) -> Result<NodePairApproved, ErrorShape> {
    let store = gateway.store();
    // A question never changes what it asks: asking for something else is another one.
    let done = store.approve_node(request_id).await.map_err(|e| error::store(&e))?;
    let (asked, _at) = done.ok_or_else(unknown_request)?;
    let id = asked.about.device_id;
    tell_resolved(gateway, request_id, &id, NodeDecision::Approved);
    let device = store.paired_device(&id).await.map_err(|e| error::store(&e))?.ok_or_else(unknown_node)?;
    let node = store.node(&id).await.map_err(|e| error::store(&e))?;
    Ok(NodePairApproved { request_id: request_id.to_owned(), node: rows::paired(device, node) })
}

/// `node.pair.reject`.
pub(crate) async fn reject(cx: Cx, params: NodeRequestParams) -> Result<NodePairRejected, ErrorShape> {
    rejected(&cx.gateway, &params.request_id).await
}

/// Says no to a question.
pub(crate) async fn rejected(gateway: &Gateway, request_id: &str) -> Result<NodePairRejected, ErrorShape> {
    let asked = gateway.store().reject_node(request_id).await.map_err(|e| error::store(&e))?;
    let id = asked.ok_or_else(unknown_request)?.about.device_id;
    tell_resolved(gateway, request_id, &id, NodeDecision::Rejected);
    Ok(NodePairRejected { request_id: request_id.to_owned(), node_id: id.to_string() })
}

/// `node.pair.remove`.
pub(crate) async fn remove(cx: Cx, params: NodeParams) -> Result<NodeParams, ErrorShape> {
    let id = node_id(&params.node_id)?;
    let store = cx.gateway.store();
    let device = store.paired_device(&id).await.map_err(|e| error::store(&e))?;
    let device = device.filter(rows::is_node).ok_or_else(unknown_node)?;
    if device.roles.iter().any(|role| role == Role::Operator.as_str()) {
        // It is an operator, too: taking a part of it away is for those who could take all of it.
        cx.caller.check_scope(Scope::Admin)?;
    }
    if !store.remove_node(&id).await.map_err(|e| error::store(&e))? {
        return Err(unknown_node());
    }
    tell_resolved(&cx.gateway, "", &id, NodeDecision::Removed);
    hang_up(&cx.gateway, &id, Some(Role::Node), &cx.caller.client, "node removed");
    Ok(NodeParams { node_id: id.to_string() })
}

fn unknown_request() -> ErrorShape {
    ErrorShape::invalid("unknown requestId")
}
