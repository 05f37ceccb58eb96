//! `device.pair.setupCode`, `device.pair.setupStatus`, `device.scopes.*`.

use std::time::{Duration, Instant};

use homard_config::Secret;
use homard_protocol::events::PairDecision;
use homard_protocol::methods::devices::setup_codes::{
    MAX_SETUP_ID, MAX_UPGRADE_SCOPES, ScopeUpgradeAsked, ScopeUpgradeOutcome, ScopeUpgradeParams,
    ScopeUpgradeStatus, SetupCodeParams, SetupCodeResult, SetupStatusParams, SetupStatusResult,
};
use homard_protocol::{DeviceId, Role, Scope, ScopeSet};
use homard_store::{NewDeviceRequest, PENDING_TTL_MS};
use serde_json::json;

use crate::access::devices::tell_asked;
use crate::access::setup_codes;
use crate::error::RequestError;
use crate::methods::check_range;
use crate::table::Cx;

/// `device.pair.setupCode`.
pub(crate) async fn make(cx: Cx, params: SetupCodeParams) -> Result<SetupCodeResult, RequestError> {
    if params.join_url == Some(false) {
        return Err(RequestError::invalid("invalid device.pair.setupCode params: at /joinUrl: must be true"));
    }
    Ok(setup_codes::make(&cx.gateway, &params).await?)
}

/// `device.pair.setupStatus`.
pub(crate) async fn status(cx: Cx, params: SetupStatusParams) -> Result<SetupStatusResult, RequestError> {
    let length = params.setup_id.chars().count();
    check_range("device.pair.setupStatus", "setupId", Some(length), 1..=MAX_SETUP_ID)?;
    let code = cx.gateway.store().setup_codes().get(&params.setup_id).await?;
    Ok(SetupStatusResult { completion: code.and_then(setup_codes::completion) })
}

/// `device.scopes.requestUpgrade`.
pub(crate) async fn request_upgrade(
    cx: Cx,
    params: ScopeUpgradeParams,
) -> Result<ScopeUpgradeAsked, RequestError> {
    let method = "device.scopes.requestUpgrade";
    check_range(method, "scopes", Some(params.scopes.len()), 1..=MAX_UPGRADE_SCOPES)?;
    if params.scopes.iter().any(|name| Scope::parse(name).is_none()) {
        return Err(RequestError::invalid("requested scopes contain an unknown operator scope"));
    }
    let wanted = ScopeSet::parse(&params.scopes);
    if !wanted.covers(cx.caller.client.scopes) {
        return Err(RequestError::invalid("requested scopes must include the connection's current scopes"));
    }
    let device_id = own_device(&cx)?;
    let store = cx.gateway.store();
    let known = store.devices().get(device_id).await?.ok_or_else(no_device)?;
    let request = NewDeviceRequest {
        device_id: known.device_id,
        public_key: known.public_key,
        display_name: known.display_name,
        platform: known.platform,
        device_family: known.device_family,
        client_id: Some(cx.caller.id.to_string()),
        client_mode: Some(cx.caller.mode.to_string()),
        role: Role::Operator.into(),
        scopes: wanted.to_strings(),
        remote_ip: Some(cx.caller.peer.ip.to_string()),
        browser_origin: cx.caller.peer.origin.clone(),
        silent: false,
    };
    let outcome = store.devices().request_pairing(request).await?;
    let request_id = outcome.request.request_id.clone();
    cx.gateway.access().upgrades.asked(&request_id, device_id, Instant::now());
    tell_asked(&cx.gateway, &outcome);
    Ok(ScopeUpgradeAsked { request_id })
}

/// `device.scopes.waitUpgrade`.
pub(crate) async fn wait_upgrade(
    cx: Cx,
    params: ScopeUpgradeAsked,
) -> Result<ScopeUpgradeOutcome, RequestError> {
    let device_id = own_device(&cx)?;
    let decision = cx.gateway.access().upgrades.decision(&params.request_id, device_id);
    let mut decision = decision.ok_or_else(|| RequestError::invalid("scope upgrade expired or not found"))?;
    let patience = Duration::from_millis(u64::try_from(PENDING_TTL_MS).unwrap_or_default());
    let decided = tokio::time::timeout(patience, decision.wait_for(Option::is_some)).await;
    let decided = decided.ok().and_then(|known| known.ok().and_then(|known| *known));
    let status = match decided {
        Some(PairDecision::Approved) => ScopeUpgradeStatus::Approved,
        Some(PairDecision::Rejected) => ScopeUpgradeStatus::Rejected,
        None => ScopeUpgradeStatus::Expired,
    };
    let mut outcome =
        ScopeUpgradeOutcome { status, request_id: params.request_id, device_token: None, scopes: None };
    // The token it came with may do more now; nobody but the device knows it any more.
    if status == ScopeUpgradeStatus::Approved
        && let Some(token) = cx.caller.token.as_ref().map(Secret::expose)
    {
        let (role, generation) = (Role::Operator, cx.gateway.access().rules().generation.clone());
        let held = cx.gateway.store().devices().check_token(device_id, role, token, &generation).await;
        if let Some(held) = held? {
            outcome.scopes = Some(held.scopes);
            outcome.device_token = Some(token.to_owned());
        }
    }
    Ok(outcome)
}

fn own_device(cx: &Cx) -> Result<&DeviceId, RequestError> {
    cx.caller.client.device.as_ref().ok_or_else(no_device)
}

fn no_device() -> RequestError {
    RequestError::invalid("only a paired device can ask for more; connect with a device identity first")
        .with_details(json!({
            "code": "DEVICE_IDENTITY_REQUIRED",
            "recommendedNextStep": "reopen_control_ui_securely",
        }))
}
