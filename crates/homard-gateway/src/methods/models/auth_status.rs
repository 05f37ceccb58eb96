//! `models.authStatus`.

use crate::error::RequestError;
use homard_models::auth::{Candidate, Described, Source};
use homard_models::catalogue::{self, AuthKind};
use homard_protocol::methods::models::auth_status::{
    ApiKeySource, AuthProfileStatus, AuthStatus, KeySource, ModelsAuthStatusParams, ModelsAuthStatusResult,
    ProviderAuthStatus, ProviderCapability,
};

use crate::methods::models::auth::agent_named;
use crate::table::Cx;

/// How long before its end a credential counts as ending, in milliseconds.
const ENDING: i64 = 24 * 3_600_000;

/// `models.authStatus`.
pub(crate) async fn status(
    cx: Cx,
    params: ModelsAuthStatusParams,
) -> Result<ModelsAuthStatusResult, RequestError> {
    let gateway = &cx.gateway;
    let config = gateway.config().current();
    let agent = agent_named(&config, params.agent_id.as_ref())?;
    let router = gateway.relay().router();
    let profiles = router.profiles(&agent.id);
    let stored = profiles.describe().await;
    let now = gateway.clock().now_ms();
    let mut providers = Vec::new();
    for (provider, auth) in router.auth() {
        let candidates = profiles.candidates(auth, None).await;
        let own: Vec<&Described> =
            stored.profiles.iter().filter(|one| one.provider == provider.as_str()).collect();
        providers.push(provider_status(provider.as_str(), &candidates, &own, now));
    }
    Ok(ModelsAuthStatusResult {
        ts: now,
        providers,
        provider_capabilities: catalogue::ROWS.iter().map(capability).collect(),
        unavailable: stored.problem,
    })
}

fn provider_status(
    provider: &str,
    candidates: &[Candidate],
    stored: &[&Described],
    now: i64,
) -> ProviderAuthStatus {
    let profiles: Vec<AuthProfileStatus> = stored.iter().map(|one| profile(one, now)).collect();
    let api_key = candidates.iter().find_map(|candidate| key_source(&candidate.source));
    let best = [
        AuthStatus::Ok,
        AuthStatus::Expiring,
        AuthStatus::Cooldown,
        AuthStatus::Expired,
        AuthStatus::Invalid,
    ];
    let best = best.into_iter().find(|word| profiles.iter().any(|one| one.status == *word));
    let status = match (best, &api_key) {
        (Some(word @ (AuthStatus::Ok | AuthStatus::Expiring)), _) => word,
        (_, Some(_)) => AuthStatus::Static,
        (Some(word), None) => word,
        (None, None) => AuthStatus::Missing,
    };
    let name = catalogue::find(provider).map_or(provider, |row| row.name);
    ProviderAuthStatus {
        provider: provider.to_owned(),
        auth_provider: provider.to_owned(),
        display_name: name.to_owned(),
        status,
        profiles,
        api_key,
    }
}

/// Where a key comes from that is not stored; its value is never told.
fn key_source(source: &Source) -> Option<ApiKeySource> {
    let (source, env_var) = match source {
        Source::Profile => return None,
        Source::Env(name) => (KeySource::Env, Some(name.clone())),
        Source::Config => (KeySource::Config, None),
        Source::AwsChain => (KeySource::Aws, None),
        Source::Keyless => (KeySource::None, None),
    };
    Some(ApiKeySource { source, env_var })
}

fn profile(one: &Described, now: i64) -> AuthProfileStatus {
    let ends = one.expires.filter(|_| !one.renewable);
    let status = if one.problem.is_some() {
        AuthStatus::Invalid
    } else if ends.is_some_and(|end| end <= now) {
        AuthStatus::Expired
    } else if one.cooling_until.is_some() {
        AuthStatus::Cooldown
    } else if ends.is_some_and(|end| end.saturating_sub(now) < ENDING) {
        AuthStatus::Expiring
    } else {
        AuthStatus::Ok
    };
    AuthProfileStatus {
        profile_id: one.id.clone(),
        kind: one.kind.to_owned(),
        status,
        email: one.email.clone(),
        expires_at: one.expires,
        cooldown_until: one.cooling_until,
        last_used_at: one.last_used,
        problem: one.problem.map(str::to_owned),
    }
}

fn capability(row: &catalogue::Row) -> ProviderCapability {
    let with_key = row.auth.contains(&AuthKind::ApiKey);
    ProviderCapability {
        provider: row.id.to_owned(),
        display_name: row.name.to_owned(),
        keyless: row.is_keyless(),
        api_key_supported: with_key,
        quick_api_key_setup: with_key && row.places.is_empty(),
        login_options: row.oauth.is_some().then(|| vec!["oauth".to_owned()]),
    }
}
