//! A login in a browser, with PKCE: where to send the person, and what comes back.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use homard_config::Environment;
use homard_protocol::ProviderId;
use sha2::{Digest as _, Sha256};
use url::Url;

use super::super::candidate::{OAuthRow, TokenBody};
use super::LoginError;
use super::client::OAuthClient;
use super::listener::Listener;
use super::token::{TokenServer, Tokens, known_word};

/// Bytes of chance in a verifier and a state.
const CHANCE: usize = 32;
/// Longest text looked at for a code.
const MAX_PASTE: usize = 16 * 1024;

/// A proof that who asks for tokens is who sent the person to the browser.
pub(super) struct Pkce {
    pub(super) verifier: String,
    pub(super) challenge: String,
}

impl Pkce {
    pub(super) fn new() -> Result<Self, LoginError> {
        let verifier = chance()?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        Ok(Self { verifier, challenge })
    }
}

fn chance() -> Result<String, LoginError> {
    let mut bytes = [0_u8; CHANCE];
    getrandom::fill(&mut bytes)
        .map_err(|_no_chance| LoginError::Unprepared("there are no random numbers"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// What the provider gave the browser. `Debug` does not show it.
pub struct Code {
    pub(super) code: String,
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(••••)")
    }
}

/// A login that has begun: the person is to open [`url`](Self::url).
pub struct BrowserLogin {
    provider: ProviderId,
    row: &'static OAuthRow,
    client: OAuthClient,
    pkce: Pkce,
    state: String,
    redirect: String,
    url: String,
}

impl fmt::Debug for BrowserLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrowserLogin").field("provider", &self.provider).finish_non_exhaustive()
    }
}

impl BrowserLogin {
    /// Begins a login whose answer is pasted by the person.
    ///
    /// # Errors
    /// When the provider has no such login, nothing says in whose name it is made, or the machine gives no random
    /// numbers.
    pub fn begin(
        provider: &ProviderId,
        row: &'static OAuthRow,
        env: &Environment,
    ) -> Result<Self, LoginError> {
        Self::with_redirect(provider, row, env, row.redirect.to_owned())
    }

    /// Begins a login whose answer comes to a port of this machine. The listener is opened first, so that the
    /// browser never comes back to a closed port.
    ///
    /// # Errors
    /// As [`begin`](Self::begin), and when the port is in use or the browser does not come back to this machine.
    pub async fn begin_here(
        provider: &ProviderId,
        row: &'static OAuthRow,
        env: &Environment,
    ) -> Result<(Self, Listener), LoginError> {
        let listener = Listener::open(row.redirect).await?.ok_or_else(|| not_offered(provider))?;
        let login = Self::with_redirect(provider, row, env, listener.redirect().to_owned())?;
        Ok((login, listener))
    }

    fn with_redirect(
        provider: &ProviderId,
        row: &'static OAuthRow,
        env: &Environment,
        redirect: String,
    ) -> Result<Self, LoginError> {
        if row.authorize_url.is_empty() || redirect.is_empty() {
            return Err(not_offered(provider));
        }
        let client = row.client(env)?;
        let pkce = Pkce::new()?;
        let state = chance()?;
        let mut url = Url::parse(row.authorize_url)
            .map_err(|_bad| LoginError::Unprepared("the provider's login address is no address"))?;
        url.query_pairs_mut()
            .extend_pairs(row.extra)
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &redirect)
            .append_pair("scope", row.scopes)
            .append_pair("code_challenge", &pkce.challenge)
            .append_pair("code_challenge_method", "S256")
            .append_pair("state", &state);
        Ok(Self { provider: provider.clone(), row, client, pkce, state, redirect, url: url.into() })
    }

    /// Where the person is to go.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whose login it is.
    #[must_use]
    pub fn provider(&self) -> &ProviderId {
        &self.provider
    }

    /// Reads what the person pasted: the address the browser ended at, the code alone, or `code#state`.
    ///
    /// # Errors
    /// When there is no code in it, it belongs to another login, or it says that the provider refused.
    pub fn pasted(&self, text: &str) -> Result<Code, LoginError> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_PASTE {
            return Err(LoginError::NoCode);
        }
        if let Ok(url) = Url::parse(text)
            && url.query().is_some()
        {
            return self.answered(url.query().unwrap_or_default());
        }
        if text.contains("code=") {
            return self.answered(text.trim_start_matches('?'));
        }
        let (code, state) = text.split_once('#').map_or((text, None), |(code, state)| (code, Some(state)));
        if state.is_some_and(|state| state != self.state) {
            return Err(LoginError::WrongState);
        }
        if code.is_empty() || code.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(LoginError::NoCode);
        }
        Ok(Code { code: code.to_owned() })
    }

    /// Reads the query the browser came back with.
    ///
    /// # Errors
    /// As [`pasted`](Self::pasted).
    pub(super) fn answered(&self, query: &str) -> Result<Code, LoginError> {
        let mut code = None;
        let mut state = None;
        let mut error = None;
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "code" => code = Some(value.into_owned()),
                "state" => state = Some(value.into_owned()),
                "error" => error = Some(value.into_owned()),
                _ => {}
            }
        }
        // The state first: an answer to another login says nothing about this one, not even that it failed.
        if state.as_deref() != Some(self.state.as_str()) {
            return Err(LoginError::WrongState);
        }
        if let Some(error) = error {
            return Err(LoginError::Refused { code: known_word(&error) });
        }
        code.filter(|code| !code.is_empty()).map(|code| Code { code }).ok_or(LoginError::NoCode)
    }

    /// Exchanges the code for tokens.
    pub(crate) async fn exchange(&self, code: &Code, server: &TokenServer<'_>) -> Result<Tokens, LoginError> {
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("client_id", self.client.id.as_str()),
            ("code", code.code.as_str()),
            ("redirect_uri", self.redirect.as_str()),
            ("code_verifier", self.pkce.verifier.as_str()),
        ];
        if self.row.token_body == TokenBody::Json {
            fields.push(("state", self.state.as_str()));
        }
        fields.extend(self.client.secret.iter().map(|secret| ("client_secret", secret.expose())));
        Ok(server.tokens(&fields).await?)
    }

    pub(crate) fn client(&self) -> &OAuthClient {
        &self.client
    }

    pub(crate) fn row(&self) -> &'static OAuthRow {
        self.row
    }
}

fn not_offered(provider: &ProviderId) -> LoginError {
    LoginError::NotOffered { provider: provider.as_str().to_owned() }
}
