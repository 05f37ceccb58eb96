//! Google's login server and the server that says which project pays, as far as public clients show them.
//!
//! Other than the rest of this fake: the client has a secret, tokens are opaque, a refresh token stays the same, and the
//! account is told in an `id_token`. A refresh token comes only to those who asked for one on the login page.

use std::sync::Arc;

use anyhow::{Result, ensure};
use axum::extract::{Path, State};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::HeaderMap;
use serde_json::{Value, json};
use url::Url;

use super::desk::{OAuthFault, Shared};
use super::server::{answer, fields, proves, refuse};
use super::{FAKE_CLIENT_ID, FAKE_EMAIL, FakeOAuth};

/// What the client proves itself with.
pub const FAKE_CLIENT_SECRET: &str = "homard-test-client-secret";
/// The project Google gives an account.
pub const FAKE_PROJECT: &str = "fake-project-1";
const LIFE: u64 = 3_599;
const JSON: &str = "application/json";

/// What kind of account logs in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum GoogleAccount {
    /// It has used Gemini before.
    #[default]
    Known,
    /// It never did: it is set up first, which takes a while.
    New,
    /// It belongs to an organisation and names its own project.
    Organisation,
    /// It may not, for this reason.
    Refused(String),
}

/// What Google knows of whoever logs in.
#[derive(Debug, Default)]
pub(super) struct GoogleDesk {
    account: GoogleAccount,
    /// Looks at an account that is being set up.
    looks: u32,
}

impl FakeOAuth {
    /// Who logs in from now on.
    pub fn google_account(&self, account: GoogleAccount) -> &Self {
        self.shared.google.lock().account = account;
        self
    }

    /// The person opens Google's login page and says yes. Returns where the browser goes next.
    ///
    /// # Errors
    /// When the address is not one Google would accept, or nothing that can be renewed would come of it.
    pub fn approve_google(&self, url: &str) -> Result<String> {
        let asked = Url::parse(url)?;
        let one = |name: &str| {
            asked.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
        };
        ensure!(one("access_type").as_deref() == Some("offline"), "no refresh token was asked for");
        ensure!(one("prompt").as_deref() == Some("consent"), "a second login would get no refresh token");
        let scope = one("scope").unwrap_or_default();
        let wanted = "https://www.googleapis.com/auth/cloud-platform";
        ensure!(scope.split(' ').any(|one| one == wanted), "the scope is missing");
        let back = Url::parse(&one("redirect_uri").unwrap_or_default())?;
        let is_here = matches!(back.host_str(), Some("localhost" | "127.0.0.1"));
        ensure!(back.scheme() == "http" && is_here, "redirect_uri_mismatch");
        self.approve(url)
    }
}

/// `/google/token`.
pub(super) async fn token(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let fields = match fields(&headers, &body, false) {
        Ok(fields) => fields,
        Err(refusal) => return refuse(refusal),
    };
    let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let is_renewal = field("grant_type") == "refresh_token";
    if is_renewal {
        shared.counts.send_modify(|counts| counts.refreshes += 1);
    }
    if let Some(OAuthFault::Refuses(status, body)) = shared.desk().faults.pop_front() {
        return answer(status, JSON, body);
    }
    match (field("client_id"), field("client_secret")) {
        (FAKE_CLIENT_ID, FAKE_CLIENT_SECRET) => {}
        (FAKE_CLIENT_ID, "") => return refuse((400, "invalid_request")),
        _ => return refuse((401, "invalid_client")),
    }
    let mut desk = shared.desk();
    let family = match field("grant_type") {
        "refresh_token" => desk.family_of(field("refresh_token")).filter(|family| !desk.is_revoked(*family)),
        "authorization_code" => desk
            .redeem(field("code"))
            .filter(|granted| granted.redirect == field("redirect_uri"))
            .filter(|granted| proves(field("code_verifier"), &granted.challenge))
            .map(|_| desk.found_family()),
        _ => return refuse((400, "unsupported_grant_type")),
    };
    let Some(family) = family else { return refuse((400, "invalid_grant")) };
    let issued = desk.issue_opaque(family);
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let id_token = format!("{}.{}.sig", part(&json!({"alg": "none"})), part(&json!({"email": FAKE_EMAIL})));
    let mut said = json!({"access_token": issued.access, "expires_in": LIFE, "token_type": "Bearer",
        "scope": "https://www.googleapis.com/auth/cloud-platform", "id_token": id_token});
    if let Some(said) = said.as_object_mut().filter(|_| !is_renewal) {
        said.insert("refresh_token".to_owned(), json!(issued.refresh));
    }
    answer(200, JSON, said.to_string())
}

/// `/v1internal:loadCodeAssist`.
pub(super) async fn load(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let about = match asked(&shared, &headers, &body, &["metadata", "cloudaicompanionProject"]) {
        Ok(about) => about,
        Err(refusal) => return *refusal,
    };
    let tier = |id: &str| json!({"id": id, "name": id, "isDefault": true});
    let said = match shared.google.lock().account.clone() {
        GoogleAccount::Known => {
            json!({"currentTier": tier("free-tier"), "cloudaicompanionProject": FAKE_PROJECT})
        }
        GoogleAccount::New => json!({"allowedTiers": [tier("free-tier")]}),
        GoogleAccount::Organisation => {
            json!({"currentTier": tier("standard-tier"), "cloudaicompanionProject": about.get("cloudaicompanionProject")})
        }
        GoogleAccount::Refused(why) => json!({"ineligibleTiers": [{"reasonCode": "INELIGIBLE_ACCOUNT",
            "reasonMessage": why, "tierId": "free-tier"}], "allowedTiers": [tier("standard-tier")]}),
    };
    answer(200, JSON, said.to_string())
}

/// `/v1internal:onboardUser`: work that is not done at once.
pub(super) async fn onboard(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let about = match asked(&shared, &headers, &body, &["tierId", "metadata", "cloudaicompanionProject"]) {
        Ok(about) => about,
        Err(refusal) => return *refusal,
    };
    let is_free = about.get("tierId").and_then(Value::as_str) == Some("free-tier");
    if is_free && about.get("cloudaicompanionProject").is_some() {
        return refused(400, "Precondition check failed.", "FAILED_PRECONDITION");
    }
    answer(200, JSON, json!({"name": "operations/onboard-1", "done": false}).to_string())
}

/// `/v1internal/operations/…`: done at the second look.
pub(super) async fn operation(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = believed(&shared, &headers) {
        return *refusal;
    }
    let number = {
        let mut google = shared.google.lock();
        google.looks += 1;
        google.looks
    };
    let mut said = json!({"name": format!("operations/{name}"), "done": number > 1});
    if let Some(said) = said.as_object_mut().filter(|_| number > 1) {
        let project = json!({"cloudaicompanionProject": {"id": FAKE_PROJECT, "name": FAKE_PROJECT}});
        said.insert("response".to_owned(), project);
    }
    answer(200, JSON, said.to_string())
}

fn believed(shared: &Shared, headers: &HeaderMap) -> Result<(), Box<Response>> {
    let bearer = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_live = bearer.strip_prefix("Bearer ").is_some_and(|access| shared.desk().is_live(access));
    let words = "Request had invalid authentication credentials. Expected OAuth 2 access token";
    if is_live { Ok(()) } else { Err(Box::new(refused(401, words, "UNAUTHENTICATED"))) }
}

/// A question somebody may ask, with nothing in it that the server does not know.
fn asked(shared: &Shared, headers: &HeaderMap, body: &[u8], known: &[&str]) -> Result<Value, Box<Response>> {
    believed(shared, headers)?;
    let about: Value = serde_json::from_slice(body).unwrap_or_default();
    let is_known =
        about.as_object().is_some_and(|about| about.keys().all(|key| known.contains(&key.as_str())));
    let plugin = about.pointer("/metadata/pluginType").and_then(Value::as_str);
    if is_known && plugin == Some("GEMINI") {
        return Ok(about);
    }
    Err(Box::new(refused(400, "Invalid JSON payload received.", "INVALID_ARGUMENT")))
}

fn refused(status: u16, message: &str, word: &str) -> Response {
    let said = json!({"error": {"code": status, "message": message, "status": word}});
    answer(status, JSON, said.to_string())
}
