//! A login with a code typed on another device, for machines without a browser: as RFC 8628 says, and in the two
//! ways of providers that say otherwise.

use std::fmt;
use std::time::Duration;

use homard_llm::ApiKey;
use homard_protocol::ProviderId;
use homard_runtime::OrCancel as _;
use serde_json::Value;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::super::candidate::{DeviceFlow, OAuthRow, TokenBody};
use super::LoginError;
use super::browser::Pkce;
use super::token::{TokenError, TokenServer, Tokens, seconds};

/// Pause between questions when the server names none.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);
/// Longest pause, whatever the server says.
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);
/// Life of a code when the server names none.
const DEFAULT_LIFE: Duration = Duration::from_secs(15 * 60);
/// Questions in a row that may fail for want of a connection.
const MAX_UNREACHABLE: u32 = 5;
const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
const USER_CODE_GRANT: &str = "urn:ietf:params:oauth:grant-type:user_code";
/// Where OpenAI is asked for a code; its other places lie beside it.
const CODEX_BEGIN: &str = "/api/accounts/deviceauth/usercode";
const CODEX_ASK: &str = "/api/accounts/deviceauth/token";
const CODEX_PAGE: &str = "/codex/device";
const CODEX_REDIRECT: &str = "/deviceauth/callback";

/// A login that has begun: the person is to open [`page`](Self::page) and type [`user_code`](Self::user_code).
pub struct DeviceLogin {
    provider: ProviderId,
    row: &'static OAuthRow,
    /// What the server knows this login by.
    device_code: ApiKey,
    pkce: Pkce,
    user_code: String,
    page: String,
    page_with_code: Option<String>,
    interval: Duration,
    life: Duration,
}

impl fmt::Debug for DeviceLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceLogin").field("provider", &self.provider).finish_non_exhaustive()
    }
}

impl DeviceLogin {
    /// Asks the provider for a code.
    pub(crate) async fn begin(provider: &ProviderId, server: &TokenServer<'_>) -> Result<Self, LoginError> {
        let row = server.row;
        let Some(url) = row.device_url else {
            return Err(LoginError::NotOffered { provider: provider.as_str().to_owned() });
        };
        let pkce = Pkce::new()?;
        let state = Pkce::new()?.verifier;
        let mut fields = vec![("client_id", row.client_id)];
        if row.device_flow != DeviceFlow::Codex {
            fields.extend([
                ("scope", row.scopes),
                ("code_challenge", pkce.challenge.as_str()),
                ("code_challenge_method", "S256"),
            ]);
        }
        if row.device_flow == DeviceFlow::UserCode {
            fields.extend([("response_type", "code"), ("state", state.as_str())]);
        }
        let body = if row.device_flow == DeviceFlow::Codex { TokenBody::Json } else { TokenBody::Form };
        let answer = Answer(server.ask(url, &fields, body).await?);
        let told = answer.text("state");
        let is_other = told.as_ref().is_some_and(|told| *told != state);
        if is_other || (told.is_none() && row.device_flow == DeviceFlow::UserCode) {
            return Err(LoginError::WrongState);
        }
        let user_code = answer.need("user_code").or_else(|_none| answer.need("usercode"))?;
        let (interval, life) = answer.times(server);
        Ok(Self {
            provider: provider.clone(),
            row,
            device_code: ApiKey::new(&match row.device_flow {
                DeviceFlow::Standard => answer.need("device_code")?,
                DeviceFlow::UserCode => user_code.clone(),
                DeviceFlow::Codex => answer.need("device_auth_id")?,
            }),
            pkce,
            user_code,
            page: match row.device_flow {
                DeviceFlow::Codex => beside(url, CODEX_PAGE),
                DeviceFlow::Standard | DeviceFlow::UserCode => {
                    answer.need("verification_uri").or_else(|_none| answer.need("verification_url"))?
                }
            },
            page_with_code: answer.text("verification_uri_complete"),
            interval: interval.unwrap_or(DEFAULT_INTERVAL).min(LONGEST_INTERVAL),
            life: life.unwrap_or(DEFAULT_LIFE),
        })
    }

    /// Whose login it is.
    #[must_use]
    pub fn provider(&self) -> &ProviderId {
        &self.provider
    }

    /// Where the person is to go.
    #[must_use]
    pub fn page(&self) -> &str {
        &self.page
    }

    /// The same with the code filled in, where the provider has that.
    #[must_use]
    pub fn page_with_code(&self) -> Option<&str> {
        self.page_with_code.as_deref()
    }

    /// What the person is to type there.
    #[must_use]
    pub fn user_code(&self) -> &str {
        &self.user_code
    }

    pub(crate) fn row(&self) -> &'static OAuthRow {
        self.row
    }

    /// Asks until the person has typed the code, as often as the server allows.
    pub(crate) async fn wait(
        &self,
        server: &TokenServer<'_>,
        cancel: &CancellationToken,
    ) -> Result<Tokens, LoginError> {
        let asking = tokio::time::timeout(self.life, self.ask_until_done(server));
        match asking.or_cancel(cancel).await {
            Ok(Ok(tokens)) => tokens,
            Ok(Err(_)) => Err(LoginError::TooLate),
            Err(_) => Err(LoginError::Stopped),
        }
    }

    async fn ask_until_done(&self, server: &TokenServer<'_>) -> Result<Tokens, LoginError> {
        let mut interval = self.interval;
        let mut unreachable = 0;
        loop {
            sleep(interval).await;
            match self.ask(server).await {
                Ok(tokens) => return Ok(tokens),
                Err(TokenError::Pending) => unreachable = 0,
                Err(TokenError::SlowDown) => {
                    interval = (interval + server.limits.slow_down).min(LONGEST_INTERVAL);
                }
                Err(TokenError::Unreachable(_)) if unreachable < MAX_UNREACHABLE => {
                    unreachable += 1;
                    interval = (interval + server.limits.slow_down).min(LONGEST_INTERVAL);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn ask(&self, server: &TokenServer<'_>) -> Result<Tokens, TokenError> {
        let (grant, name) = match self.row.device_flow {
            DeviceFlow::Standard => (GRANT, "device_code"),
            DeviceFlow::UserCode => (USER_CODE_GRANT, "user_code"),
            DeviceFlow::Codex => return self.ask_codex(server).await,
        };
        let fields = [
            ("grant_type", grant),
            ("client_id", self.row.client_id),
            (name, self.device_code.expose()),
            ("code_verifier", self.pkce.verifier.as_str()),
        ];
        server.tokens(&fields).await
    }

    /// The server itself made the proof that belongs to the code it gives out.
    async fn ask_codex(&self, server: &TokenServer<'_>) -> Result<Tokens, TokenError> {
        let begin = self.row.device_url.unwrap_or_default();
        let ours = [("device_auth_id", self.device_code.expose()), ("user_code", self.user_code.as_str())];
        let done = Answer(server.ask_if_done(&beside(begin, CODEX_ASK), &ours).await?);
        let need = |name: &str| {
            done.text(name).ok_or_else(|| TokenError::Unreachable("its answer holds no code".to_owned()))
        };
        let (code, verifier, redirect) =
            (need("authorization_code")?, need("code_verifier")?, beside(begin, CODEX_REDIRECT));
        let fields = [
            ("grant_type", "authorization_code"),
            ("client_id", self.row.client_id),
            ("code", code.as_str()),
            ("redirect_uri", redirect.as_str()),
            ("code_verifier", verifier.as_str()),
        ];
        server.tokens(&fields).await
    }
}

/// Another place of the server whose login begins at `begin`.
fn beside(begin: &str, path: &str) -> String {
    format!("{}{path}", begin.strip_suffix(CODEX_BEGIN).unwrap_or(begin))
}

/// What a server said.
struct Answer(Value);

impl Answer {
    fn text(&self, name: &str) -> Option<String> {
        let value = self.0.get(name).and_then(Value::as_str).map(str::trim);
        value.filter(|value| !value.is_empty()).map(str::to_owned)
    }

    fn need(&self, name: &str) -> Result<String, LoginError> {
        self.text(name).ok_or_else(|| LoginError::Server("its answer holds no code".to_owned()))
    }

    /// The pause between questions, and how long the code lives.
    fn times(&self, server: &TokenServer<'_>) -> (Option<Duration>, Option<Duration>) {
        let whole = |name: &str| self.0.get(name).and_then(Value::as_u64);
        match server.row.device_flow {
            DeviceFlow::UserCode => {
                let life = self.0.get("expired_in").and_then(|moment| server.until(moment));
                (whole("interval").map(Duration::from_millis), life)
            }
            DeviceFlow::Standard | DeviceFlow::Codex => {
                let interval = self.0.get("interval");
                let pause = interval.and_then(Value::as_u64).map(Duration::from_secs);
                (pause.or_else(|| interval.and_then(seconds)), whole("expires_in").map(Duration::from_secs))
            }
        }
    }
}
