//! A login with a code typed on another device (RFC 8628), for machines without a browser.

use std::fmt;
use std::time::Duration;

use homard_llm::ApiKey;
use homard_protocol::ProviderId;
use homard_runtime::OrCancel as _;
use serde_json::Value;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::super::candidate::{OAuthRow, TokenBody};
use super::LoginError;
use super::browser::Pkce;
use super::token::{TokenError, TokenServer, Tokens};

/// Pause between questions when the server names none.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);
/// Longest pause, whatever the server says.
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);
/// Life of a code when the server names none.
const DEFAULT_LIFE: Duration = Duration::from_secs(15 * 60);
/// Questions in a row that may fail for want of a connection.
const MAX_UNREACHABLE: u32 = 5;
const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// A login that has begun: the person is to open [`page`](Self::page) and type [`user_code`](Self::user_code).
pub struct DeviceLogin {
    provider: ProviderId,
    row: &'static OAuthRow,
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
        let fields = [
            ("client_id", row.client_id),
            ("scope", row.scopes),
            ("code_challenge", pkce.challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        let answer = server.ask(url, &fields, TokenBody::Form).await?;
        let text = |name: &str| {
            let value = answer.get(name).and_then(Value::as_str).map(str::trim);
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let seconds = |name: &str| answer.get(name).and_then(Value::as_u64).map(Duration::from_secs);
        let missing = || LoginError::Server("its answer holds no code".to_owned());
        Ok(Self {
            provider: provider.clone(),
            row,
            device_code: ApiKey::new(&text("device_code").ok_or_else(missing)?),
            pkce,
            user_code: text("user_code").ok_or_else(missing)?,
            page: text("verification_uri").or_else(|| text("verification_url")).ok_or_else(missing)?,
            page_with_code: text("verification_uri_complete"),
            interval: seconds("interval").unwrap_or(DEFAULT_INTERVAL).min(LONGEST_INTERVAL),
            life: seconds("expires_in").unwrap_or(DEFAULT_LIFE),
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
        let fields = [
            ("grant_type", GRANT),
            ("client_id", self.row.client_id),
            ("device_code", self.device_code.expose()),
            ("code_verifier", self.pkce.verifier.as_str()),
        ];
        let mut interval = self.interval;
        let mut unreachable = 0;
        loop {
            sleep(interval).await;
            match server.tokens(&fields).await {
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
}
