//! `health`, `status`, `logs.tail` and presence.

pub(crate) mod maintenance;
pub(crate) mod page_load;
pub(crate) mod side_lists;
pub(crate) mod wake;

use homard_protocol::ErrorShape;
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::{
    HealthParams, LogsTailParams, LogsTailResult, MAX_LOG_BYTES, MAX_LOG_LINES,
};
use homard_protocol::presence::PresenceEntry;
use serde_json::{Value, json};

use super::check_range;
use crate::error;
use crate::lifecycle::health;
use crate::lifecycle::log_tail;
use crate::session_rows;
use crate::table::Cx;

/// Sessions shown in `status`.
const RECENT: usize = 10;

/// `health`.
pub(super) async fn health(cx: Cx, params: HealthParams) -> Result<Value, ErrorShape> {
    if params.probe == Some(true) || cx.gateway.diagnostics().health.version() == 0 {
        health::refresh(&cx.gateway).await.map_err(|e| error::store(&e))?;
    }
    Ok(cx.gateway.diagnostics().health.value())
}

/// `status`.
pub(super) async fn status(cx: Cx, _params: NoParams) -> Result<Value, ErrorShape> {
    let gateway = &cx.gateway;
    let config = gateway.config().current();
    let store = gateway.store();
    let now = gateway.clock().now_ms();
    let count = store.sessions().count(None).await.map_err(|e| error::store(&e))?;
    let recent = store.sessions().recent(RECENT).await.map_err(|e| error::store(&e))?;
    let defaults = session_rows::defaults(gateway, None);
    let rows: Vec<Value> = recent
        .iter()
        .map(|record| {
            let row = session_rows::row(gateway, record);
            json!({
                "agentId": row.agent_id, "key": row.key, "kind": row.kind, "sessionId": row.session_id,
                "updatedAt": row.updated_at, "age": now.saturating_sub(record.entry.updated_at),
                "abortedLastRun": row.aborted_last_run, "inputTokens": row.input_tokens,
                "outputTokens": row.output_tokens, "totalTokens": row.total_tokens, "model": row.model,
                "contextTokens": row.context_tokens, "hasActiveRun": row.has_active_run,
            })
        })
        .collect();
    let admin = cx.caller.is_admin();
    let queued = store.notes().waiting().await.map_err(|e| error::store(&e))?;
    let paths = &gateway.config().source().paths;
    Ok(json!({
        "runtimeVersion": gateway.diagnostics().host.version,
        "uptimeMs": gateway.lifecycle().uptime_ms(),
        "pid": admin.then(std::process::id),
        "configPath": admin.then(|| paths.config_path.display().to_string()),
        "stateDir": admin.then(|| paths.state_dir.display().to_string()),
        "owners": admin.then(|| gateway.relay().platforms().owners()),
        "heartbeat": {"defaultAgentId": config.agents.default_agent().id, "agents": []},
        "channelSummary": [],
        "queuedSystemEvents": if admin { queued } else { Vec::new() },
        "tasks": {"total": 0, "active": gateway.relay().turns().active_count()},
        "connections": gateway.connections().clients.count(),
        "lanesAwake": gateway.relay().turns().lanes_awake(),
        "sessions": {
            "paths": if admin { vec![paths.database().display().to_string()] } else { Vec::new() },
            "count": count,
            "defaults": {"model": defaults.model, "modelProvider": defaults.model_provider,
                "contextTokens": defaults.context_tokens},
            "recent": rows,
            "byAgent": [],
        },
    }))
}

/// `system-presence`.
pub(super) async fn presence(cx: Cx, _params: NoParams) -> Result<Vec<PresenceEntry>, ErrorShape> {
    Ok(cx.gateway.connections().presence.list(cx.gateway.clock().now_ms()))
}

/// `logs.tail`.
pub(super) async fn logs_tail(cx: Cx, params: LogsTailParams) -> Result<LogsTailResult, ErrorShape> {
    check_range("logs.tail", "limit", params.limit, 1..=MAX_LOG_LINES)?;
    check_range("logs.tail", "maxBytes", params.max_bytes, 1..=MAX_LOG_BYTES)?;
    let path = cx.gateway.diagnostics().log_file();
    let read = tokio::task::spawn_blocking(move || log_tail::tail(&path, &params)).await;
    read.map_err(|error| ErrorShape::unavailable(error.to_string()))?
        .map_err(|error| ErrorShape::unavailable(format!("the log could not be read: {error}")))
}
