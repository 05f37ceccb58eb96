//! GitHub Copilot: a GitHub token is exchanged for one that lives half an hour and says where it is accepted.

use std::fmt;
use std::sync::Arc;

use homard_llm::{ApiKey, Credential, CredentialKind, FailReason, Fetch, Headers, LlmError};
use homard_runtime::{OrCancel as _, hex};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use super::candidate::{Candidate, Source};
use super::change::{Change, Fields};
use super::document::Profile;
use super::refresh::log_in_again;
use super::state::Inner;

/// The API answers only to programs that say which editor they are.
pub(crate) const EDITOR_HEADERS: [(&str, &str); 4] = [
    ("editor-version", "vscode/1.107.0"),
    ("editor-plugin-version", "copilot-chat/0.35.0"),
    ("copilot-integration-id", "vscode-chat"),
    ("user-agent", "GitHubCopilotChat/0.35.0"),
];
/// How long before its end a token is exchanged again.
const EARLY_MS: i64 = 5 * 60_000;
/// Largest answer, in bytes.
const MAX_ANSWER: usize = 256 * 1024;
/// Times above this are milliseconds already.
const SECONDS_LIMIT: i64 = 100_000_000_000;
/// Life of a token whose server does not say.
const DEFAULT_LIFE_MS: i64 = 20 * 60_000;
/// Bytes of a fingerprint that are kept: enough to tell tokens apart, useless to find one.
const FINGERPRINT: usize = 8;

/// A token that was exchanged, and what for. `Debug` shows no value.
#[derive(Clone)]
pub(crate) struct CopilotToken {
    /// The fingerprint of the token it was exchanged for.
    from: String,
    token: ApiKey,
    expires: i64,
}

impl fmt::Debug for CopilotToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchanged").field("expires", &self.expires).finish_non_exhaustive()
    }
}

/// What is exchanged, where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer<'a> {
    pub(super) url: &'static str,
    pub(super) github: &'a ApiKey,
    /// The profile the GitHub token is from, when it is from one.
    pub(super) profile: Option<&'a Profile>,
}

/// The tokens a handle has had in exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct CopilotTokens<'a> {
    pub(super) inner: &'a Arc<Inner>,
}

impl CopilotTokens<'_> {
    /// A Copilot token for a GitHub token: the one at hand while it is good, else a new one.
    pub(super) async fn exchanged(
        self,
        offer: Offer<'_>,
        candidate: &Candidate,
        cancel: &CancellationToken,
    ) -> Result<Credential, LlmError> {
        let Offer { url, github, profile } = offer;
        let from = fingerprint(github);
        if let Some(held) = self.held(candidate, &from, profile).filter(|held| self.is_good(held, EARLY_MS)) {
            return Ok(held.credential());
        }
        let exchanging = async {
            let _desk = self.inner.exchange_desk.lock().await;
            // Whoever held the desk before may have done it for us.
            let held = self.held(candidate, &from, profile);
            if let Some(held) = held.as_ref().filter(|held| self.is_good(held, EARLY_MS)) {
                return Ok(held.clone());
            }
            match self.ask(url, candidate, github).await {
                Ok((token, expires)) => {
                    let exchanged = CopilotToken { from, token, expires };
                    self.keep_exchanged(candidate, &exchanged);
                    Ok(exchanged)
                }
                Err(error) => held.filter(|held| self.is_good(held, 0)).ok_or(error),
            }
        };
        let exchanged =
            Box::pin(exchanging.or_cancel(cancel)).await.map_err(|_cancelled| LlmError::aborted())??;
        Ok(exchanged.credential())
    }

    fn is_good(self, held: &CopilotToken, early: i64) -> bool {
        held.expires.saturating_sub(early) > self.inner.cx.clock.now_ms()
    }

    /// What is at hand for this GitHub token, in memory or beside the profile.
    fn held(self, candidate: &Candidate, from: &str, profile: Option<&Profile>) -> Option<CopilotToken> {
        let memory = self.inner.memory();
        if let Some(held) = memory.exchanged.get(&candidate.id) {
            return Some(held.clone()).filter(|held| held.from == from);
        }
        let profile = profile?;
        let same = profile.field("copilotFor").as_deref() == Some(from);
        let token = profile.field("copilotToken").filter(|_| same)?;
        let expires = profile.time("copilotExpires")?;
        Some(CopilotToken { from: from.to_owned(), token: ApiKey::new(&token), expires })
    }

    fn keep_exchanged(self, candidate: &Candidate, exchanged: &CopilotToken) {
        self.inner.memory().exchanged.insert(candidate.id.clone(), exchanged.clone());
        if candidate.source == Source::Profile {
            let mut fields = Map::new();
            fields.insert("copilotToken".to_owned(), json!(exchanged.token.expose()));
            fields.insert("copilotExpires".to_owned(), json!(exchanged.expires));
            fields.insert("copilotFor".to_owned(), json!(exchanged.from));
            self.inner.note(Change::Amend { id: candidate.id.clone(), fields: Fields(fields) });
        }
    }

    async fn ask(self, url: &str, candidate: &Candidate, github: &ApiKey) -> Result<(ApiKey, i64), LlmError> {
        let own = [
            ("accept", "application/json".to_owned()),
            ("authorization", format!("Bearer {}", github.expose())),
        ];
        let editor = EDITOR_HEADERS.into_iter().map(|(name, value)| (name, value.to_owned()));
        let headers: Headers = own.into_iter().chain(editor).map(|(k, v)| (k.to_owned(), v)).collect();
        let mut request = Fetch::get(url).with_headers(headers);
        request.time_limit = self.inner.limits.token_timeout;
        request.size_limit = MAX_ANSWER;
        let fetched = self.inner.cx.http.fetch(request).await?;
        match fetched.status {
            200..300 => {}
            401 | 403 | 404 => return Err(log_in_again(candidate, "is not accepted by GitHub Copilot")),
            status => return Err(no_answer(&format!("it answered {status}"))),
        }
        let answer: Value =
            serde_json::from_slice(&fetched.body).map_err(|_page| no_answer("its answer is not JSON"))?;
        let token = answer.get("token").and_then(Value::as_str).map(str::trim).filter(|t| !t.is_empty());
        let token = token.ok_or_else(|| no_answer("its answer holds no token"))?;
        let now = self.inner.cx.clock.now_ms();
        let expires = answer.get("expires_at").and_then(Value::as_i64).filter(|at| *at > 0);
        let expires = expires.map(|at| if at < SECONDS_LIMIT { at * 1_000 } else { at });
        Ok((ApiKey::new(token), expires.unwrap_or_else(|| now.saturating_add(DEFAULT_LIFE_MS))))
    }
}

impl CopilotToken {
    fn credential(&self) -> Credential {
        let headers = EDITOR_HEADERS.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned()));
        Credential {
            kind: CredentialKind::Token,
            secret: Some(self.token.clone()),
            headers: headers.collect(),
            base_url: api_address(self.token.expose()),
            ..Credential::default()
        }
    }
}

/// Where a Copilot token is accepted: it names a proxy, and the API is its neighbour.
fn api_address(token: &str) -> Option<String> {
    let proxy = token.split(';').find_map(|part| part.trim().strip_prefix("proxy-ep="))?.trim();
    let host = proxy.split_once("://").map_or(proxy, |(_, host)| host).trim_end_matches('/');
    let is_host = !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    let api = host.strip_prefix("proxy.").map_or_else(|| host.to_owned(), |rest| format!("api.{rest}"));
    is_host.then(|| format!("https://{api}"))
}

fn fingerprint(token: &ApiKey) -> String {
    let digest = Sha256::digest(token.expose().as_bytes());
    hex(digest.iter().take(FINGERPRINT))
}

fn no_answer(what: &str) -> LlmError {
    let message = format!("GitHub gave no Copilot token: {what}");
    LlmError::new(FailReason::Timeout, message)
}

#[cfg(test)]
mod tests;
