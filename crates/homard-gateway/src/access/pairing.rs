//! Which devices the owner knows, and what happens when a new one knocks.
//!
//! A device on this machine that knows the shared secret is let in and remembered without a question. Any
//! other new device, and any that asks for more than it was given, waits for the owner.

use crate::error::RequestError;
use homard_protocol::connect::{ClientId, ClientMode, ConnectParams, HandedToken};
use homard_protocol::methods::devices::ApprovedVia;
use homard_protocol::{ErrorCode, Role, ScopeSet};
use homard_store::{HeldToken, NewDeviceRequest, PairedDevice, PendingDevice, StoreError};
use serde_json::json;

use crate::access::auth::{AuthMethod, AuthRefusal};
use crate::access::device_auth::ProvenDevice;
use crate::access::devices;
use crate::access::handshake::{Refusal, auth_refused};
use crate::access::origin::{Locality, Peer};
use crate::connections::fanout::Close;
use crate::gateway::Gateway;

/// A device that proved its key and asks to come in.
pub(crate) struct PairingQuestion<'a> {
    pub(crate) params: &'a ConnectParams,
    pub(crate) peer: &'a Peer,
    pub(crate) role: Role,
    pub(crate) requested: ScopeSet,
    pub(crate) device: &'a ProvenDevice,
}

/// A device that is in.
#[derive(Debug)]
pub(crate) struct Paired {
    pub(crate) method: AuthMethod,
    pub(crate) scopes: ScopeSet,
    /// Its token and when it was made.
    pub(crate) token: Option<(String, i64)>,
    /// Tokens for other roles.
    pub(crate) handed: Vec<HandedToken>,
}

/// Why a known or unknown device needs the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    NotPaired,
    RoleUpgrade,
    ScopeUpgrade,
    MetadataUpgrade,
}

impl Need {
    fn reason(self) -> &'static str {
        match self {
            Self::NotPaired => "not-paired",
            Self::RoleUpgrade => "role-upgrade",
            Self::ScopeUpgrade => "scope-upgrade",
            Self::MetadataUpgrade => "metadata-upgrade",
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::NotPaired => "pairing required: device is not approved yet",
            Self::RoleUpgrade => "pairing required: device asks for a new role",
            Self::ScopeUpgrade => "pairing required: device asks for more scopes than approved",
            Self::MetadataUpgrade => {
                "pairing required: device describes itself differently than when approved"
            }
        }
    }
}

/// Decides whether the owner must be asked.
pub(crate) fn need(known: Option<&PairedDevice>, question: &PairingQuestion<'_>) -> Option<Need> {
    let Some(known) = known else { return Some(Need::NotPaired) };
    if known.public_key != question.device.public_key {
        return Some(Need::NotPaired);
    }
    if !known.roles.contains(&question.role.into()) {
        return Some(Need::RoleUpgrade);
    }
    if !ScopeSet::parse(&known.scopes).covers(question.requested) {
        return Some(Need::ScopeUpgrade);
    }
    let client = &question.params.client;
    let differs = |then: Option<&str>, now: Option<&str>| match (then, now) {
        (Some(then), Some(now)) => !then.trim().eq_ignore_ascii_case(now.trim()),
        _ => false,
    };
    let changed = differs(known.platform.as_deref(), Some(&client.platform))
        || differs(known.device_family.as_deref(), client.device_family.as_deref());
    changed.then_some(Need::MetadataUpgrade)
}

/// Whether a need is met without asking: the machine is the owner's own and the secret was right.
fn is_silent(gateway: &Gateway, need: Need, question: &PairingQuestion<'_>, method: AuthMethod) -> bool {
    if question.peer.locality != Locality::Local {
        return false;
    }
    if need != Need::MetadataUpgrade && !gateway.config().current().gateway.nodes.auto_approve_local {
        return false;
    }
    match need {
        Need::NotPaired | Need::RoleUpgrade | Need::ScopeUpgrade => method != AuthMethod::DeviceToken,
        Need::MetadataUpgrade => question.peer.origin.is_none() || method != AuthMethod::DeviceToken,
    }
}

/// A device that also knows the shared secret.
pub(crate) async fn with_shared_secret(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    method: AuthMethod,
) -> Result<Paired, Refusal> {
    let client = &question.params.client;
    let own_service = client.id == ClientId::GatewayClient
        && client.mode == ClientMode::Backend
        && question.peer.locality == Locality::Local;
    // Somebody whom the proxy or the tailnet names needs no second introduction for the page.
    let named_page = client.id == ClientId::OpenclawControlUi
        && question.role == Role::Operator
        && matches!(method, AuthMethod::TrustedProxy | AuthMethod::Tailscale);
    if own_service || named_page {
        return Ok(Paired { method, scopes: question.requested, token: None, handed: Vec::new() });
    }
    let known = gateway.store().devices().get(&question.device.id).await?;
    match need(known.as_ref(), question) {
        None => {}
        Some(need) if is_silent(gateway, need, question, method) => {
            let device = described(gateway, question, known, ApprovedVia::Silent);
            tracing::info!(device = %device.device_id, client = %client.id, "a device on this machine was paired");
            gateway.store().devices().pair(device).await?;
        }
        Some(need) => return Err(ask_owner(gateway, question, need, known.as_ref()).await),
    }
    admitted(gateway, question, method).await
}

/// A device that does not know the shared secret, but may hold a token of its own.
pub(crate) async fn with_device_token(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    refusal: AuthRefusal,
) -> Result<Paired, Refusal> {
    let auth = question.params.auth.as_ref();
    let sent = sent_token(question.params);
    let store = gateway.store();
    let known = store.devices().get(&question.device.id).await?;
    let Some(sent) = sent else { return Err(auth_refused(refusal, false)) };
    let (role, generation) = (question.role, gateway.access().rules().generation.clone());
    let token = store.devices().check_token(&question.device.id, role, sent, &generation).await?;
    let Some(token) = token else {
        let tried = auth.is_some_and(|auth| auth.device_token.is_some());
        let holds_one = known.is_some();
        return Err(if tried { device_token_refused() } else { auth_refused(refusal, holds_one) });
    };
    if !ScopeSet::parse(&token.scopes).covers(question.requested) {
        return Err(token_too_narrow(gateway, question, known.as_ref()).await);
    }
    if let Some(need) = need(known.as_ref(), question)
        && !is_silent(gateway, need, question, AuthMethod::DeviceToken)
    {
        return Err(ask_owner(gateway, question, need, known.as_ref()).await);
    }
    admitted(gateway, question, AuthMethod::DeviceToken).await
}

/// The last step: a token for next time. Who came with a good one keeps it; anybody else gets one more, because only
/// hashes are kept and others may hold the earlier ones.
pub(crate) async fn admitted(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    method: AuthMethod,
) -> Result<Paired, Refusal> {
    let (store, id, role) = (gateway.store(), &question.device.id, question.role);
    let generation = gateway.access().rules().generation.clone();
    let fits = |held: &HeldToken| ScopeSet::parse(&held.scopes).covers(question.requested);
    let mut token = None;
    if let Some(sent) = sent_token(question.params) {
        let held = store.devices().check_token(id, role, sent, &generation).await?;
        token = held.filter(fits).map(|held| (sent.to_owned(), held.created_at));
    }
    store.devices().touch(id, role, token.as_ref().map(|(sent, _)| sent.as_str())).await?;
    let token = match token {
        Some(token) => token,
        None => {
            let scopes = question.requested.to_strings();
            let token = store.devices().issue_token(id, role, &scopes, &generation).await?;
            (token, gateway.clock().now_ms())
        }
    };
    Ok(Paired { method, scopes: question.requested, token: Some(token), handed: Vec::new() })
}

/// What a client sent that may be a device token.
fn sent_token(params: &ConnectParams) -> Option<&str> {
    let auth = params.auth.as_ref()?;
    auth.device_token.as_deref().or(auth.token.as_deref())
}

/// A device that came with a setup code. With `extra` its person may connect, too, and do that much.
pub(crate) async fn let_in_by_code(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    extra: ScopeSet,
) -> Result<(), Refusal> {
    let known = gateway.store().devices().get(&question.device.id).await?;
    let mut device = described(gateway, question, known, ApprovedVia::Bootstrap);
    let operator = Role::Operator.into();
    if !extra.is_empty() && !device.roles.contains(&operator) {
        device.roles.push(operator);
    }
    device.scopes = ScopeSet::parse(&device.scopes).union(extra).to_strings();
    tracing::info!(device = %device.device_id, client = %question.params.client.id, "a device came with a setup code");
    Ok(gateway.store().devices().pair(device).await?)
}

/// What the device may do from now on.
fn described(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    known: Option<PairedDevice>,
    via: ApprovedVia,
) -> PairedDevice {
    let now = gateway.clock().now_ms();
    let client = &question.params.client;
    let known = known.filter(|known| known.public_key == question.device.public_key);
    let before = known.as_ref().map(|known| ScopeSet::parse(&known.scopes)).unwrap_or_default();
    let mut roles = known.as_ref().map(|known| known.roles.clone()).unwrap_or_default();
    if !roles.contains(&question.role.into()) {
        roles.push(question.role.into());
    }
    PairedDevice {
        device_id: question.device.id.clone(),
        public_key: question.device.public_key.clone(),
        display_name: client.display_name.clone(),
        operator_label: None,
        platform: Some(client.platform.clone()),
        device_family: client.device_family.clone(),
        client_id: Some(client.id.to_string()),
        client_mode: Some(client.mode.to_string()),
        roles,
        scopes: before.union(question.requested).to_strings(),
        remote_ip: Some(question.peer.ip.to_string()),
        approved_via: Some(via.into()),
        created_at: known.as_ref().map_or(now, |known| known.created_at),
        approved_at: now,
        last_seen_at: Some(now),
    }
}

/// A good token that covers less than is asked for. Clients know this as an error of its own; the owner is asked
/// all the same where a yes would help, because a device without the shared secret has no other way to ask.
async fn token_too_narrow(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    known: Option<&PairedDevice>,
) -> Refusal {
    let (code, reason) = ("AUTH_SCOPE_MISMATCH", "scope_mismatch");
    let details = match need(known, question) {
        Some(need @ Need::ScopeUpgrade) => match post_request(gateway, question, need).await {
            Ok(pending) => json!({
                "code": code,
                "authReason": reason,
                "reason": need.reason(),
                "requestId": pending.request_id,
            }),
            Err(error) => return error.into(),
        },
        _ => json!({"code": code, "authReason": reason}),
    };
    let error = RequestError::invalid("unauthorized: the device token does not cover these scopes");
    Refusal::policy(error.with_details(details))
}

/// Keeps the request and tells those who may decide.
async fn post_request(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    need: Need,
) -> Result<PendingDevice, StoreError> {
    let client = &question.params.client;
    let request = NewDeviceRequest {
        device_id: question.device.id.clone(),
        public_key: question.device.public_key.clone(),
        display_name: client.display_name.clone(),
        platform: Some(client.platform.clone()),
        device_family: client.device_family.clone(),
        client_id: Some(client.id.to_string()),
        client_mode: Some(client.mode.to_string()),
        role: question.role.into(),
        scopes: question.requested.to_strings(),
        remote_ip: Some(question.peer.ip.to_string()),
        browser_origin: question.peer.origin.clone(),
        silent: false,
    };
    let outcome = gateway.store().devices().request_pairing(request).await?;
    if outcome.created && gateway.access().noise.allows("device waits for approval") {
        let (device, request) = (&question.device.id, &outcome.request.request_id);
        tracing::warn!(
            %device, %request, reason = need.reason(),
            "a device waits for approval; look with `homard devices list`, answer with `homard devices approve`"
        );
    }
    devices::tell_asked(gateway, &outcome);
    Ok(outcome.request)
}

async fn ask_owner(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    need: Need,
    known: Option<&PairedDevice>,
) -> Refusal {
    let pending = match post_request(gateway, question, need).await {
        Ok(pending) => pending,
        Err(error) => return error.into(),
    };
    let error = RequestError::new(ErrorCode::NotPaired, need.message()).with_details(json!({
        "code": "PAIRING_REQUIRED",
        "reason": need.reason(),
        "requestId": pending.request_id,
        "recommendedNextStep": "wait_then_retry",
        "pauseReconnect": true,
        "deviceId": question.device.id,
        "requestedRole": question.role.as_str(),
        "requestedScopes": question.requested.to_strings(),
        "approvedRoles": known.map(|known| known.roles.clone()).unwrap_or_default(),
        "approvedScopes": known.map(|known| known.scopes.clone()).unwrap_or_default(),
    }));
    let close = Close::new(1008, format!("{} (requestId: {})", error.message(), pending.request_id));
    Refusal::new(error, close)
}

fn device_token_refused() -> Refusal {
    let error =
        RequestError::invalid("unauthorized: the device token was not accepted").with_details(json!({
            "code": "AUTH_DEVICE_TOKEN_MISMATCH",
            "authReason": "device_token_mismatch",
            "canRetryWithDeviceToken": false,
            "recommendedNextStep": "update_auth_credentials",
        }));
    Refusal::policy(error)
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let error = RequestError::unavailable(format!("pairing could not be looked up: {error}"));
        Self::new(error, Close::new(1013, "gateway unavailable"))
    }
}
