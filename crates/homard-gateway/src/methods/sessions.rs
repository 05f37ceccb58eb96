//! `sessions.*`.

pub(crate) mod archive;
pub(crate) mod artifacts;
pub(crate) mod branches;
pub(crate) mod commands;
pub(crate) mod compact;
pub(crate) mod context;
pub(crate) mod details;
pub(crate) mod files;
pub(crate) mod groups;
pub(crate) mod messages;
pub(crate) mod patch;
pub(crate) mod patch_many;
pub(crate) mod search;
pub(crate) mod undo;

use std::sync::atomic::Ordering;

use homard_protocol::events::SessionChange;
use homard_protocol::methods::sessions::archive::{SessionsCleanup, SessionsEnded, SessionsRestore};
use homard_protocol::methods::sessions::artifacts::{ArtifactsDownload, ArtifactsList};
use homard_protocol::methods::sessions::branches::{
    SessionsBranchesList, SessionsBranchesSwitch, SessionsFork, SessionsRewind,
};
use homard_protocol::methods::sessions::commands::{
    SessionsAbort, SessionsCreate, SessionsGet, SessionsSend, SessionsSteer,
};
use homard_protocol::methods::sessions::compact::SessionsCompact;
use homard_protocol::methods::sessions::context::SessionsContext;
use homard_protocol::methods::sessions::details::{
    AgentIdentityGet, SessionsDescribe, SessionsMessagesSubscribe, SessionsMessagesUnsubscribe,
};
use homard_protocol::methods::sessions::files::{SessionsFilesGet, SessionsFilesList};
use homard_protocol::methods::sessions::groups::{
    SessionsGroupsDefaults, SessionsGroupsDelete, SessionsGroupsList, SessionsGroupsPut,
    SessionsGroupsRename, SessionsGroupsUpdate,
};
use homard_protocol::methods::sessions::patch_many::SessionsPatchMany;
use homard_protocol::methods::sessions::search::SessionsSearch;
use homard_protocol::methods::sessions::undo::{UndoApply, UndoList};
use homard_protocol::methods::sessions::{
    DEFAULT_LIST_LIMIT, DEFAULT_PREVIEW_CHARS, DEFAULT_PREVIEW_ITEMS, MAX_LIST_LIMIT, MAX_PREVIEW_KEYS,
    PreviewItem, PreviewRole, PreviewStatus, ResolvedModel, SessionPreview, SessionsDelete,
    SessionsDeleteParams, SessionsDeleteResult, SessionsList, SessionsListParams, SessionsListResult,
    SessionsPatch, SessionsPreview, SessionsPreviewParams, SessionsPreviewResult, SessionsReset,
    SessionsResetParams, SessionsResetReason, SessionsResetResult, SessionsResolve, SessionsResolveParams,
    SessionsResolveResult, SessionsSortBy, SessionsSubscribe, SessionsSubscribeResult,
};
use homard_protocol::{EntryKind, Message, ModelRef, SessionKey, SessionRef, StopCause};
use homard_runtime::Clip;
use homard_store::{
    ArchiveTranscript, ArchivedFilter, ResetReason, SessionKind, SessionQuery, SessionRecord, SessionSort,
};
use serde_json::Value;

use super::check_range;
use super::session_key;
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::session_rows;
use crate::table::{Cx, MethodTable};

/// Milliseconds in a minute.
const MINUTE_MS: f64 = 60_000.0;

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<AgentIdentityGet, _, _>(details::identity)
        .on::<ArtifactsDownload, _, _>(artifacts::download)
        .on::<ArtifactsList, _, _>(artifacts::list)
        .on::<SessionsAbort, _, _>(commands::abort)
        .on::<SessionsBranchesList, _, _>(branches::list)
        .on::<SessionsBranchesSwitch, _, _>(branches::switch)
        .on::<SessionsCleanup, _, _>(archive::cleanup)
        .on::<SessionsCompact, _, _>(compact::compact)
        .on::<SessionsContext, _, _>(context::report)
        .on::<SessionsCreate, _, _>(commands::create)
        .on::<SessionsDelete, _, _>(delete)
        .on::<SessionsDescribe, _, _>(details::describe)
        .on::<SessionsEnded, _, _>(archive::ended)
        .on::<SessionsFilesGet, _, _>(files::get)
        .on::<SessionsFilesList, _, _>(files::list)
        .on::<SessionsFork, _, _>(branches::fork)
        .on::<SessionsGet, _, _>(commands::get)
        .on::<SessionsGroupsDefaults, _, _>(groups::defaults)
        .on::<SessionsGroupsDelete, _, _>(groups::delete)
        .on::<SessionsGroupsList, _, _>(groups::list)
        .on::<SessionsGroupsPut, _, _>(groups::put)
        .on::<SessionsGroupsRename, _, _>(groups::rename)
        .on::<SessionsGroupsUpdate, _, _>(groups::update)
        .on::<SessionsList, _, _>(list)
        .on::<SessionsMessagesSubscribe, _, _>(details::subscribe)
        .on::<SessionsMessagesUnsubscribe, _, _>(details::unsubscribe)
        .on::<SessionsPatch, _, _>(patch::patch)
        .on::<SessionsPatchMany, _, _>(patch_many::patch_many)
        .on::<SessionsPreview, _, _>(preview)
        .on::<SessionsReset, _, _>(reset)
        .on::<SessionsResolve, _, _>(resolve)
        .on::<SessionsRestore, _, _>(archive::restore)
        .on::<SessionsRewind, _, _>(branches::rewind)
        .on::<SessionsSearch, _, _>(search::search)
        .on::<SessionsSend, _, _>(commands::send)
        .on::<SessionsSteer, _, _>(commands::steer)
        .on::<SessionsSubscribe, _, _>(subscribe)
        .on::<UndoApply, _, _>(undo::apply)
        .on::<UndoList, _, _>(undo::list)
}

/// `sessions.list`.
pub(super) async fn list(cx: Cx, params: SessionsListParams) -> Result<SessionsListResult, RequestError> {
    let gateway = &cx.gateway;
    let limit = params.limit.unwrap_or(DEFAULT_LIST_LIMIT).clamp(1, MAX_LIST_LIMIT);
    let offset = params.offset.unwrap_or(0);
    let now = gateway.clock().now_ms();
    let mut query = query(gateway, "sessions.list", &params, now)?;
    query.limit = usize::try_from(limit).unwrap_or(1);
    query.keys = (params.active_only == Some(true)).then(|| gateway.relay().turns().active_sessions());
    let page = gateway.store().sessions().list(query).await?;
    let (titles, previews) =
        (params.include_derived_titles == Some(true), params.include_last_message == Some(true));
    let sessions: Vec<_> = page
        .rows
        .iter()
        .map(|record| session_rows::row(gateway, record))
        .map(|mut row| {
            row.derived_title = row.derived_title.filter(|_| titles);
            row.last_message_preview = row.last_message_preview.filter(|_| previews);
            row
        })
        .collect();
    let count = u64::try_from(sessions.len()).unwrap_or(u64::MAX);
    let next = offset.saturating_add(u64::try_from(page.rows.len()).unwrap_or(u64::MAX));
    let has_more = next < page.total;
    Ok(SessionsListResult {
        ts: now,
        path: gateway.config().source().paths.database().display().to_string(),
        count,
        total_count: page.total,
        limit_applied: u64::from(limit),
        next_offset: has_more.then_some(next),
        has_more,
        owners: Vec::new(),
        defaults: session_rows::defaults(gateway, None),
        sessions,
    })
}

/// Which sessions a client means by its filters; those for things Homard does not have match everything.
pub(super) fn query(
    gateway: &Gateway,
    method: &str,
    params: &SessionsListParams,
    now: i64,
) -> Result<SessionQuery, RequestError> {
    let bad = |field: &str, must: &str| {
        RequestError::invalid(format!("invalid {method} params: at /{field}: must be {must}"))
    };
    let sort = match params.sort_by {
        None | Some(SessionsSortBy::UpdatedAt) => SessionSort::Updated,
        Some(SessionsSortBy::LastInteractionAt) => SessionSort::Interaction,
        Some(SessionsSortBy::Activity) => SessionSort::Activity,
    };
    let archived = match &params.archived {
        None | Some(Value::Bool(false)) => ArchivedFilter::Active,
        Some(Value::Bool(true)) => ArchivedFilter::Archived,
        Some(Value::String(all)) if all == "all" => ArchivedFilter::All,
        Some(_) => return Err(bad("archived", "true, false or \"all\"")),
    };
    let category = match &params.group {
        None => None,
        Some(Value::String(name)) => Some(name.clone()),
        Some(_) => return Err(bad("group", "text")),
    };
    if params.active_minutes.is_some_and(|minutes| !minutes.is_finite() || minutes <= 0.0) {
        return Err(bad("activeMinutes", "more than 0"));
    }
    let configured = || {
        let config = gateway.config().current();
        config.agents.list.iter().map(|agent| agent.id.clone()).collect()
    };
    let mut exclude_kinds = Vec::new();
    let mut exclude = |wanted: Option<bool>, kinds: &[SessionKind]| {
        if wanted == Some(true) {
            exclude_kinds.extend_from_slice(kinds);
        }
    };
    exclude(params.exclude_subagents, &[SessionKind::Subagent]);
    exclude(params.exclude_cron, &[SessionKind::Cron]);
    exclude(params.exclude_system, &[SessionKind::Subagent, SessionKind::Cron, SessionKind::Hook]);
    #[expect(clippy::cast_possible_truncation, reason = "a time span of minutes in milliseconds fits")]
    let active_since = params.active_minutes.map(|minutes| now.saturating_sub((minutes * MINUTE_MS) as i64));
    Ok(SessionQuery {
        agent: params.agent_id.clone(),
        agents: (params.configured_agents_only == Some(true)).then(configured),
        sort,
        require_interaction: params.require_last_interaction == Some(true),
        category,
        limit: 0,
        offset: params.offset.and_then(|n| usize::try_from(n).ok()).unwrap_or(0),
        search: params.search.clone(),
        active_since,
        label: params.label.clone(),
        spawned_by: params.spawned_by.clone(),
        keys: None,
        pinned: params.pinned,
        archived,
        include_global: params.include_global == Some(true),
        include_unknown: params.include_unknown == Some(true),
        exclude_kinds,
    })
}

/// `sessions.subscribe`.
pub(super) async fn subscribe(
    cx: Cx,
    params: SessionsListParams,
) -> Result<SessionsSubscribeResult, RequestError> {
    cx.caller.client.sessions_subscribed.store(true, Ordering::Relaxed);
    cx.gateway.listen_as_wanted();
    let has_filter = serde_json::to_value(&params).ok().and_then(|v| v.as_object().map(|o| !o.is_empty()));
    let list = if has_filter == Some(true) { Some(list(cx, params).await?) } else { None };
    Ok(SessionsSubscribeResult { subscribed: true, list })
}

/// `sessions.preview`.
pub(super) async fn preview(
    cx: Cx,
    params: SessionsPreviewParams,
) -> Result<SessionsPreviewResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("sessions.preview", "keys", Some(params.keys.len()), 1..=usize::MAX)?;
    check_range("sessions.preview", "limit", params.limit, 1..=u32::MAX)?;
    check_range("sessions.preview", "maxChars", params.max_chars, 20..=u32::MAX)?;
    let items = usize::try_from(params.limit.unwrap_or(DEFAULT_PREVIEW_ITEMS)).unwrap_or(1);
    let chars = usize::try_from(params.max_chars.unwrap_or(DEFAULT_PREVIEW_CHARS)).unwrap_or(1);
    let mut previews = Vec::new();
    for key in params.keys.into_iter().take(MAX_PREVIEW_KEYS) {
        previews.push(preview_one(gateway, key, items, chars).await?);
    }
    Ok(SessionsPreviewResult { ts: gateway.clock().now_ms(), previews })
}

async fn preview_one(
    gateway: &Gateway,
    said: SessionRef,
    items: usize,
    chars: usize,
) -> Result<SessionPreview, RequestError> {
    let preview = |status, items| SessionPreview { key: said.clone(), status, items };
    let Ok(key) = session_key(gateway, &said, None) else {
        return Ok(preview(PreviewStatus::Error, Vec::new()));
    };
    let Some(record) = gateway.store().sessions().get(&key).await? else {
        return Ok(preview(PreviewStatus::Missing, Vec::new()));
    };
    let last = gateway.store().transcripts().last_messages(&record.session_id, items).await?;
    let items: Vec<PreviewItem> =
        last.into_iter().filter_map(|place| preview_item(place.entry.kind, chars)).collect();
    Ok(preview(if items.is_empty() { PreviewStatus::Empty } else { PreviewStatus::Ok }, items))
}

fn preview_item(kind: EntryKind, chars: usize) -> Option<PreviewItem> {
    let EntryKind::Message { message } = kind else { return None };
    let role = match &message {
        Message::User(_) => PreviewRole::User,
        Message::Assistant(_) => PreviewRole::Assistant,
        Message::ToolResult(_) => PreviewRole::Tool,
        Message::Other(_) => return None,
    };
    let text = message.text().clip_chars(chars).to_owned();
    (!text.is_empty()).then_some(PreviewItem { role, text })
}

/// `sessions.resolve`.
pub(super) async fn resolve(
    cx: Cx,
    params: SessionsResolveParams,
) -> Result<SessionsResolveResult, RequestError> {
    let gateway = &cx.gateway;
    let found = find(gateway, &params).await?;
    match found {
        Some(record) => Ok(SessionsResolveResult {
            ok: true,
            key: Some(record.key),
            agent_id: Some(record.agent_id),
            session_id: Some(record.session_id),
        }),
        None if params.allow_missing == Some(true) => Ok(SessionsResolveResult::default()),
        None => Err(RequestError::invalid("No session found")),
    }
}

async fn find(
    gateway: &Gateway,
    params: &SessionsResolveParams,
) -> Result<Option<SessionRecord>, RequestError> {
    let store = gateway.store();
    let found = if let Some(key) = &params.key {
        store.sessions().get(&session_key(gateway, key, params.agent_id.as_ref())?).await
    } else if let Some(id) = &params.session_id {
        store.sessions().by_id(id).await
    } else if let Some(label) = &params.label {
        let config = gateway.config().current();
        let agent = match &params.agent_id {
            Some(agent) => agent.clone(),
            None => config.agents.default_agent().id.clone(),
        };
        store.sessions().by_label(&agent, label).await
    } else {
        return Err(RequestError::invalid("one of key, sessionId or label is required"));
    };
    Ok(found?)
}

/// What a turn would use.
pub(super) fn resolved(gateway: &Gateway, record: &SessionRecord) -> ResolvedModel {
    let ModelRef { provider, model } = gateway.relay().sessions().model_for(&record.key, Some(record));
    ResolvedModel { model_provider: provider.to_string(), model: model.to_string() }
}

pub(super) fn entry_value(record: &SessionRecord) -> Value {
    serde_json::to_value(&record.entry).unwrap_or_default()
}

/// Refuses when the caller's idea of the session is out of date.
async fn check_expected(
    gateway: &Gateway,
    key: &SessionKey,
    expected: Option<&str>,
) -> Result<(), RequestError> {
    let Some(expected) = expected else { return Ok(()) };
    let record = gateway.store().sessions().get(key).await?;
    if record.is_some_and(|record| record.session_id.as_str() == expected) {
        return Ok(());
    }
    Err(RequestError::invalid("the session changed since it was read; read it again and repeat the change"))
}

/// `sessions.reset`.
pub(super) async fn reset(cx: Cx, params: SessionsResetParams) -> Result<SessionsResetResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.key, params.agent_id.as_ref())?;
    check_expected(gateway, &key, params.expected_session_id.as_deref()).await?;
    let reason = match params.reason {
        Some(SessionsResetReason::New) => ResetReason::New,
        None | Some(SessionsResetReason::Reset) => ResetReason::Reset,
    };
    let reset = gateway.relay().sessions().reset(&key, reason).await?;
    Ok(SessionsResetResult {
        ok: true,
        key,
        entry: entry_value(&reset.record),
        resolved: resolved(gateway, &reset.record),
    })
}

/// `sessions.delete`.
pub(super) async fn delete(
    cx: Cx,
    params: SessionsDeleteParams,
) -> Result<SessionsDeleteResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.key, params.agent_id.as_ref())?;
    if key.is_main() {
        return Err(RequestError::invalid(format!(
            "Cannot delete the main session ({key}); reset it instead"
        )));
    }
    check_expected(gateway, &key, params.expected_session_id.as_deref()).await?;
    let record = gateway.store().sessions().get(&key).await?;
    if params.archived_only == Some(true) && record.as_ref().is_some_and(|r| r.entry.archived_at.is_none()) {
        return Err(RequestError::invalid("the session is not archived"));
    }
    gateway.relay().abort(&key, None, StopCause::Delete).await;
    gateway.relay().sessions().end_commands(&key);
    // The transcript always stays under an archive name: what is deleted by mistake can be brought back.
    let deleted = gateway.store().sessions().delete(&key, ArchiveTranscript::Keep).await?;
    if let Some(record) = record {
        gateway.relay().sessions().announce_change(&record, SessionChange::Delete);
        gateway.relay().sessions().ended(&key).await;
    }
    let archived = deleted.archived.iter().map(|path| path.display().to_string()).collect();
    Ok(SessionsDeleteResult { ok: true, key, deleted: deleted.deleted, archived })
}
