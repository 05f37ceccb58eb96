//! `health`, `status`, `logs.tail` and presence.

pub(crate) mod conversation_stubs;
pub(crate) mod host;
pub(crate) mod maintenance;
pub(crate) mod room_stubs;
pub(crate) mod stubs;
pub(crate) mod tasks;
pub(crate) mod wake;

use homard_config::Config;
use homard_config::config::agents::Agent;
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::conversation_stubs::{
    ProgressCardGet, QuestionList, SessionsCompanionState, TaskSuggestionsList,
};
use homard_protocol::methods::system::host::{
    DiagnosticsLanes, EnvironmentsList, FsListDir, SessionsStorageStatus,
};
use homard_protocol::methods::system::maintenance::{
    BrowserRequest, GatewayIdentityGet, SecretsReload, SystemInfo, UpdateRun, UpdateStatus,
};
use homard_protocol::methods::system::room_stubs::{
    PluginsList, PluginsUiDescriptors, PortalList, SecretsStoreList, SessionSuggestionsList, TerminalList,
    TranscriptsList, TranscriptsStatus, UsersList, WorktreesList,
};
use homard_protocol::methods::system::stubs::{
    BoardGet, MentionsList, OpenclawApprovalList, PluginSurfaceRefresh, PluginsControlUiList, ProjectsList,
    SessionDiscussionInfo, SessionMembersListEvidence, SessionPullRequestsSubscribe, SessionsCatalogList,
    SessionsObserverVisibility, SessionsViewersSet, UsersPrefsGet,
};
use homard_protocol::methods::system::tasks::{TasksCancel, TasksGet, TasksHistory, TasksList};
use homard_protocol::methods::system::wake::{SetHeartbeats, SystemEvent, WakeUp};
use homard_protocol::methods::system::{
    Health, HealthParams, LastHeartbeat, LogsTail, LogsTailParams, LogsTailResult, MAX_LOG_BYTES,
    MAX_LOG_LINES, Status, SystemPresence,
};
use homard_protocol::presence::PresenceEntry;
use homard_runtime::off_thread;
use serde_json::{Value, json};

use super::{channels, check_range};
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::lifecycle::health;
use crate::lifecycle::log_tail;
use crate::session_rows;
use crate::table::{Cx, MethodTable};

/// Sessions shown in `status`.
const RECENT: usize = 10;

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<BoardGet, _, _>(stubs::board)
        .on::<BrowserRequest, _, _>(maintenance::browser)
        .on::<DiagnosticsLanes, _, _>(host::lanes)
        .on::<EnvironmentsList, _, _>(host::environments)
        .on::<FsListDir, _, _>(host::folders)
        .on::<GatewayIdentityGet, _, _>(maintenance::identity)
        .on::<Health, _, _>(health)
        .on::<LastHeartbeat, _, _>(wake::last_heartbeat)
        .on::<LogsTail, _, _>(logs_tail)
        .on::<MentionsList, _, _>(stubs::mentions)
        .on::<OpenclawApprovalList, _, _>(stubs::approvals)
        .on::<PluginSurfaceRefresh, _, _>(stubs::surface)
        .on::<PluginsControlUiList, _, _>(stubs::plugins)
        .on::<PluginsList, _, _>(room_stubs::nothing)
        .on::<PluginsUiDescriptors, _, _>(room_stubs::nothing)
        .on::<PortalList, _, _>(room_stubs::nothing)
        .on::<ProgressCardGet, _, _>(conversation_stubs::card)
        .on::<ProjectsList, _, _>(stubs::projects)
        .on::<QuestionList, _, _>(conversation_stubs::questions)
        .on::<SecretsReload, _, _>(maintenance::secrets_reload)
        .on::<SecretsStoreList, _, _>(room_stubs::nothing)
        .on::<SessionSuggestionsList, _, _>(room_stubs::nothing)
        .on::<TerminalList, _, _>(room_stubs::nothing)
        .on::<TranscriptsList, _, _>(room_stubs::nothing)
        .on::<TranscriptsStatus, _, _>(room_stubs::nothing)
        .on::<UsersList, _, _>(room_stubs::nothing)
        .on::<WorktreesList, _, _>(room_stubs::nothing)
        .on::<SessionDiscussionInfo, _, _>(stubs::discussion)
        .on::<SessionMembersListEvidence, _, _>(stubs::members)
        .on::<SessionPullRequestsSubscribe, _, _>(stubs::pull_requests)
        .on::<SessionsCatalogList, _, _>(stubs::catalogs)
        .on::<SessionsCompanionState, _, _>(conversation_stubs::companion)
        .on::<SessionsObserverVisibility, _, _>(stubs::observer)
        .on::<SessionsStorageStatus, _, _>(host::storage)
        .on::<SessionsViewersSet, _, _>(stubs::viewers)
        .on::<SetHeartbeats, _, _>(wake::set_heartbeats)
        .on::<Status, _, _>(status)
        .on::<SystemEvent, _, _>(wake::event)
        .on::<SystemInfo, _, _>(maintenance::system_info)
        .on::<SystemPresence, _, _>(presence)
        .on::<TaskSuggestionsList, _, _>(conversation_stubs::suggestions)
        .on::<TasksCancel, _, _>(tasks::cancel)
        .on::<TasksGet, _, _>(tasks::get)
        .on::<TasksHistory, _, _>(tasks::history)
        .on::<TasksList, _, _>(tasks::list)
        .on::<UpdateRun, _, _>(maintenance::update_run)
        .on::<UpdateStatus, _, _>(maintenance::update_status)
        .on::<UsersPrefsGet, _, _>(stubs::prefs)
        .on::<WakeUp, _, _>(wake::wake)
}

/// `health`.
pub(super) async fn health(cx: Cx, params: HealthParams) -> Result<Value, RequestError> {
    if params.probe == Some(true) || cx.gateway.diagnostics().health.version() == 0 {
        health::refresh(&cx.gateway).await?;
    }
    Ok(cx.gateway.diagnostics().health.value())
}

/// `status`.
pub(super) async fn status(cx: Cx, _params: NoParams) -> Result<Value, RequestError> {
    let gateway = &cx.gateway;
    let config = gateway.config().current();
    let store = gateway.store();
    let now = gateway.clock().now_ms();
    let count = store.sessions().count(None).await?;
    let recent = store.sessions().recent(RECENT).await?;
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
    let queued = store.notes().waiting().await?;
    let paths = &gateway.config().source().paths;
    Ok(json!({
        "runtimeVersion": gateway.diagnostics().host.version,
        "uptimeMs": gateway.lifecycle().uptime_ms(),
        "pid": admin.then(std::process::id),
        "configPath": admin.then(|| paths.config_path.display().to_string()),
        "stateDir": admin.then(|| paths.state_dir.display().to_string()),
        "owners": admin.then(|| gateway.relay().platforms().owners()),
        "heartbeat": {"defaultAgentId": config.agents.default_agent().id, "agents": heartbeats(&config)},
        "channelSummary": channel_summary(gateway),
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
            "byAgent": by_agent(gateway, &config).await?,
        },
    }))
}

/// When agents act unasked; see [`health::heartbeat`].
fn heartbeats(config: &Config) -> Vec<Value> {
    let one = |agent: &Agent| {
        let mut told = health::heartbeat(agent);
        if let Some(fields) = told.as_object_mut() {
            fields.insert("agentId".to_owned(), json!(agent.id));
        }
        told
    };
    config.agents.list.iter().map(one).collect()
}

/// How the platforms are, a line for each account.
fn channel_summary(gateway: &Gateway) -> Vec<String> {
    let known = channels::known(gateway);
    let mut lines = Vec::new();
    for (id, rows) in &known.channel_accounts {
        let label = known.channel_labels.get(id).unwrap_or(id);
        for row in rows {
            let is = |name: &str| row.get(name) == Some(&json!(true));
            let account = row.get("accountId").and_then(Value::as_str).unwrap_or_default();
            let state = match row.get("lastError").and_then(Value::as_str) {
                _ if !is("enabled") => "switched off",
                _ if !is("configured") => "not set up",
                _ if is("connected") => "connected",
                Some(error) => error,
                None if is("running") => "connecting",
                None => "stopped",
            };
            lines.push(format!("{label} ({account}): {state}"));
        }
    }
    lines
}

/// How many conversations each agent has.
async fn by_agent(gateway: &Gateway, config: &Config) -> Result<Vec<Value>, RequestError> {
    let path = gateway.config().source().paths.database().display().to_string();
    let mut told = Vec::with_capacity(config.agents.list.len());
    for agent in &config.agents.list {
        let count = gateway.store().sessions().count(Some(&agent.id)).await?;
        told.push(json!({"agentId": agent.id, "path": path, "count": count}));
    }
    Ok(told)
}

/// `system-presence`.
pub(super) async fn presence(cx: Cx, _params: NoParams) -> Result<Vec<PresenceEntry>, RequestError> {
    Ok(cx.gateway.connections().presence.list(cx.gateway.clock().now_ms()))
}

/// `logs.tail`.
pub(super) async fn logs_tail(cx: Cx, params: LogsTailParams) -> Result<LogsTailResult, RequestError> {
    check_range("logs.tail", "limit", params.limit, 1..=MAX_LOG_LINES)?;
    check_range("logs.tail", "maxBytes", params.max_bytes, 1..=MAX_LOG_BYTES)?;
    let path = cx.gateway.diagnostics().log_file();
    let read = off_thread(move || log_tail::tail(&path, &params)).await;
    read.map_err(|error| RequestError::unavailable(error.to_string()))?
        .map_err(|error| RequestError::unavailable(format!("the log could not be read: {error}")))
}
