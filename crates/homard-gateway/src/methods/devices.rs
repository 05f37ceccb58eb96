//! `device.pair.*` and `device.token.*`.
//!
//! Nobody gives away more than they hold, and a device without operator.admin manages nobody but itself.

pub(crate) mod setup_codes;

use homard_protocol::events::PairDecision;
use homard_protocol::method::NoParams;
use homard_protocol::methods::devices::setup_codes::{
    DevicePairSetupCode, DevicePairSetupStatus, DeviceScopesRequestUpgrade, DeviceScopesWaitUpgrade,
};
use homard_protocol::methods::devices::{
    ApprovedVia, DeviceLabel, DevicePairApprove, DevicePairApproved, DevicePairList, DevicePairListResult,
    DevicePairReject, DevicePairRejected, DevicePairRemove, DevicePairRename, DeviceParams,
    DeviceRequestParams, DeviceTokenParams, DeviceTokenRevoke, DeviceTokenRevoked, DeviceTokenRotate,
    DeviceTokenRotateParams, DeviceTokenRotated, MAX_DEVICE_LABEL, TokenDelivery,
};
use homard_protocol::{DeviceId, Role, ScopeSet};
use homard_runtime::visible;
use homard_store::{PairedDevice, PendingDevice};

use crate::access::auth::AuthMethod;
use crate::access::caller::Caller;
use crate::access::devices::{hang_up, paired, pending, tell_resolved};
use crate::error::RequestError;
use crate::table::{Cx, MethodTable};

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<DevicePairApprove, _, _>(approve)
        .on::<DevicePairList, _, _>(list)
        .on::<DevicePairReject, _, _>(reject)
        .on::<DevicePairRemove, _, _>(remove)
        .on::<DevicePairRename, _, _>(rename)
        .on::<DevicePairSetupCode, _, _>(setup_codes::make)
        .on::<DevicePairSetupStatus, _, _>(setup_codes::status)
        .on::<DeviceScopesRequestUpgrade, _, _>(setup_codes::request_upgrade)
        .on::<DeviceScopesWaitUpgrade, _, _>(setup_codes::wait_upgrade)
        .on::<DeviceTokenRevoke, _, _>(revoke)
        .on::<DeviceTokenRotate, _, _>(rotate)
}

/// `device.pair.list`.
pub(super) async fn list(cx: Cx, _params: NoParams) -> Result<DevicePairListResult, RequestError> {
    let store = cx.gateway.store();
    let only = if cx.caller.is_admin() { None } else { cx.caller.client.device.as_ref() };
    let shown = |device: &DeviceId| only.is_none_or(|only| only == device);
    let mut listed = DevicePairListResult::default();
    for request in store.devices().pending().await? {
        if shown(&request.asked.device_id) {
            listed.pending.push(pending(request));
        }
    }
    for device in store.devices().paired().await? {
        if shown(&device.device_id) {
            listed.paired.push(paired(&cx.gateway, device).await?);
        }
    }
    Ok(listed)
}

/// `device.pair.approve`.
pub(super) async fn approve(cx: Cx, params: DeviceRequestParams) -> Result<DevicePairApproved, RequestError> {
    let request = decidable(&cx, &params, "approval").await?;
    if request.asked.role == Role::Operator.into() {
        may_grant(&cx.caller, ScopeSet::parse(&request.asked.scopes))?;
    }
    // A request never changes what it asks for: asking for something else is another request.
    let device = cx.gateway.store().devices().approve(&params.request_id, ApprovedVia::Owner).await;
    let device = device?.ok_or_else(unknown_request)?;
    tell_resolved(&cx.gateway, &params.request_id, &device.device_id, PairDecision::Approved);
    let device = paired(&cx.gateway, device).await?;
    Ok(DevicePairApproved { request_id: params.request_id, device })
}

/// `device.pair.reject`.
pub(super) async fn reject(cx: Cx, params: DeviceRequestParams) -> Result<DevicePairRejected, RequestError> {
    decidable(&cx, &params, "rejection").await?;
    let request = cx.gateway.store().devices().reject(&params.request_id).await;
    let request = request?.ok_or_else(unknown_request)?;
    let device_id = request.asked.device_id;
    tell_resolved(&cx.gateway, &params.request_id, &device_id, PairDecision::Rejected);
    Ok(DevicePairRejected { request_id: params.request_id, device_id })
}

/// `device.pair.remove`.
pub(super) async fn remove(cx: Cx, params: DeviceParams) -> Result<DeviceParams, RequestError> {
    may_manage(&cx.caller, &params.device_id, "removal")?;
    let device_id = &params.device_id;
    let waiting = cx.gateway.store().devices().pending().await?;
    let known = cx.gateway.store().devices().remove(device_id).await?;
    if let Some(request) = waiting.iter().find(|request| request.asked.device_id == *device_id) {
        tell_resolved(&cx.gateway, &request.request_id, device_id, PairDecision::Rejected);
    }
    if !known {
        return Err(unknown_device());
    }
    tracing::info!(device = %device_id, by = %cx.caller.id, "a device was removed");
    hang_up(&cx.gateway, device_id, None, &cx.caller.client, "device removed");
    Ok(params)
}

/// `device.pair.rename`.
pub(super) async fn rename(cx: Cx, params: DeviceLabel) -> Result<DeviceLabel, RequestError> {
    let label = visible(params.label.trim());
    if label.is_empty() || label.chars().count() > MAX_DEVICE_LABEL || label.contains(['\n', '\t']) {
        return Err(RequestError::invalid(format!(
            "invalid device.pair.rename params: at /label: must be one line of 1 to {MAX_DEVICE_LABEL} characters"
        )));
    }
    may_manage(&cx.caller, &params.device_id, "renaming")?;
    let known = cx.gateway.store().devices().label(&params.device_id, &label).await;
    if !known? {
        return Err(unknown_device());
    }
    Ok(DeviceLabel { device_id: params.device_id, label })
}

/// `device.token.rotate`.
pub(super) async fn rotate(
    cx: Cx,
    params: DeviceTokenRotateParams,
) -> Result<DeviceTokenRotated, RequestError> {
    let DeviceTokenRotateParams { device_id, role, scopes } = params;
    may_manage_token(&cx.caller, &device_id, role, "rotation")?;
    let device = with_role(&cx, &device_id, role).await?;
    let store = cx.gateway.store();
    let before = store.devices().token(&device_id, role).await?;
    let scopes = match scopes {
        Some(scopes) => known_scopes(&scopes)?,
        None => ScopeSet::parse(before.map(|token| token.scopes).unwrap_or_else(|| device.scopes.clone())),
    };
    if !ScopeSet::parse(&device.scopes).covers(scopes) {
        return Err(RequestError::invalid(
            "device token rotation denied: the device is not approved for these scopes",
        ));
    }
    may_grant(&cx.caller, scopes)?;
    let (names, generation) = (scopes.to_strings(), cx.gateway.access().rules().generation.clone());
    let token = store.devices().rotate_token(&device_id, role, &names, &generation).await;
    let token = token?;
    let own = is_own(&cx.caller, &device_id)
        && cx.caller.client.role == role
        && cx.caller.via == AuthMethod::DeviceToken;
    tracing::info!(device = %device_id, %role, by = %cx.caller.id, "a device token was rotated");
    hang_up(&cx.gateway, &device_id, Some(role), &cx.caller.client, "device token rotated");
    Ok(DeviceTokenRotated {
        device_id,
        role,
        token: own.then_some(token),
        scopes: names,
        rotated_at_ms: cx.gateway.clock().now_ms(),
        token_delivery: if own { TokenDelivery::InBand } else { TokenDelivery::WithheldCrossDevice },
    })
}

/// `device.token.revoke`.
pub(super) async fn revoke(cx: Cx, params: DeviceTokenParams) -> Result<DeviceTokenRevoked, RequestError> {
    let DeviceTokenParams { device_id, role } = params;
    may_manage_token(&cx.caller, &device_id, role, "revocation")?;
    let revoked = cx.gateway.store().devices().revoke_token(&device_id, role).await;
    let revoked_at_ms = revoked?.ok_or_else(unknown_device_or_role)?;
    tracing::info!(device = %device_id, %role, by = %cx.caller.id, "a device token was revoked");
    hang_up(&cx.gateway, &device_id, Some(role), &cx.caller.client, "device token revoked");
    Ok(DeviceTokenRevoked { device_id, role, revoked_at_ms })
}

/// The request, if this caller may decide about it.
async fn decidable(cx: &Cx, params: &DeviceRequestParams, what: &str) -> Result<PendingDevice, RequestError> {
    let request = cx.gateway.store().devices().pending_request(&params.request_id).await;
    let request = request?.ok_or_else(unknown_request)?;
    let caller = &cx.caller;
    let by_token = matches!(caller.via, AuthMethod::DeviceToken | AuthMethod::SetupCode);
    let limited = !caller.is_admin() && by_token;
    let own = is_own(caller, &request.asked.device_id) && request.asked.role == Role::Operator.into();
    if limited && !own { Err(denied("pairing", what)) } else { Ok(request) }
}

/// Nobody hands out what they do not have.
fn may_grant(caller: &Caller, scopes: ScopeSet) -> Result<(), RequestError> {
    scopes.iter().try_for_each(|scope| caller.check_scope(scope))
}

fn is_own(caller: &Caller, device_id: &DeviceId) -> bool {
    caller.client.device.as_ref() == Some(device_id)
}

/// A device without operator.admin manages itself only.
fn may_manage(caller: &Caller, device_id: &DeviceId, what: &str) -> Result<(), RequestError> {
    let limited = !caller.is_admin() && caller.client.device.is_some();
    if limited && !is_own(caller, device_id) { Err(denied("pairing", what)) } else { Ok(()) }
}

/// Without operator.admin one's own token as an operator, and no other.
fn may_manage_token(
    caller: &Caller,
    device_id: &DeviceId,
    role: Role,
    what: &str,
) -> Result<(), RequestError> {
    let own = is_own(caller, device_id) && role == Role::Operator;
    if own || caller.is_admin() { Ok(()) } else { Err(denied("token", what)) }
}

async fn with_role(cx: &Cx, device_id: &DeviceId, role: Role) -> Result<PairedDevice, RequestError> {
    let device = cx.gateway.store().devices().get(device_id).await?;
    let has_role = |device: &PairedDevice| device.roles.contains(&role.into());
    device.filter(has_role).ok_or_else(unknown_device_or_role)
}

fn known_scopes(names: &[String]) -> Result<ScopeSet, RequestError> {
    match names.iter().find(|name| homard_protocol::Scope::parse(name).is_none()) {
        Some(name) => Err(RequestError::invalid(format!(
            "invalid device.token.rotate params: at /scopes: there is no scope `{}`",
            visible(name)
        ))),
        None => Ok(ScopeSet::parse(names)),
    }
}

fn denied(family: &str, what: &str) -> RequestError {
    RequestError::invalid(format!("device {family} {what} denied"))
}

fn unknown_request() -> RequestError {
    RequestError::invalid("unknown requestId")
}

fn unknown_device() -> RequestError {
    RequestError::invalid("unknown deviceId")
}

fn unknown_device_or_role() -> RequestError {
    RequestError::invalid("unknown deviceId/role")
}
