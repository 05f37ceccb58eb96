//! `connect`: from a stranger's first frame to a `Caller`, or to the refusal clients know.
//!
//! The order is the documented one: version, role, origin, shared secret, device proof, pairing. Everything
//! that decides is a pure function over values; only pairing touches the store.

use crate::error::RequestError;
use std::time::Instant;

use homard_protocol::connect::{ClientId, ClientMode, ConnectParams, HandedToken};
use homard_protocol::limits::{MIN_PROTOCOL_VERSION, PROTOCOL_VERSION};
use homard_protocol::{ErrorCode, Role, ScopeSet, Word};
use homard_runtime::millis;
use serde_json::json;

use crate::access::auth::{AuthMethod, AuthRefusal};
use crate::access::device_auth::{ProofRefusal, ProvenDevice, check_proof};
use crate::access::origin::{Locality, Peer, Source, check_origin};
use crate::access::pairing::{self, Paired, PairingQuestion};
use crate::access::proxy;
use crate::access::setup_codes;
use crate::connections::fanout::Close;
use crate::gateway::Gateway;

/// A refusal: what the response says and how the socket closes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) error: Box<RequestError>,
    pub(crate) close: Close,
}

impl Refusal {
    pub(crate) fn new(error: RequestError, close: Close) -> Self {
        Self { error: Box::new(error), close }
    }

    /// Closed with 1008 and the error's own words.
    pub(crate) fn policy(error: RequestError) -> Self {
        let close = Close::new(1008, error.message().to_owned());
        Self::new(error, close)
    }
}

/// A client that is let in.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) role: Role,
    pub(crate) scopes: ScopeSet,
    pub(crate) method: AuthMethod,
    pub(crate) device: Option<ProvenDevice>,
    /// The token to use next time.
    pub(crate) device_token: Option<(String, i64)>,
    /// Tokens for other roles.
    pub(crate) handed: Vec<HandedToken>,
}

/// Decides about one `connect`.
pub(crate) async fn admit(
    gateway: &Gateway,
    params: &ConnectParams,
    peer: &Peer,
    nonce: &str,
) -> Result<Admission, Refusal> {
    check_version(params)?;
    let role = read_role(params)?;
    let access = gateway.access().rules();
    check_page(params, peer, &access.allowed_origins)?;

    let requested = ScopeSet::parse(&params.scopes);
    let who = peer.source.to_string();
    let exempt = access.exempt_loopback && peer.source == Source::ThisMachine;
    if !exempt && let Some(wait) = gateway.access().guesses.shut_for(&who, Instant::now()) {
        return Err(rate_limited(wait));
    }

    let shared = proxy::prove(gateway, &access, params.auth.as_ref(), peer).await;
    if let Err(refusal) = shared
        && refusal.is_guess()
        && !exempt
        && params.device.is_none()
    {
        gateway.access().guesses.wrong(&who, access.guess_limit, Instant::now());
    }
    let Some(proof) = &params.device else {
        let (method, scopes) = without_device(params, peer, role, requested, shared)?;
        let scopes = peer.claims.cap(method, scopes);
        return Ok(Admission { role, scopes, method, device: None, device_token: None, handed: Vec::new() });
    };
    let device = check_proof(params, proof, nonce, gateway.clock().now_ms()).map_err(proof_refused)?;
    let question = PairingQuestion { params, peer, role, requested, device: &device };
    let paired = match shared {
        Ok(method) => {
            gateway.access().guesses.right(&who);
            pairing::with_shared_secret(gateway, &question, method).await?
        }
        Err(refusal) => {
            let code = sent_code(params);
            let outcome = without_secret(gateway, &question, refusal).await;
            if outcome.is_err() && (refusal.is_guess() || code.is_some()) && !exempt {
                gateway.access().guesses.wrong(&who, access.guess_limit, Instant::now());
            }
            outcome?
        }
    };
    let Paired { method, scopes, token, handed } = paired;
    let scopes = peer.claims.cap(method, scopes);
    Ok(Admission { role, scopes, method, device: Some(device), device_token: token, handed })
}

/// The token of a setup code, when one was sent.
fn sent_code(params: &ConnectParams) -> Option<&str> {
    params.auth.as_ref()?.bootstrap_token.as_deref().filter(|token| !token.is_empty())
}

/// A device that does not know the shared secret: with a setup code, else with a token of its own.
async fn without_secret(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    refusal: AuthRefusal,
) -> Result<Paired, Refusal> {
    let Some(code) = sent_code(question.params) else {
        return pairing::with_device_token(gateway, question, refusal).await;
    };
    let redeemed = setup_codes::redeem(gateway, question, code).await;
    let holds_token = question.params.auth.as_ref().is_some_and(|auth| auth.device_token.is_some());
    match redeemed {
        Err(_used) if holds_token => pairing::with_device_token(gateway, question, refusal).await,
        redeemed => redeemed,
    }
}

fn check_version(params: &ConnectParams) -> Result<(), Refusal> {
    let (min, max) = (params.min_protocol, params.max_protocol);
    // Protocol 3 and 4 are both served; the hello always says 4.
    if min <= PROTOCOL_VERSION && max >= MIN_PROTOCOL_VERSION && min <= max {
        return Ok(());
    }
    let error = RequestError::invalid("protocol mismatch").with_details(json!({
        "code": "PROTOCOL_MISMATCH",
        "clientMinProtocol": min,
        "clientMaxProtocol": max,
        "expectedProtocol": PROTOCOL_VERSION,
        "minimumProbeProtocol": MIN_PROTOCOL_VERSION,
    }));
    Err(Refusal::new(error, Close::new(1002, "protocol mismatch")))
}

fn read_role(params: &ConnectParams) -> Result<Role, Refusal> {
    match &params.role {
        None => Ok(Role::default()),
        Some(Word::Known(role)) => Ok(*role),
        Some(Word::Other(_)) => Err(Refusal::policy(RequestError::invalid("invalid role"))),
    }
}

/// A page must come from an allowed place, whatever program it says it is.
fn check_page(params: &ConnectParams, peer: &Peer, listed: &[String]) -> Result<(), Refusal> {
    if !params.client.id.is_browser_ui() && peer.origin.is_none() {
        return Ok(());
    }
    check_origin(peer, listed).map_err(|refusal| {
        Refusal::policy(RequestError::invalid(refusal.message()).with_details(json!({
            "code": "CONTROL_UI_ORIGIN_NOT_ALLOWED",
            "reason": refusal.reason(),
        })))
    })
}

/// What a client without a device key may do.
fn without_device(
    params: &ConnectParams,
    peer: &Peer,
    role: Role,
    requested: ScopeSet,
    shared: Result<AuthMethod, AuthRefusal>,
) -> Result<(AuthMethod, ScopeSet), Refusal> {
    let client = &params.client;
    let page = client.id == ClientId::OpenclawControlUi || client.mode == ClientMode::Ui;
    if page && role == Role::Operator && shared == Ok(AuthMethod::TrustedProxy) {
        return Ok((AuthMethod::TrustedProxy, ScopeSet::EMPTY));
    }
    if client.id == ClientId::OpenclawControlUi {
        let error = RequestError::invalid("control ui requires device identity (use https or localhost)")
            .with_details(json!({"code": "CONTROL_UI_DEVICE_IDENTITY_REQUIRED"}));
        return Err(Refusal::policy(error));
    }
    let method = match shared {
        Ok(method) => method,
        Err(refusal) if refusal.is_guess() || refusal.is_about_a_person() => {
            return Err(auth_refused(refusal, false));
        }
        Err(_) => return Err(device_required()),
    };
    if role != Role::Operator {
        return Err(device_required());
    }
    let own_program = matches!(
        (client.id, client.mode),
        (ClientId::GatewayClient, ClientMode::Backend) | (ClientId::Cli, ClientMode::Cli)
    );
    let trusted = own_program && peer.locality == Locality::Local && peer.origin.is_none();
    Ok((method, if trusted { requested } else { ScopeSet::EMPTY }))
}

fn device_required() -> Refusal {
    let error = RequestError::new(ErrorCode::NotPaired, "device identity required")
        .with_details(json!({"code": "DEVICE_IDENTITY_REQUIRED"}));
    Refusal::policy(error)
}

fn proof_refused(refusal: ProofRefusal) -> Refusal {
    let error = RequestError::invalid(refusal.message())
        .with_details(json!({"code": refusal.code(), "reason": refusal.reason()}));
    Refusal::policy(error)
}

/// A wrong or missing shared secret.
pub(crate) fn auth_refused(refusal: AuthRefusal, can_retry_with_device_token: bool) -> Refusal {
    let next = if can_retry_with_device_token { "retry_with_device_token" } else { refusal.next_step() };
    let error = RequestError::invalid(refusal.message()).with_details(json!({
        "code": refusal.code(),
        "authReason": refusal.reason(),
        "canRetryWithDeviceToken": can_retry_with_device_token,
        "recommendedNextStep": next,
    }));
    Refusal::policy(error)
}

fn rate_limited(wait: std::time::Duration) -> Refusal {
    let ms = millis(wait);
    let error = RequestError::invalid("unauthorized: too many failed attempts, wait and try again")
        .with_details(json!({
            "code": "AUTH_RATE_LIMITED",
            "authReason": "rate_limited",
            "canRetryWithDeviceToken": false,
            "recommendedNextStep": "wait_then_retry",
        }))
        .retry_after(ms);
    Refusal::policy(error)
}

#[cfg(test)]
mod tests;
