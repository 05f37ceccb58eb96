//! `sessions.groups.*`.

use homard_protocol::method::NoParams;
use homard_protocol::methods::sessions::groups::{
    MAX_GROUP_CHARS, MAX_GROUPS, SessionGroupDefaults, SessionGroupRow, SessionsGroupsDefaultsResult,
    SessionsGroupsDeleteParams, SessionsGroupsListResult, SessionsGroupsMutationResult,
    SessionsGroupsPutParams, SessionsGroupsRenameParams, SessionsGroupsUpdateParams,
    SessionsGroupsUpdateResult,
};
use homard_store::{GroupDefaults, SessionGroup};

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::check_range;
use crate::table::Cx;

/// Where the order of the list's sections is kept.
const ORDER_KEY: &str = "sessions.sectionOrder";

/// `sessions.groups.list`.
pub(crate) async fn list(cx: Cx, _params: NoParams) -> Result<SessionsGroupsListResult, RequestError> {
    let gateway = &cx.gateway;
    let groups = gateway.store().groups().list().await?;
    Ok(SessionsGroupsListResult { groups: rows(groups), section_order: order(gateway).await? })
}

/// `sessions.groups.defaults`.
pub(crate) async fn defaults(
    cx: Cx,
    _params: NoParams,
) -> Result<SessionsGroupsDefaultsResult, RequestError> {
    Ok(SessionsGroupsDefaultsResult { defaults: all_defaults(&cx.gateway).await? })
}

/// `sessions.groups.put`.
pub(crate) async fn put(
    cx: Cx,
    params: SessionsGroupsPutParams,
) -> Result<SessionsGroupsMutationResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("sessions.groups.put", "names", Some(params.names.len()), 0..=MAX_GROUPS)?;
    let mut names: Vec<String> = Vec::with_capacity(params.names.len());
    for name in &params.names {
        let name = checked("sessions.groups.put", "names", name)?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if let Some(order) = &params.section_order {
        check_range("sessions.groups.put", "sectionOrder", Some(order.len()), 0..=MAX_GROUPS)?;
        for name in order {
            checked("sessions.groups.put", "sectionOrder", name)?;
        }
        let text = homard_runtime::json::to_text(order);
        gateway.store().kv().set(ORDER_KEY, &text).await?;
    }
    let (groups, moved) = gateway.store().groups().put(names).await?;
    changed(gateway, groups, moved).await
}

/// `sessions.groups.rename`.
pub(crate) async fn rename(
    cx: Cx,
    params: SessionsGroupsRenameParams,
) -> Result<SessionsGroupsMutationResult, RequestError> {
    let gateway = &cx.gateway;
    let to = checked("sessions.groups.rename", "to", &params.to)?;
    let renamed = gateway.store().groups().rename(&params.name, &to).await;
    match renamed? {
        Some((groups, moved)) => changed(gateway, groups, moved).await,
        None => Err(unknown(&params.name)),
    }
}

/// `sessions.groups.update`.
pub(crate) async fn update(
    cx: Cx,
    params: SessionsGroupsUpdateParams,
) -> Result<SessionsGroupsUpdateResult, RequestError> {
    let gateway = &cx.gateway;
    let name = params.name.clone();
    let wanted = GroupDefaults { name: params.name, cwd: params.cwd, worktree: params.worktree };
    if !gateway.store().groups().update(wanted).await? {
        return Err(unknown(&name));
    }
    Ok(SessionsGroupsUpdateResult { ok: true, defaults: all_defaults(gateway).await? })
}

/// `sessions.groups.delete`.
pub(crate) async fn delete(
    cx: Cx,
    params: SessionsGroupsDeleteParams,
) -> Result<SessionsGroupsMutationResult, RequestError> {
    let gateway = &cx.gateway;
    let deleted = gateway.store().groups().delete(&params.name).await;
    let (groups, moved) = deleted?;
    changed(gateway, groups, moved).await
}

fn checked(method: &str, field: &str, name: &str) -> Result<String, RequestError> {
    let name = name.trim();
    check_range(method, field, Some(name.chars().count()), 1..=MAX_GROUP_CHARS)?;
    Ok(name.to_owned())
}

fn unknown(name: &str) -> RequestError {
    RequestError::invalid(format!("there is no group `{name}`"))
}

async fn changed(
    gateway: &Gateway,
    groups: Vec<SessionGroup>,
    moved: u64,
) -> Result<SessionsGroupsMutationResult, RequestError> {
    Ok(SessionsGroupsMutationResult {
        ok: true,
        groups: rows(groups),
        section_order: order(gateway).await?,
        updated_sessions: Some(moved),
    })
}

fn rows(groups: Vec<SessionGroup>) -> Vec<SessionGroupRow> {
    groups.into_iter().map(|group| SessionGroupRow { name: group.name, position: group.position }).collect()
}

async fn order(gateway: &Gateway) -> Result<Option<Vec<String>>, RequestError> {
    let kept = gateway.store().kv().get(ORDER_KEY).await?;
    Ok(kept.and_then(|text| serde_json::from_str(&text).ok()))
}

async fn all_defaults(gateway: &Gateway) -> Result<Vec<SessionGroupDefaults>, RequestError> {
    let defaults = gateway.store().groups().defaults().await?;
    let row = |group: GroupDefaults| SessionGroupDefaults {
        name: group.name,
        cwd: group.cwd,
        worktree: group.worktree.then_some(true),
    };
    Ok(defaults.into_iter().map(row).collect())
}
