//! `node.pending.*`: what waits for a node that cannot be asked now.

use homard_nodes::is_node;
use homard_protocol::method::NoParams;
use homard_protocol::methods::nodes::invoke::{
    MAX_DRAIN, NodePendingAckParams, NodePendingAcked, NodePendingAction, NodePendingActions,
    NodePendingDrainParams, NodePendingDrained, NodePendingEnqueueParams, NodePendingEnqueued, NodeWorkItem,
    NodeWorkPriority, NodeWorkType,
};
use homard_store::{NewNodeWork, NodeWork};
use serde_json::Value;

use crate::error::RequestError;
use crate::methods::check_range;
use crate::methods::nodes::invoke::own_id;
use crate::methods::nodes::unknown_node;
use crate::table::Cx;

/// Items `node.pending.drain` hands out when nobody says how many.
const USUAL_DRAIN: u32 = 4;
/// The shortest and the longest a question may be of interest, in milliseconds.
const EXPIRES_IN: std::ops::RangeInclusive<u64> = 1_000..=86_400_000;

/// `node.pending.pull`. What may not be asked any more is not handed out.
pub(crate) async fn pull(cx: Cx, _params: NoParams) -> Result<NodePendingActions, RequestError> {
    let id = own_id(&cx)?;
    let waiting = cx.gateway.store().nodes().actions(&id).await?;
    let mut actions = Vec::new();
    for action in waiting {
        if cx.gateway.nodes().reachable(&id, &action.command).await.is_ok() {
            actions.push(NodePendingAction {
                id: action.id,
                command: action.command,
                params_json: action.params,
                enqueued_at_ms: action.created_at,
            });
        }
    }
    Ok(NodePendingActions { node_id: id, actions })
}

/// `node.pending.ack`.
pub(crate) async fn ack(cx: Cx, params: NodePendingAckParams) -> Result<NodePendingAcked, RequestError> {
    let id = own_id(&cx)?;
    if params.ids.is_empty() {
        return Err(RequestError::invalid(
            "invalid node.pending.ack params: at /ids: must name at least one",
        ));
    }
    let acked = cx.gateway.store().nodes().ack_actions(&id, params.ids).await;
    let (acked_ids, remaining_count) = acked?;
    Ok(NodePendingAcked { node_id: id, acked_ids, remaining_count })
}

/// `node.pending.enqueue`.
pub(crate) async fn enqueue(
    cx: Cx,
    params: NodePendingEnqueueParams,
) -> Result<NodePendingEnqueued, RequestError> {
    check_range("node.pending.enqueue", "expiresInMs", params.expires_in_ms, EXPIRES_IN)?;
    let id = params.node_id;
    let store = cx.gateway.store();
    let device = store.devices().get(&id).await?;
    device.filter(is_node).ok_or_else(unknown_node)?;
    let new = NewNodeWork {
        device_id: id.clone(),
        kind: word(&params.kind),
        priority: i64::from(params.priority == Some(NodeWorkPriority::High)),
        expires_in_ms: params.expires_in_ms.and_then(|ms| i64::try_from(ms).ok()),
    };
    let work = store.nodes().queue_work(new).await?;
    let revision = revision(&work);
    let queued = item(work).ok_or_else(|| RequestError::unavailable("the item could not be read back"))?;
    Ok(NodePendingEnqueued { node_id: id, revision, queued, wake_triggered: false })
}

/// `node.pending.drain`.
pub(crate) async fn drain(
    cx: Cx,
    params: NodePendingDrainParams,
) -> Result<NodePendingDrained, RequestError> {
    check_range("node.pending.drain", "maxItems", params.max_items, 1..=MAX_DRAIN)?;
    let id = own_id(&cx)?;
    let most = params.max_items.unwrap_or(USUAL_DRAIN);
    let drained = cx.gateway.store().nodes().drain_work(&id, most).await;
    let (taken, has_more) = drained?;
    let revision = taken.iter().map(revision).max().unwrap_or(0);
    let items = taken.into_iter().filter_map(item).collect();
    Ok(NodePendingDrained { node_id: id, revision, items, has_more })
}

/// Grows with every item: the time it was put there.
fn revision(work: &NodeWork) -> u64 {
    u64::try_from(work.created_at).unwrap_or(0)
}

fn word(kind: &NodeWorkType) -> String {
    serde_json::to_value(kind).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn item(work: NodeWork) -> Option<NodeWorkItem> {
    Some(NodeWorkItem {
        id: work.id,
        kind: serde_json::from_value(Value::String(work.kind)).ok()?,
        priority: if work.priority > 0 { NodeWorkPriority::High } else { NodeWorkPriority::Normal },
        created_at_ms: work.created_at,
        expires_at_ms: work.expires_at,
        payload: None,
    })
}
