//! The road of one request for tokens: read strictly, judged, answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::desk::{Desk, Device, Family, OAuthFault, Shared};
use super::{FAKE_CLIENT_ID, google, vendors};

const PAGE: &str = "<!doctype html><html><body>Welcome to the hotel network. Log in.</body></html>";
/// When Copilot tokens expire, in seconds since 1970: tests turn their clock around it.
const COPILOT_EXPIRES_AT: i64 = 1_500;

pub(super) type Fields = BTreeMap<String, String>;
/// A refusal: the status and the word.
pub(super) type Refusal = (u16, &'static str);

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/token", post(token))
        .route("/device", post(device))
        .route("/copilot", get(copilot))
        .route("/minimax/code", post(vendors::minimax_code))
        .route("/minimax/token", post(vendors::minimax_token))
        .route("/api/accounts/deviceauth/usercode", post(vendors::codex_begin))
        .route("/api/accounts/deviceauth/token", post(vendors::codex_ask))
        .route("/github/token", post(vendors::github_token))
        .route("/google/token", post(google::token))
        .route("/v1internal:loadCodeAssist", post(google::load))
        .route("/v1internal:onboardUser", post(google::onboard))
        .route("/v1internal/operations/{name}", get(google::operation))
        .with_state(shared)
}

async fn token(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let wants_json = shared.desk().wants_json;
    let fields = match fields(&headers, &body, wants_json) {
        Ok(fields) => fields,
        Err(refusal) => return refuse(refusal),
    };
    let grant = fields.get("grant_type").map(String::as_str).unwrap_or_default();
    if grant == "refresh_token" {
        shared.counts.send_modify(|counts| counts.refreshes += 1);
    }
    let fault = shared.desk().faults.pop_front();
    match &fault {
        Some(OAuthFault::Refuses(status, body)) => return answer(*status, "application/json", body.clone()),
        Some(OAuthFault::Html) => return answer(200, "text/html", PAGE.to_owned()),
        Some(OAuthFault::Hangs) => return std::future::pending().await,
        Some(OAuthFault::Echoes) => {
            let said = json!({"error": fields, "error_description": format!("bad request: {fields:?}")});
            return answer(400, "application/json", said.to_string());
        }
        Some(OAuthFault::Empty) => return answer(200, "application/json", "{}".to_owned()),
        Some(OAuthFault::Slow(_) | OAuthFault::KeepsRefresh) | None => {}
    }
    let keeps = matches!(fault, Some(OAuthFault::KeepsRefresh));
    let granted = {
        let mut desk = shared.desk();
        decide(&mut desk, grant, &fields).map(|family| tokens(&mut desk, family, &fields, keeps))
    };
    if let Some(OAuthFault::Slow(gate)) = fault {
        gate.cancelled().await;
    }
    match granted {
        Ok(tokens) => answer(200, "application/json", tokens.to_string()),
        Err(refusal) => refuse(refusal),
    }
}

/// Whose tokens a request may have.
fn decide(desk: &mut Desk, grant: &str, fields: &Fields) -> Result<Family, Refusal> {
    if fields.get("client_id").map(String::as_str) != Some(FAKE_CLIENT_ID) {
        return Err((401, "invalid_client"));
    }
    let field = |name: &str| fields.get(name).map(String::as_str).ok_or((400, "invalid_request"));
    match grant {
        "refresh_token" => desk.spend(field("refresh_token")?).ok_or((400, "invalid_grant")),
        "authorization_code" => {
            let (redirect, verifier) = (field("redirect_uri")?, field("code_verifier")?);
            let granted = desk.redeem(field("code")?).ok_or((400, "invalid_grant"))?;
            if granted.redirect != redirect || !proves(verifier, &granted.challenge) {
                return Err((400, "invalid_grant"));
            }
            if desk.wants_json && field("state")? != granted.state {
                return Err((400, "invalid_request"));
            }
            Ok(desk.found_family())
        }
        "urn:ietf:params:oauth:grant-type:device_code" => {
            let device = desk.devices.get_mut(field("device_code")?).ok_or((400, "invalid_grant"))?;
            device.asked += 1;
            let challenge = device.challenge.as_deref();
            if challenge.is_some_and(|challenge| !field("code_verifier").is_ok_and(|v| proves(v, challenge)))
            {
                return Err((400, "invalid_grant"));
            }
            match device.asked {
                2 => Err((400, "slow_down")),
                _ if !device.approved => Err((400, "authorization_pending")),
                _ => Ok(desk.found_family()),
            }
        }
        _ => Err((400, "unsupported_grant_type")),
    }
}

pub(super) fn proves(verifier: &str, challenge: &str) -> bool {
    (43..=128).contains(&verifier.len())
        && URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())) == challenge
}

fn tokens(desk: &mut Desk, family: Family, fields: &Fields, keeps: bool) -> Value {
    let issued = desk.issue(family);
    let mut answer = json!({
        "access_token": issued.access,
        "token_type": "Bearer",
        "expires_in": desk.life,
        "refresh_token": issued.refresh,
    });
    if keeps && let (Some(old), Some(all)) = (fields.get("refresh_token"), answer.as_object_mut()) {
        desk.keep(old);
        all.remove("refresh_token");
    }
    answer
}

async fn device(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let fields = match fields(&headers, &body, false) {
        Ok(fields) => fields,
        Err(refusal) => return refuse(refusal),
    };
    if fields.get("client_id").map(String::as_str) != Some(FAKE_CLIENT_ID) {
        return refuse((401, "invalid_client"));
    }
    let mut desk = shared.desk();
    let serial = desk.next();
    let code = format!("fake-device-secret-{serial}");
    let user_code = format!("WXYZ-{serial:04}");
    let challenge = fields.get("code_challenge").cloned();
    desk.devices
        .insert(code.clone(), Device { user_code: user_code.clone(), challenge, approved: false, asked: 0 });
    let said = json!({
        "device_code": code,
        "user_code": user_code,
        "verification_uri": "https://login.example.test/device",
        "expires_in": 900,
        "interval": 0,
    });
    answer(200, "application/json", said.to_string())
}

async fn copilot(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let number = {
        let mut number = 0;
        shared.counts.send_modify(|counts| {
            counts.exchanges += 1;
            number = counts.exchanges;
        });
        number
    };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if ["editor-version", "editor-plugin-version", "copilot-integration-id", "user-agent"]
        .iter()
        .any(|name| text(name).is_empty())
    {
        return answer(400, "application/json", json!({"message": "unknown editor"}).to_string());
    }
    let fault = shared.desk().faults.pop_front();
    match fault {
        Some(OAuthFault::Refuses(status, body)) => return answer(status, "application/json", body),
        Some(OAuthFault::Html) => return answer(200, "text/html", PAGE.to_owned()),
        Some(OAuthFault::Hangs) => return std::future::pending().await,
        Some(OAuthFault::Slow(gate)) => gate.cancelled().await,
        Some(OAuthFault::Echoes | OAuthFault::Empty | OAuthFault::KeepsRefresh) | None => {}
    }
    if !text("authorization").starts_with("Bearer gh") {
        return answer(401, "application/json", json!({"message": "Bad credentials"}).to_string());
    }
    let token = format!("tid=fake{number};exp=1;sku=x;proxy-ep=proxy.individual.copilot.test;8kp=1");
    let said = json!({"token": token, "expires_at": COPILOT_EXPIRES_AT, "refresh_in": 1_200});
    answer(200, "application/json", said.to_string())
}

pub(super) fn fields(headers: &HeaderMap, body: &[u8], json: bool) -> Result<Fields, Refusal> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let wanted = if json { "application/json" } else { "application/x-www-form-urlencoded" };
    if kind.split(';').next().map(str::trim) != Some(wanted) {
        return Err((415, "invalid_request"));
    }
    if json {
        return serde_json::from_slice(body).map_err(|_unreadable| (400, "invalid_request"));
    }
    let mut fields = Fields::new();
    for (name, value) in url::form_urlencoded::parse(body) {
        // RFC 6749 §3.2: no parameter twice.
        if fields.insert(name.into_owned(), value.into_owned()).is_some() {
            return Err((400, "invalid_request"));
        }
    }
    Ok(fields)
}

pub(super) fn refuse((status, word): Refusal) -> Response {
    let body = json!({"error": word, "error_description": "refused by the fake login server"});
    answer(status, "application/json", body.to_string())
}

pub(super) fn answer(status: u16, kind: &'static str, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
