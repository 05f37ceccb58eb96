//! Logins with a code as two vendors do them, where they depart from RFC 8628.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::HeaderMap;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::FAKE_CLIENT_ID;
use super::desk::{Device, Granted, Shared};
use super::server::{answer, fields, proves, refuse};

/// A moment far away, in milliseconds since 1970.
const LATER_MS: i64 = 4_000_000_000_000;
/// What OpenAI's own page proves the code it gives out with.
const VERIFIER: &str = "fake-verifier-fake-verifier-fake-verifier-fake-verifier";

/// MiniMax: the code of the person is the code of the login, and the state comes back.
pub(super) async fn minimax_code(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = match fields(&headers, &body, false) {
        Ok(fields) => fields,
        Err(refusal) => return refuse(refusal),
    };
    let has = |name: &str| fields.get(name).is_some_and(|value| !value.is_empty());
    let is_whole = ["scope", "state", "code_challenge"].iter().all(|name| has(name));
    if fields.get("response_type").map(String::as_str) != Some("code") || !is_whole {
        return refuse((400, "invalid_request"));
    }
    let mut desk = shared.desk();
    let user_code = format!("MM-{:04}", desk.next());
    let challenge = fields.get("code_challenge").cloned();
    let device = Device { user_code: user_code.clone(), challenge, approved: false, asked: 0 };
    desk.devices.insert(user_code.clone(), device);
    let said = json!({"user_code": user_code, "verification_uri": "https://login.example.test/minimax",
        "expired_in": LATER_MS, "interval": 1, "state": fields.get("state")});
    answer(200, "application/json", said.to_string())
}

/// It answers 200 also while nobody has typed the code, and says so in `status`.
pub(super) async fn minimax_token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = match fields(&headers, &body, false) {
        Ok(fields) => fields,
        Err(refusal) => return refuse(refusal),
    };
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    if field("grant_type") != "urn:ietf:params:oauth:grant-type:user_code"
        || field("client_id") != FAKE_CLIENT_ID
    {
        return refuse((400, "unsupported_grant_type"));
    }
    let mut desk = shared.desk();
    let Some(device) = desk.devices.get_mut(field("user_code")) else {
        let said = json!({"base_resp": {"status_code": 1004, "status_msg": "user code not found"}});
        return answer(400, "application/json", said.to_string());
    };
    device.asked += 1;
    let is_proved =
        device.challenge.as_deref().is_some_and(|challenge| proves(field("code_verifier"), challenge));
    if !is_proved {
        return answer(200, "application/json", json!({"status": "error"}).to_string());
    }
    if !device.approved {
        // Whatever is neither "success" nor "error" means that nobody has typed the code.
        let word = if device.asked % 2 == 1 { "pending" } else { "waiting" };
        let said = json!({"status": word, "access_token": null, "refresh_token": null, "expired_in": null});
        return answer(200, "application/json", said.to_string());
    }
    let family = desk.found_family();
    let issued = desk.issue(family);
    let said = json!({"status": "success", "access_token": issued.access, "refresh_token": issued.refresh,
        "expired_in": LATER_MS, "resource_url": "https://api.example.test/anthropic"});
    answer(200, "application/json", said.to_string())
}

/// GitHub: refusals have the status 200, tokens neither an end nor anything that renews them, and who does not ask for
/// JSON is answered with a form.
pub(super) async fn github_token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = match fields(&headers, &body, false) {
        Ok(fields) => fields,
        Err(refusal) => return refuse(refusal),
    };
    if headers.get("accept").is_none_or(|kind| kind != "application/json") {
        let form = "error=authorization_pending".to_owned();
        return answer(200, "application/x-www-form-urlencoded; charset=utf-8", form);
    }
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let refused = |word: &str| {
        let said = json!({"error": word, "error_description": "…", "error_uri": "https://docs.example.test"});
        answer(200, "application/json", said.to_string())
    };
    if field("client_id") != FAKE_CLIENT_ID {
        return refused("incorrect_client_credentials");
    }
    if field("grant_type") != "urn:ietf:params:oauth:grant-type:device_code" {
        return refused("unsupported_grant_type");
    }
    let mut desk = shared.desk();
    let serial = desk.next();
    let Some(device) = desk.devices.get_mut(field("device_code")) else {
        return refused("incorrect_device_code");
    };
    if !device.approved {
        return refused("authorization_pending");
    }
    let said =
        json!({"access_token": format!("gho_fake{serial}"), "token_type": "bearer", "scope": "read:user"});
    answer(200, "application/json", said.to_string())
}

/// OpenAI: JSON in and out, and the pause is a number in a text.
pub(super) async fn codex_begin(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = match fields(&headers, &body, true) {
        Ok(fields) => fields,
        Err(refusal) => return refuse(refusal),
    };
    if fields.get("client_id").map(String::as_str) != Some(FAKE_CLIENT_ID) {
        return refuse((401, "invalid_client"));
    }
    let mut desk = shared.desk();
    let serial = desk.next();
    let (id, user_code) = (format!("deviceauth_{serial}"), format!("CDX-{serial:04}"));
    let device = Device { user_code: user_code.clone(), challenge: None, approved: false, asked: 0 };
    desk.devices.insert(id.clone(), device);
    let said = json!({"device_auth_id": id, "usercode": user_code, "interval": "0.001"});
    answer(200, "application/json", said.to_string())
}

/// 403 until the code is typed, then an authorization code with the proof that belongs to it.
pub(super) async fn codex_ask(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = match fields(&headers, &body, true) {
        Ok(fields) => fields,
        Err(refusal) => return refuse(refusal),
    };
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let mut desk = shared.desk();
    let approved = desk
        .devices
        .get(field("device_auth_id"))
        .is_some_and(|device| device.approved && device.user_code == field("user_code"));
    if !approved {
        return answer(
            403,
            "application/json",
            json!({"error": {"code": "deviceauth_authorization_unknown"}}).to_string(),
        );
    }
    let host = headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER.as_bytes()));
    let redirect = format!("http://{host}/deviceauth/callback");
    let code = desk.grant(Granted { challenge: challenge.clone(), redirect, state: String::new() });
    let said = json!({"authorization_code": code, "code_challenge": challenge, "code_verifier": VERIFIER});
    answer(200, "application/json", said.to_string())
}
