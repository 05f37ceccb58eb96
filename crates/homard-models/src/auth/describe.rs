//! What people are shown of stored credentials: everything but the credentials.

use homard_llm::ApiKey;
use homard_runtime::Arrange as _;
use serde::Serialize;

use super::cooldown::cooling_until;
use super::document::{Document, Proof};
use super::order::unusable;
use super::profiles::Profiles;
use super::state::ProfilePlace;

/// Shortest secret whose end is shown; of a shorter one it would be too much.
const HINT_FROM: usize = 16;
/// What a credential is called that is a key.
const API_KEY: &str = "api_key";
/// How much of the end is shown.
const HINT_LEN: usize = 4;

/// All stored credentials of an agent, as people see them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// One per profile, by id.
    pub profiles: Vec<Described>,
    /// What is wrong with the file, when something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Whether these are the main agent's, the agent having none of its own.
    pub inherited: bool,
}

/// One stored credential, as people see it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Described {
    pub id: String,
    pub provider: String,
    /// `api_key`, `token` or `oauth`.
    pub kind: &'static str,
    /// The end of the key, enough to tell two keys apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// When it expires, in milliseconds since 1970; a login that can be renewed goes on after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<i64>,
    /// Whether it renews itself.
    pub renewable: bool,
    /// Until when it rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooling_until: Option<i64>,
    /// Why it is disabled, when it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<String>,
    /// When it last worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<i64>,
    /// Failures in a row.
    pub errors: u32,
    /// Whether it is the one of its provider that worked last.
    pub last_good: bool,
    /// Why it cannot be used, when it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<&'static str>,
}

impl Described {
    /// Whether it is a key, and no login.
    #[must_use]
    pub fn is_key(&self) -> bool {
        self.kind == API_KEY
    }
}

impl Profiles {
    /// All stored credentials, without their values.
    pub async fn describe(&self) -> Description {
        self.inner.look().await;
        let now = self.inner.cx.clock.now_ms();
        let view = self.inner.view();
        let ids = view.document.ids();
        let mut profiles: Vec<_> = ids.iter().filter_map(|id| described(&view.document, id, now)).collect();
        profiles.arrange_by(|a, b| a.id.cmp(&b.id));
        Description { profiles, problem: view.problem, inherited: view.place == ProfilePlace::Main }
    }
}

fn described(document: &Document, id: &str, now: i64) -> Option<Described> {
    let profile = document.profile(id)?;
    let stats = document.stats(id);
    let cooling_until = cooling_until(&stats, now);
    let disabled = stats.disabled_until.is_some_and(|until| until > now) && cooling_until.is_some();
    let (kind, secret, expires, renewable) = match &profile.proof {
        Proof::Key(key) => (API_KEY, Some(key), None, false),
        Proof::Token { token, expires } => ("token", Some(token), *expires, false),
        Proof::OAuth(oauth) => ("oauth", None, Some(oauth.expires), oauth.refresh.is_some()),
        Proof::Unusable(_) => ("unknown", None, None, false),
    };
    Some(Described {
        id: id.to_owned(),
        provider: profile.provider.as_str().to_owned(),
        kind,
        hint: secret.and_then(hint),
        email: profile.field("email"),
        expires,
        renewable,
        cooling_until,
        disabled_reason: stats.disabled_reason.filter(|_| disabled),
        last_used: stats.last_used,
        errors: stats.error_count,
        last_good: document.last_good(profile.provider.as_str()) == Some(id),
        problem: unusable(&profile.proof, now),
    })
}

/// The end of a secret, when it is long enough that its end gives nothing away.
fn hint(secret: &ApiKey) -> Option<String> {
    let text = secret.expose();
    let count = text.chars().count();
    (count >= HINT_FROM).then(|| text.chars().skip(count - HINT_LEN).collect())
}

#[cfg(test)]
mod tests;
