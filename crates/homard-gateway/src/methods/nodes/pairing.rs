//! `node.pair.*`: what nodes ask to offer, and the owner's answers.

use homard_nodes::{approve_scopes, is_node};
use homard_protocol::events::NodeDecision;
use homard_protocol::method::NoParams;
use homard_protocol::methods::nodes::{
    NodePairApproved, NodePairListResult, NodePairRejected, NodeParams, NodeRequestParams,
};
use homard_protocol::{Role, Scope};

use crate::access::devices::hang_up;
use crate::error::RequestError;
use crate::methods::nodes::unknown_node;
use crate::table::Cx;

/// `node.pair.list`.
pub(crate) async fn list(cx: Cx, _params: NoParams) -> Result<NodePairListResult, RequestError> {
    Ok(cx.gateway.nodes().pairings().await?)
}

/// `node.pair.approve`.
pub(crate) async fn approve(cx: Cx, params: NodeRequestParams) -> Result<NodePairApproved, RequestError> {
    let asked = cx.gateway.store().nodes().request(&params.request_id).await?;
    let asked = asked.ok_or_else(unknown_request)?;
    // Nobody gives away more than they hold.
    approve_scopes(&asked.about.surface.commands)
        .into_iter()
        .try_for_each(|scope| cx.caller.check_scope(scope))?;
    Ok(cx.gateway.nodes().approve(&params.request_id).await?)
}

/// `node.pair.reject`.
pub(crate) async fn reject(cx: Cx, params: NodeRequestParams) -> Result<NodePairRejected, RequestError> {
    Ok(cx.gateway.nodes().reject(&params.request_id).await?)
}

/// `node.pair.remove`.
pub(crate) async fn remove(cx: Cx, params: NodeParams) -> Result<NodeParams, RequestError> {
    let id = params.node_id;
    let store = cx.gateway.store();
    let device = store.devices().get(&id).await?;
    let device = device.filter(is_node).ok_or_else(unknown_node)?;
    if device.roles.contains(&Role::Operator.into()) {
        // It is an operator, too: taking a part of it away is for those who could take all of it.
        cx.caller.check_scope(Scope::Admin)?;
    }
    if !store.nodes().remove(&id).await? {
        return Err(unknown_node());
    }
    cx.gateway.nodes().tell_resolved("", &id, NodeDecision::Removed);
    hang_up(&cx.gateway, &id, Some(Role::Node), &cx.caller.client, "node removed");
    Ok(NodeParams { node_id: id })
}

fn unknown_request() -> RequestError {
    RequestError::invalid("unknown requestId")
}
