//! `auth`: which credentials are used in which order, and how long they rest.
//!
//! No secrets here: credentials themselves are kept by the room that uses them.

use std::collections::BTreeMap;
use std::time::Duration;

use homard_protocol::ProviderId;

use super::Resolve;
use crate::raw::housekeeping as raw;

/// First rest after a billing failure, in hours.
const BILLING_BACKOFF_HOURS: f64 = 5.0;
/// Longest rest after billing failures, in hours.
const BILLING_MAX_HOURS: f64 = 24.0;
/// How far back failures count, in hours.
const FAILURE_WINDOW_HOURS: f64 = 24.0;
const SECONDS_PER_HOUR: f64 = 3_600.0;

/// Decided `auth`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Auth {
    /// What the owner says about stored credentials, by their id.
    pub profiles: BTreeMap<String, AuthProfile>,
    /// Ids of credentials in the order they are tried, per provider.
    pub order: BTreeMap<ProviderId, Vec<String>>,
    /// How long failing credentials rest.
    pub cooldowns: Cooldowns,
}

/// What the owner says about one stored credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthProfile {
    pub provider: ProviderId,
}

/// How long failing credentials rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Cooldowns {
    /// First rest after a billing failure; doubles with each further one.
    pub billing_backoff: Duration,
    /// The same, where a provider has its own.
    pub billing_backoff_by_provider: BTreeMap<ProviderId, Duration>,
    /// Longest rest after billing failures.
    pub billing_max: Duration,
    /// How far back failures count.
    pub failure_window: Duration,
}

impl Default for Cooldowns {
    fn default() -> Self {
        Self {
            billing_backoff: hours(None, BILLING_BACKOFF_HOURS),
            billing_backoff_by_provider: BTreeMap::new(),
            billing_max: hours(None, BILLING_MAX_HOURS),
            failure_window: hours(None, FAILURE_WINDOW_HOURS),
        }
    }
}

/// Whether a credential of a subscription is in use, whose calls are counted per hour.
pub(super) fn is_sparing(raw: Option<&raw::Auth>) -> bool {
    let profiles = raw.and_then(|auth| auth.profiles.as_ref()).into_iter().flatten();
    profiles.into_iter().any(|(id, profile)| {
        let provider = profile.provider.as_deref().or_else(|| id.split_once(':').map(|(name, _)| name));
        provider == Some("anthropic") && matches!(profile.mode.as_deref(), Some("oauth" | "token"))
    })
}

impl Auth {
    pub(super) fn resolve(raw: raw::Auth, cx: &mut Resolve<'_>) -> Self {
        let mut profiles = BTreeMap::new();
        for (id, profile) in raw.profiles.unwrap_or_default() {
            let path = format!("auth.profiles.{id}");
            let named = profile.provider.or_else(|| id.split_once(':').map(|(name, _)| name.to_owned()));
            let Some(provider) = provider(named.as_deref().unwrap_or_default(), path, cx) else { continue };
            profiles.insert(id, AuthProfile { provider });
        }
        let mut order = BTreeMap::new();
        for (name, ids) in raw.order.unwrap_or_default() {
            if let Some(provider) = provider(&name, format!("auth.order.{name}"), cx) {
                order.insert(provider, ids);
            }
        }
        Self { profiles, order, cooldowns: Cooldowns::resolve(raw.cooldowns.unwrap_or_default(), cx) }
    }
}

impl Cooldowns {
    fn resolve(raw: raw::AuthCooldowns, cx: &mut Resolve<'_>) -> Self {
        let mut by_provider = BTreeMap::new();
        for (name, own) in raw.billing_backoff_hours_by_provider.unwrap_or_default() {
            let path = format!("auth.cooldowns.billingBackoffHoursByProvider.{name}");
            if let Some(provider) = provider(&name, path, cx) {
                by_provider.insert(provider, hours(Some(own), BILLING_BACKOFF_HOURS));
            }
        }
        Self {
            billing_backoff: hours(raw.billing_backoff_hours, BILLING_BACKOFF_HOURS),
            billing_backoff_by_provider: by_provider,
            billing_max: hours(raw.billing_max_hours, BILLING_MAX_HOURS),
            failure_window: hours(raw.failure_window_hours, FAILURE_WINDOW_HOURS),
        }
    }
}

fn provider(name: &str, path: String, cx: &mut Resolve<'_>) -> Option<ProviderId> {
    ProviderId::parse(&name.trim().to_lowercase()).map_err(|error| cx.issue(path, error.to_string())).ok()
}

/// Hours as written; what is not a length of time counts as unsaid.
fn hours(written: Option<f64>, default: f64) -> Duration {
    let read = |hours: f64| Duration::try_from_secs_f64(hours * SECONDS_PER_HOUR).ok();
    written.and_then(read).or_else(|| read(default)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
