//! From a candidate to the proof itself: looked up, renewed, exchanged, and with its address filled in.
//!
//! What is seldom needed and large (AWS's chain, exchanges, renewals) is boxed: every call moves these futures about.

use std::sync::Arc;

use homard_llm::{ApiKey, Credential, CredentialKind, FailReason, Headers, LlmError};
use homard_runtime::OrCancel as _;
use tokio_util::sync::CancellationToken;

use super::aws;
use super::candidate::{Candidate, Exchange, ProviderAuth, Source};
use super::change::{Change, Fields};
use super::code_assist::ProjectError;
use super::copilot::{CopilotTokens, Offer};
use super::document::{Profile, Proof};
use super::oauth::claim;
use super::order::unusable;
use super::profiles::Profiles;
use super::refresh::{Renewals, gone, log_in_again};
use super::secrets;

/// How long before their end AWS keys are looked for again.
const AWS_EARLY_MS: i64 = 5 * 60_000;

impl Profiles {
    /// The proof itself: renewed when it is about to expire, exchanged where the provider wants that.
    ///
    /// # Errors
    /// When there is no usable proof; the message says what to do. The reason is `Auth`, `Timeout` when a token
    /// server does not answer, or `Aborted`.
    pub async fn credential(
        &self,
        auth: &ProviderAuth,
        candidate: &Candidate,
        cancel: &CancellationToken,
    ) -> Result<Arc<Credential>, LlmError> {
        let (mut credential, profile) = match &candidate.source {
            Source::Profile => {
                let (credential, profile) = self.stored(auth, candidate, cancel).await?;
                (credential, Some(profile))
            }
            Source::Env(name) => {
                let found = auth.env.iter().find(|(known, _)| known == name).map(|(_, key)| key);
                let key = found.ok_or_else(|| missing(&format!("`{name}` is no longer set")))?;
                (plain(auth.env_kind, key), None)
            }
            Source::Config => {
                let key = auth.config_key.as_ref();
                let key = key.ok_or_else(|| missing("the configuration no longer has an apiKey"))?;
                (plain(CredentialKind::ApiKey, key), None)
            }
            Source::AwsChain => (self.signing_keys(candidate, cancel).await?, None),
            Source::Keyless => (Credential::default(), None),
        };
        if let (Some(Exchange::Copilot { url }), Some(secret)) = (auth.exchange, credential.secret.clone()) {
            credential = CopilotTokens { inner: &self.inner }
                .exchanged(Offer { url, github: &secret, profile: profile.as_ref() }, candidate, cancel)
                .await?;
        }
        secrets::keep_credential(&self.inner.cx.secrets, &credential);
        Ok(Arc::new(credential))
    }

    async fn stored(
        &self,
        auth: &ProviderAuth,
        candidate: &Candidate,
        cancel: &CancellationToken,
    ) -> Result<(Credential, Profile), LlmError> {
        self.inner.look().await;
        let profile = self.inner.view().document.profile(&candidate.id).ok_or_else(|| gone(candidate))?;
        if profile.provider != auth.provider {
            return Err(gone(candidate));
        }
        if let Some(why) = unusable(&profile.proof, self.inner.cx.clock.now_ms()) {
            return Err(match profile.proof {
                Proof::OAuth(_) => log_in_again(candidate, "has expired"),
                Proof::Key(_) | Proof::Token { .. } | Proof::Unusable(_) => {
                    missing(&format!("the profile `{}` cannot be used: {why}", candidate.id))
                }
            });
        }
        let profile = Renewals { inner: &self.inner }.renewed(auth.oauth, candidate, profile, cancel).await?;
        let mut credential = match &profile.proof {
            Proof::Key(key) => plain(CredentialKind::ApiKey, key),
            Proof::Token { token, .. } => plain(CredentialKind::Token, token),
            Proof::OAuth(oauth) => plain(CredentialKind::OAuth, &oauth.access),
            Proof::Unusable(_) => return Err(gone(candidate)),
        };
        credential.headers = account_header(auth, &profile);
        credential.project = self.paying(auth, candidate, &profile).await?;
        credential.base_url = base_url(auth, candidate, &profile)?;
        Ok((credential, profile))
    }

    /// The project that pays for a login's calls. A login made by another program does not say; then it is asked for.
    async fn paying(
        &self,
        auth: &ProviderAuth,
        candidate: &Candidate,
        profile: &Profile,
    ) -> Result<Option<String>, LlmError> {
        let Some(server) = auth.oauth.and_then(|row| row.projects) else { return Ok(None) };
        let Proof::OAuth(oauth) = &profile.proof else { return Ok(None) };
        if let Some(project) = profile.field("projectId") {
            return Ok(Some(project));
        }
        let project = Box::pin(self.project(server, &oauth.access)).await.map_err(|error| match error {
            ProjectError::Unreachable(_) => LlmError::new(FailReason::Timeout, error.to_string()),
            ProjectError::NotEligible(_) | ProjectError::NeedsOne => missing(&error.to_string()),
        })?;
        let fields = std::iter::once(("projectId".to_owned(), project.clone().into())).collect();
        self.inner.note(Change::Amend { id: candidate.id.clone(), fields: Fields(fields) });
        Ok(Some(project))
    }

    /// Keys from wherever AWS tools look, kept until shortly before they expire or are refused.
    async fn signing_keys(
        &self,
        candidate: &Candidate,
        cancel: &CancellationToken,
    ) -> Result<Credential, LlmError> {
        let now = self.inner.cx.clock.now_ms();
        let good =
            |found: &aws::FoundKeys| found.expires_at.is_none_or(|at| at.saturating_sub(AWS_EARLY_MS) > now);
        let held = || self.inner.memory().aws.get(&candidate.id).cloned().filter(good);
        if let Some(found) = held() {
            return Ok(signing(found));
        }
        let desk = self.inner.exchange_desk.lock().or_cancel(cancel).await;
        let _desk = desk.map_err(|_cancelled| LlmError::aborted())?;
        // Whoever held the desk before may have found them for us.
        if let Some(found) = held() {
            return Ok(signing(found));
        }
        let env: Vec<_> =
            self.environment().iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let found = Box::pin(aws::chain(&env, cancel)).await?;
        self.inner.memory().aws.insert(candidate.id.clone(), found.clone());
        Ok(signing(found))
    }
}

fn signing(found: aws::FoundKeys) -> Credential {
    Credential { kind: CredentialKind::Aws, aws: Some(found.keys), ..Credential::default() }
}

fn plain(kind: CredentialKind, secret: &ApiKey) -> Credential {
    Credential { kind, secret: Some(secret.clone()), ..Credential::default() }
}

fn missing(what: &str) -> LlmError {
    LlmError::new(FailReason::Auth, what)
}

/// Names the account a login is for, where every call has to.
fn account_header(auth: &ProviderAuth, profile: &Profile) -> Headers {
    let (Some(wanted), Proof::OAuth(oauth)) = (auth.oauth.and_then(|row| row.account), &profile.proof) else {
        return Headers::default();
    };
    let said = claim(oauth.access.expose(), wanted.pointer);
    let account = said.or_else(|| profile.field("accountId"));
    account.map(|account| (wanted.header.to_owned(), account)).into_iter().collect()
}

/// Where this credential is accepted, when that is a place of its own.
fn base_url(
    auth: &ProviderAuth,
    candidate: &Candidate,
    profile: &Profile,
) -> Result<Option<String>, LlmError> {
    if let Some(template) = auth.base_url_template {
        return filled(template, candidate, profile).map(Some);
    }
    Ok(profile.field("resourceUrl").and_then(|resource| resource_url(&resource)))
}

/// An address with its `{name}` places filled from the profile's metadata.
fn filled(template: &str, candidate: &Candidate, profile: &Profile) -> Result<String, LlmError> {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { break };
        out.push_str(before);
        let value = profile.metadata(name).or_else(|| profile.field(name));
        let safe = |value: &String| value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        match value.filter(safe) {
            Some(value) => out.push_str(&value),
            None => {
                let id = &candidate.id;
                return Err(missing(&format!(
                    "the profile `{id}` needs `{name}` in its metadata; add it again with `homard models auth add`"
                )));
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

/// The address a token server named for its tokens' calls: a host, or an address.
fn resource_url(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('/');
    let full = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = url::Url::parse(&full).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.host_str()?;
    Some(if url.path() == "/" { format!("{full}/v1") } else { full })
}

#[cfg(test)]
mod tests;
