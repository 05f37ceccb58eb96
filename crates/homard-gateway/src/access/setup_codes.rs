//! Setup codes: an administrator makes one, a device scans it and is let in without a question.
//!
//! A code is an address and a token that opens the door for one device, once per role, for ten minutes. What it
//! is worth was decided when it was made. `address` finds where the device has to connect, `picture` draws it.

mod address;
mod picture;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use homard_protocol::connect::HandedToken;
use homard_protocol::events::{DevicePairSetupCompletedEvent, PairDecision};
use homard_protocol::methods::devices::setup_codes::{
    SETUP_TTL_MS, SetupCodeParams, SetupCodeResult, SetupCompletion, SetupPayload, SetupProfile,
    setup_access, setup_scopes,
};
use homard_protocol::{Role, ScopeSet};
use homard_runtime::{brief, visible};
use homard_store::{NewSetupCode, SetupCode, SetupUse, StoreError};
use serde_json::{Value, json};

use self::address::{Network, UrlError};
use crate::access::auth::AuthMethod;
use crate::access::devices;
use crate::access::handshake::Refusal;
use crate::access::pairing::{self, Paired, PairingQuestion};
use crate::error::RequestError;
use crate::gateway::Gateway;

/// Random bytes of the token in a code.
const TOKEN_BYTES: usize = 32;
/// Random bytes of a joining address.
const JOIN_BYTES: usize = 16;
/// Most characters kept of what a device calls itself.
const MAX_NAME: usize = 64;

/// Why no code was made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetupError {
    /// No device could find this gateway.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// A joining address is for machines that type nothing.
    #[error("Join URLs require bootstrapProfile=node.")]
    JoinNeedsNode,
    /// The code does not fit a picture.
    #[error("the code could not be drawn: {0}")]
    Picture(String),
    /// The system has no randomness.
    #[error("the system gave no random bytes for a setup code")]
    Random,
    /// It could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<SetupError> for RequestError {
    fn from(failure: SetupError) -> Self {
        match failure {
            SetupError::Url(_) | SetupError::JoinNeedsNode => Self::invalid(failure.to_string()),
            SetupError::Picture(_) | SetupError::Random => Self::unavailable(failure.to_string()),
            SetupError::Store(inner) => inner.into(),
        }
    }
}

/// Makes a code.
pub(crate) async fn make(gateway: &Gateway, params: &SetupCodeParams) -> Result<SetupCodeResult, SetupError> {
    let join = params.join_url == Some(true);
    if join && params.bootstrap_profile != Some(SetupProfile::Node) {
        return Err(SetupError::JoinNeedsNode);
    }
    let place = address::find(params, &network(gateway))?;
    let downgraded = params.bootstrap_profile.is_none() && place.is_open_road();
    let profile = if downgraded { Some(SetupProfile::Limited) } else { params.bootstrap_profile };
    let join_code = if join { Some(random(JOIN_BYTES)?) } else { None };
    let payload = SetupPayload {
        url: place.url.clone(),
        bootstrap_token: random(TOKEN_BYTES)?,
        expires_at_ms: gateway.clock().now_ms().saturating_add(SETUP_TTL_MS),
    };
    let setup_id = uuid::Uuid::new_v4().to_string();
    let code = NewSetupCode {
        setup_id: setup_id.clone(),
        token: payload.bootstrap_token.clone(),
        join_code: join_code.clone(),
        profile: profile.and_then(spell),
        url: place.url.clone(),
        expires_at: payload.expires_at_ms,
    };
    let setup_code = payload.encode();
    let picture = if params.include_qr == Some(false) { None } else { Some(picture::data_url(&setup_code)?) };
    gateway.store().setup_codes().add(code).await?;
    tracing::info!(setup = %setup_id, access = setup_access(profile).as_str(), "a setup code was made");
    Ok(SetupCodeResult {
        setup_id,
        expires_at_ms: payload.expires_at_ms,
        setup_code,
        join_url: join_code.map(|code| place.join_url(&code)),
        qr_data_url: picture,
        gateway_url: place.url,
        auth: gateway.access().rules().auth.mode(),
        url_source: place.source.to_owned(),
        access: setup_access(profile),
        access_downgraded: downgraded.then_some(true),
    })
}

/// Where this gateway can be found, as far as it knows.
fn network(gateway: &Gateway) -> Network {
    let config = gateway.config().current();
    let snapshot = gateway.config().snapshot();
    let remote = snapshot.effective.pointer("/gateway/remote/url").and_then(Value::as_str);
    Network {
        bind: config.gateway.bind,
        custom_host: config.gateway.custom_bind_host.clone(),
        port: config.gateway.port,
        remote_url: remote.map(str::to_owned),
        lan_ip: address::lan_ip(),
    }
}

fn random(bytes: usize) -> Result<String, SetupError> {
    let mut filled = vec![0_u8; bytes];
    getrandom::fill(&mut filled).map_err(|_none| SetupError::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(filled))
}

fn spell(profile: SetupProfile) -> Option<String> {
    json!(profile).as_str().map(str::to_owned)
}

/// What the code behind a joining address says; the address is dead from then on.
pub(crate) async fn join(gateway: &Gateway, join_code: &str) -> Result<Option<SetupPayload>, StoreError> {
    let code = gateway.store().setup_codes().take_join(join_code).await?;
    Ok(code.map(|code| SetupPayload {
        url: code.url,
        bootstrap_token: code.token,
        expires_at_ms: code.expires_at,
    }))
}

/// Who came with a code.
pub(crate) fn completion(code: SetupCode) -> Option<SetupCompletion> {
    Some(SetupCompletion {
        access: profile_of(&code).ok().map(setup_access)?,
        setup_id: code.setup_id,
        device_id: code.device_id?,
        device_name: code.device_name,
        ts: code.completed_at?,
    })
}

/// A profile as it was kept; an error for one this version does not know.
fn profile_of(code: &SetupCode) -> Result<Option<SetupProfile>, serde_json::Error> {
    code.profile.as_ref().map(|name| serde_json::from_value(json!(name))).transpose()
}

/// A device that comes with a code instead of the shared secret.
pub(crate) async fn redeem(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    token: &str,
) -> Result<Paired, Refusal> {
    let store = gateway.store();
    let known = store.setup_codes().by_token(token).await?;
    let known = known.ok_or_else(refused)?;
    let profile = profile_of(&known).map_err(|_unknown| refused())?;
    let scopes = setup_scopes(profile);
    let fits = question.role == Role::Node || profile != Some(SetupProfile::Node);
    if !fits || !scopes.covers(question.requested) {
        return Err(refused());
    }
    let name = question.params.client.display_name.as_deref().map(|name| brief(&visible(name), MAX_NAME));
    let by = SetupUse { device_id: question.device.id.clone(), device_name: name, role: question.role };
    let code = store.setup_codes().redeem(token, by).await?.ok_or_else(refused)?;
    // A phone is both: it offers commands and its person talks. It gets both tokens at once.
    let hands = question.role == Role::Node && matches!(profile, None | Some(SetupProfile::Limited));
    let extra = if hands { scopes } else { ScopeSet::EMPTY };
    pairing::let_in_by_code(gateway, question, extra).await?;
    let mut paired = pairing::admitted(gateway, question, AuthMethod::SetupCode).await?;
    if hands {
        paired.handed.push(hand_over(gateway, question, scopes).await?);
    }
    if let Some(done) = completion(code) {
        devices::tell_resolved(gateway, &done.setup_id, &done.device_id, PairDecision::Approved);
        gateway.bus().publish(&DevicePairSetupCompletedEvent(done));
    }
    Ok(paired)
}

/// A token for the device's person.
async fn hand_over(
    gateway: &Gateway,
    question: &PairingQuestion<'_>,
    scopes: ScopeSet,
) -> Result<HandedToken, Refusal> {
    let (role, scopes) = (Role::Operator, scopes.to_strings());
    let generation = gateway.access().rules().generation.clone();
    let token = gateway.store().devices().issue_token(&question.device.id, role, &scopes, &generation).await;
    Ok(HandedToken { device_token: token?, role, scopes, issued_at_ms: gateway.clock().now_ms() })
}

fn refused() -> Refusal {
    let words = "unauthorized: the setup code is not valid, has ended or was used already \
                 (make a new one with `homard qr`)";
    Refusal::policy(RequestError::invalid(words).with_details(json!({
        "code": "AUTH_BOOTSTRAP_TOKEN_INVALID",
        "authReason": "bootstrap_token_invalid",
        "canRetryWithDeviceToken": false,
        "recommendedNextStep": "review_auth_configuration",
    })))
}
