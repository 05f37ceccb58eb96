//! Talking to a token server: asking for tokens, and what its refusals mean.

use std::fmt;
use std::time::Duration;

use homard_llm::{ApiKey, Fetch, Fetched, Headers, Http, LlmError};
use homard_runtime::{Clock, millis_i64};
use serde_json::{Map, Value, json};

use super::super::candidate::{OAuthRow, TokenBody};
use super::super::policy::AuthLimits;
use super::claims;
use super::client::OAuthClient;

/// Life of a token whose server does not say.
const DEFAULT_LIFE: Duration = Duration::from_secs(3_600);
/// Longest life believed; more is a server counting in other units.
const LONGEST_LIFE: Duration = Duration::from_secs(366 * 24 * 3_600);
/// Largest answer of a token server, in bytes.
const MAX_ANSWER: usize = 256 * 1024;
/// Words for a refresh token or code that will never work again.
const REVOKED: [&str; 5] = [
    "invalid_grant",
    "refresh_token_expired",
    "refresh_token_reused",
    "refresh_token_invalidated",
    "token_revoked",
];
/// Words that may be repeated to a person.
const WORDS: [&str; 19] = [
    "access_denied",
    "authorization_pending",
    "expired_token",
    "interaction_required",
    "invalid_client",
    "invalid_grant",
    "invalid_request",
    "invalid_scope",
    "login_required",
    "refresh_token_expired",
    "refresh_token_invalidated",
    "refresh_token_reused",
    "server_error",
    "slow_down",
    "temporarily_unavailable",
    "token_revoked",
    "unauthorized_client",
    "unsupported_grant_type",
    "unsupported_response_type",
];

/// Fresh tokens. `Debug` shows no value.
#[derive(Clone)]
pub(crate) struct Tokens {
    pub(crate) access: ApiKey,
    /// The next refresh token, when the server gave one.
    pub(crate) refresh: Option<ApiKey>,
    /// When the access token expires, ms; `None` when the server did not say and nothing can renew it.
    pub(crate) expires: Option<i64>,
    /// How long it lives.
    pub(crate) life: Duration,
    pub(crate) email: Option<String>,
    /// The account calls have to name.
    pub(crate) account: Option<String>,
    /// Where this login's calls go.
    pub(crate) resource_url: Option<String>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens")
            .field("expires", &self.expires)
            .field("life", &self.life)
            .finish_non_exhaustive()
    }
}

impl Tokens {
    /// The fields of a profile that hold them. Fields the server left out are left out, so that amending keeps
    /// the old ones.
    pub(crate) fn fields(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        let mut set = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                fields.insert(name.to_owned(), json!(value));
            }
        };
        set("access", Some(self.access.expose()));
        set("refresh", self.refresh.as_ref().map(ApiKey::expose));
        set("email", self.email.as_deref());
        set("accountId", self.account.as_deref());
        set("resourceUrl", self.resource_url.as_deref());
        if let Some(expires) = self.expires {
            fields.insert("expires".to_owned(), json!(expires));
        }
        fields
    }
}

/// Why no tokens came. Carries no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenError {
    /// The refresh token or code is worthless.
    Revoked,
    /// The person has not typed the code yet.
    Pending,
    /// The same, and we ask too often.
    SlowDown,
    /// The device code has expired.
    Late,
    /// Some other refusal, by the server's word for it.
    Refused {
        code: &'static str,
    },
    Unreachable(String),
}

/// A provider's token server.
#[derive(Debug, Clone)]
pub(crate) struct TokenServer<'a> {
    pub(crate) http: &'a Http,
    pub(crate) clock: &'a Clock,
    pub(crate) row: &'static OAuthRow,
    pub(crate) limits: AuthLimits,
}

impl TokenServer<'_> {
    /// New tokens for a refresh token.
    pub(crate) async fn refresh(&self, refresh: &ApiKey, client: &OAuthClient) -> Result<Tokens, TokenError> {
        let mut fields = vec![
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose()),
            ("client_id", client.id.as_str()),
        ];
        fields.extend(client.secret.iter().map(|secret| ("client_secret", secret.expose())));
        self.tokens(&fields).await
    }

    /// Tokens for whatever `fields` prove.
    pub(crate) async fn tokens(&self, fields: &[(&str, &str)]) -> Result<Tokens, TokenError> {
        let answer = self.ask(self.row.token_url, fields, self.row.token_body).await?;
        self.read(&answer)
    }

    /// Asks whether a person is done, of a server that answers 403 or 404 until they are.
    pub(crate) async fn ask_if_done(&self, url: &str, fields: &[(&str, &str)]) -> Result<Value, TokenError> {
        let fetched = self.send(url, fields, TokenBody::Json).await?;
        if matches!(fetched.status, 403 | 404) { Err(TokenError::Pending) } else { judge(&fetched) }
    }

    /// Asks an address of the server; the answer is a JSON object without an error in it.
    pub(crate) async fn ask(
        &self,
        url: &str,
        fields: &[(&str, &str)],
        body: TokenBody,
    ) -> Result<Value, TokenError> {
        judge(&self.send(url, fields, body).await?)
    }

    async fn send(&self, url: &str, fields: &[(&str, &str)], body: TokenBody) -> Result<Fetched, TokenError> {
        let (kind, bytes) = match body {
            TokenBody::Form => {
                let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
                ("application/x-www-form-urlencoded", form.into_bytes())
            }
            TokenBody::Json => {
                let object: Map<_, _> = fields.iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect();
                ("application/json", Value::Object(object).to_string().into_bytes())
            }
        };
        let headers = [("content-type", kind), ("accept", "application/json")];
        let headers: Headers = headers.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        let mut request = Fetch::post(url, bytes).with_headers(headers);
        request.time_limit = self.limits.token_timeout;
        request.size_limit = MAX_ANSWER;
        self.http.fetch(request).await.map_err(unreachable)
    }

    fn read(&self, answer: &Value) -> Result<Tokens, TokenError> {
        let text = |pointer: &str| {
            answer.pointer(pointer).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
        };
        let Some(access) = text("/access_token") else {
            match text("/status") {
                Some("error") => return Err(TokenError::Refused { code: "access_denied" }),
                Some(word) if word != "success" => return Err(TokenError::Pending),
                _ => {}
            }
            return Err(TokenError::Unreachable("its answer holds no access token".to_owned()));
        };
        let id_token = text("/id_token");
        let from_claims = |pointer: &str| {
            id_token
                .and_then(|token| claims::claim(token, pointer))
                .or_else(|| claims::claim(access, pointer))
        };
        let refresh = text("/refresh_token").map(ApiKey::new);
        let said =
            answer.get("expires_in").and_then(seconds).or_else(|| self.until(answer.get("expired_in")?));
        let life = said.unwrap_or(DEFAULT_LIFE);
        // A token that cannot be renewed and has no stated end is used until it is refused.
        let ends = said.is_some() || refresh.is_some();
        let ms = millis_i64(life);
        Ok(Tokens {
            access: ApiKey::new(access),
            refresh,
            expires: ends.then(|| self.clock.now_ms().saturating_add(ms)),
            life,
            email: text("/account/email_address").map(str::to_owned).or_else(|| from_claims("/email")),
            account: self.row.account.and_then(|account| from_claims(account.pointer)),
            resource_url: text("/resource_url").map(str::to_owned),
        })
    }
}

impl TokenServer<'_> {
    /// How long it is until a moment in milliseconds since 1970.
    pub(super) fn until(&self, moment: &Value) -> Option<Duration> {
        let left = moment.as_i64()?.checked_sub(self.clock.now_ms())?;
        let left = Duration::from_millis(u64::try_from(left).ok()?);
        Some(left.min(LONGEST_LIFE)).filter(|left| !left.is_zero())
    }
}

/// A length of time in seconds, as a number or as text.
pub(super) fn seconds(value: &Value) -> Option<Duration> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    Duration::try_from_secs_f64(number).ok().filter(|life| !life.is_zero()).map(|life| life.min(LONGEST_LIFE))
}

/// What an answer means. Some servers refuse with status 200; a hotel's network answers for any server.
fn judge(fetched: &Fetched) -> Result<Value, TokenError> {
    let status = fetched.status;
    let Some(body) = serde_json::from_slice(&fetched.body).ok().filter(Value::is_object) else {
        let page = fetched.content_type.starts_with("text/html") || fetched.body.starts_with(b"<");
        let what = if page { "a web page instead of tokens" } else { "something that is not JSON" };
        return Err(TokenError::Unreachable(format!("it answered {status} with {what}")));
    };
    match error_code(&body) {
        Some(code) => Err(refused(code, status)),
        None if fetched.is_success() => Ok(body),
        None => Err(refused("unnamed_error", status)),
    }
}

fn refused(code: &'static str, status: u16) -> TokenError {
    match code {
        "authorization_pending" => TokenError::Pending,
        "slow_down" => TokenError::SlowDown,
        "expired_token" => TokenError::Late,
        code if REVOKED.contains(&code) => TokenError::Revoked,
        "temporarily_unavailable" | "server_error" => {
            TokenError::Unreachable(format!("it answered {status}: {code}"))
        }
        code if status >= 500 || status == 429 => {
            TokenError::Unreachable(format!("it answered {status}: {code}"))
        }
        code => TokenError::Refused { code },
    }
}

/// The server's word for what is wrong.
fn error_code(body: &Value) -> Option<&'static str> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    let word = error.as_str().or_else(|| error.get("code")?.as_str()).or_else(|| error.get("type")?.as_str());
    Some(known_word(word.unwrap_or_default()))
}

/// A word of the standards (or of providers we know) as it stands there. Nothing a server says is repeated: it may
/// be what it was sent.
pub(super) fn known_word(word: &str) -> &'static str {
    WORDS.iter().copied().find(|known| *known == word).unwrap_or("unnamed_error")
}

fn unreachable(error: LlmError) -> TokenError {
    TokenError::Unreachable(error.message)
}
