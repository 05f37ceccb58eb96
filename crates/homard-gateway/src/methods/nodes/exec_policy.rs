//! `exec.approvals.node.*`: the rules for commands that a node keeps, asked of it.

use homard_nodes::{DEFAULT_TIMEOUT, InvokeRequest};
use homard_protocol::DeviceId;
use homard_protocol::methods::nodes::NodeParams;
use homard_protocol::methods::nodes::exec_policy::ExecApprovalsNodeSetParams;
use serde_json::{Value, json};

use crate::error::{self, RequestError};
use crate::table::Cx;

/// `exec.approvals.node.get`.
pub(crate) async fn get(cx: Cx, params: NodeParams) -> Result<Value, RequestError> {
    ask(&cx, params.node_id, "system.execApprovals.get", json!({})).await
}

/// `exec.approvals.node.set`.
pub(crate) async fn set(cx: Cx, params: ExecApprovalsNodeSetParams) -> Result<Value, RequestError> {
    if !params.rest.get("file").is_some_and(Value::is_object) {
        return Err(RequestError::invalid(
            "invalid exec.approvals.node.set params: at root: must have required property 'file'",
        ));
    }
    ask(&cx, params.node_id, "system.execApprovals.set", Value::Object(params.rest)).await
}

async fn ask(cx: &Cx, id: DeviceId, command: &str, params: Value) -> Result<Value, RequestError> {
    let wanted = InvokeRequest {
        node: id.clone(),
        command: command.to_owned(),
        params: Some(params),
        timeout: DEFAULT_TIMEOUT,
        idempotency_key: None,
        session_key: None,
        on_progress: None,
    };
    let done = cx.gateway.nodes().invoke(wanted).await.map_err(|e| error::invoke(&e, &id, command))?;
    Ok(done.payload)
}
