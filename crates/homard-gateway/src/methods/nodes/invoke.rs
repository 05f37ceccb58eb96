//! `node.invoke` and what nodes answer to it.

use std::time::Duration;

use homard_nodes::{DEFAULT_TIMEOUT, IN_BACKGROUND, InvokeError, InvokeRequest, MAX_TIMEOUT};
use homard_protocol::DeviceId;
use homard_protocol::methods::nodes::invoke::{
    MAX_PROGRESS_CHUNK, NodeHeard, NodeInvokeParams, NodeInvokeProgressParams, NodeInvokeResultParams,
    NodeInvoked, NodePluginSurfaceParams, NodePluginSurfaceResult, NodeProgressHeard,
};
use serde_json::json;

use crate::error::{self, RequestError};
use crate::gateway::Gateway;
use crate::methods::nodes::replays::{Claim, settled};
use crate::table::Cx;

/// Commands that have methods of their own.
const RULES_OF_NODES: &str = "system.execApprovals.";
/// The command that runs programs; the rules for commands are with the `exec` tool.
const RUN: &str = "system.run";
/// Longest key.
const MAX_KEY: usize = 256;

/// `node.invoke`.
pub(crate) async fn invoke(cx: Cx, params: NodeInvokeParams) -> Result<NodeInvoked, RequestError> {
    let command = params.command.trim().to_owned();
    check(&params, &command)?;
    let id = params.node_id;
    let given = params.params.clone().unwrap_or_default();
    let asked = format!("{id} {command} {given}");
    // A key is the caller's own: nobody learns what another one's request came to.
    let key = format!("{}|{}|{}", cx.caller.id, cx.caller.limit_key(), params.idempotency_key);
    let first = match cx.gateway.node_calls().begin(key, &asked) {
        Claim::First(first) => first,
        Claim::Again(seen) => return settled(seen).await.unwrap_or_else(|| Err(given_up())),
        Claim::Different => {
            return Err(RequestError::invalid("idempotencyKey was used for another request"));
        }
    };
    let wanted = InvokeRequest {
        node: id.clone(),
        command: command.clone(),
        params: params.params,
        timeout: timeout(params.timeout_ms),
        idempotency_key: Some(params.idempotency_key),
        session_key: params.session_key,
        on_progress: None,
    };
    let text = wanted.params.as_ref().map(ToString::to_string);
    let done = cx.gateway.nodes().invoke(wanted).await;
    let reached = done.as_ref().err().is_none_or(InvokeError::may_have_run);
    let answer = match done {
        Ok(done) => Ok(NodeInvoked {
            ok: true,
            node_id: id.clone(),
            command,
            payload: done.payload,
            payload_json: done.payload_json,
        }),
        Err(failed) => Err(failure(&cx.gateway, &failed, &id, &command, text).await),
    };
    first.answer(&answer, reached);
    answer
}

fn check(params: &NodeInvokeParams, command: &str) -> Result<(), RequestError> {
    if command.is_empty() {
        return Err(RequestError::invalid("nodeId and command required"));
    }
    let key = &params.idempotency_key;
    if key.is_empty() || key.len() > MAX_KEY {
        return Err(RequestError::invalid(format!(
            "invalid node.invoke params: at /idempotencyKey: must have 1 to {MAX_KEY} characters"
        )));
    }
    let details = json!({"command": command});
    if command.starts_with(RULES_OF_NODES) {
        let words = "node.invoke does not allow system.execApprovals.*; use exec.approvals.node.*";
        return Err(RequestError::invalid(words).with_details(details));
    }
    if command == RUN {
        let words = "system.run needs an approved request: use the exec tool with host=node";
        return Err(RequestError::invalid(words)
            .with_details(json!({"command": command, "code": "APPROVAL_REQUIRED"})));
    }
    Ok(())
}

fn timeout(asked: Option<u64>) -> Duration {
    asked.filter(|ms| *ms > 0).map_or(DEFAULT_TIMEOUT, Duration::from_millis).min(MAX_TIMEOUT)
}

/// What the caller is told. What a phone in a pocket cannot do waits until it is taken out.
async fn failure(
    gateway: &Gateway,
    failed: &InvokeError,
    id: &DeviceId,
    command: &str,
    given: Option<String>,
) -> RequestError {
    let sleeps = matches!(failed, InvokeError::Failed(_)) && failed.code() == IN_BACKGROUND;
    if sleeps && let Ok(action) = gateway.store().nodes().queue_action(id, command, given).await {
        return RequestError::unavailable("node command queued until the app returns to the foreground")
            .with_details(json!({
                "code": "QUEUED_UNTIL_FOREGROUND", "queuedActionId": action, "nodeId": id, "command": command,
            }));
    }
    error::invoke(failed, id, command)
}

fn given_up() -> RequestError {
    RequestError::unavailable("node invoke cancelled").with_details(json!({"code": "ABORTED"}))
}

/// The node that speaks; it speaks for nobody else.
pub(crate) fn speaker(cx: &Cx, says: &DeviceId) -> Result<DeviceId, RequestError> {
    let id = own_id(cx)?;
    if id == *says {
        return Ok(id);
    }
    tracing::warn!(node = %id, "a node spoke for another one and was not heard");
    Err(RequestError::invalid("nodeId mismatch"))
}

/// The node that speaks.
pub(crate) fn own_id(cx: &Cx) -> Result<DeviceId, RequestError> {
    cx.caller.client.device.clone().ok_or_else(|| RequestError::invalid("device identity required"))
}

/// `node.invoke.result`.
pub(crate) async fn result(cx: Cx, params: NodeInvokeResultParams) -> Result<NodeHeard, RequestError> {
    let id = speaker(&cx, &params.node_id)?;
    let taken = cx.gateway.nodes().registry().result(cx.caller.client.as_ref(), params);
    if !taken {
        tracing::debug!(node = %id, "a node sent a result nobody waits for");
    }
    Ok(NodeHeard { ok: true, ignored: !taken })
}

/// `node.invoke.progress`.
pub(crate) async fn progress(
    cx: Cx,
    params: NodeInvokeProgressParams,
) -> Result<NodeProgressHeard, RequestError> {
    speaker(&cx, &params.node_id)?;
    if params.chunk.chars().count() > MAX_PROGRESS_CHUNK {
        return Err(RequestError::invalid("progress chunk too large"));
    }
    let taken = cx.gateway.nodes().registry().progress(
        cx.caller.client.as_ref(),
        &params.invoke_id,
        params.seq,
        params.chunk,
    );
    Ok(NodeProgressHeard { ok: true, ignored: !taken })
}

/// `node.pluginSurface.refresh`: where the node finds documents, as its hello said.
pub(crate) async fn plugin_surface(
    cx: Cx,
    params: NodePluginSurfaceParams,
) -> Result<NodePluginSurfaceResult, RequestError> {
    if params.surface.trim().is_empty() {
        return Err(RequestError::invalid("surface required"));
    }
    let plugin_surface_urls = crate::http::surface_of(&cx, &params.surface);
    Ok(NodePluginSurfaceResult { surface: params.surface, plugin_surface_urls, expires_at_ms: None })
}
