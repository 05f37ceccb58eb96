//! `models.probe`, `models.authSetApiKey`, `models.authLogout` and `models.authImport`.

use crate::error::RequestError;
use std::time::Duration;

use homard_config::Config;
use homard_config::config::agents::Agent;
use homard_llm::ApiKey;
use homard_models::auth::{Imported, NewProfile, StoreError, import_external};
use homard_models::catalogue;
use homard_models::probe::{PROBE_TIMEOUT, ProbeOptions, Probed, probe as ask};
use homard_protocol::methods::models::auth::{
    CredentialType, FoundLogin, MAX_KEY_BYTES, MAX_PROBE_MS, ModelsAuthImportParams, ModelsAuthImportResult,
    ModelsAuthLogoutParams, ModelsAuthLogoutResult, ModelsAuthSetApiKeyParams, ModelsAuthSetApiKeyResult,
    ModelsProbeParams, ModelsProbeResult, ProbeOutcome,
};
use homard_protocol::{AgentId, ProviderId};
use homard_runtime::{Clip, millis};

use crate::gateway::Gateway;
use crate::methods::check_range;
use crate::methods::config::blocking;
use crate::table::Cx;

/// Longest message of a provider that is passed on, in characters.
const MAX_WORDS: usize = 500;
/// How long to wait until a provider that got its first credential can be called.
const SETTLE: Duration = Duration::from_secs(8);
/// How often to look.
const SETTLE_STEP: Duration = Duration::from_millis(50);

/// Whose credentials are meant.
pub(crate) fn agent_named<'c>(config: &'c Config, id: Option<&AgentId>) -> Result<&'c Agent, RequestError> {
    let Some(id) = id else { return Ok(config.agents.default_agent()) };
    let unknown = || RequestError::invalid(format!("unknown agent id \"{id}\""));
    config.agents.agent(id).ok_or_else(unknown)
}

/// A provider under the id the catalogue knows it by.
pub(crate) fn provider_named(method: &str, text: &str) -> Result<ProviderId, RequestError> {
    let text = catalogue::find(text).map_or(text, |row| row.id);
    ProviderId::parse(text)
        .map_err(|error| RequestError::invalid(format!("invalid {method} params: at /provider: {error}")))
}

/// `models.probe`.
pub(crate) async fn probe(cx: Cx, params: ModelsProbeParams) -> Result<ModelsProbeResult, RequestError> {
    let name = "models.probe";
    check_range(name, "timeoutMs", params.timeout_ms, 1..=MAX_PROBE_MS)?;
    let gateway = &cx.gateway;
    let provider = provider_named(name, &params.provider)?;
    let config = gateway.config().current();
    let agent = agent_named(&config, params.agent_id.as_ref())?;
    let options = ProbeOptions {
        provider: Some(provider.clone()),
        profile: params.profile_id,
        timeout: params.timeout_ms.map_or(PROBE_TIMEOUT, Duration::from_millis),
        ..ProbeOptions::default()
    };
    // One that was just written into the configuration is about to be known.
    if config.models.providers.contains_key(&provider) {
        settled(gateway, &provider).await;
    }
    let probed = ask(&gateway.relay().router(), agent, &options, gateway.clock()).await;
    let results: Vec<ProbeOutcome> = probed.iter().map(outcome).collect();
    let Some(best) = results.iter().min_by_key(|one| one.status) else {
        return Err(RequestError::invalid(match options.profile {
            Some(profile) => format!("provider `{provider}` has no credential `{profile}`"),
            None => format!("provider `{provider}` is not set up"),
        }));
    };
    Ok(ModelsProbeResult {
        provider: provider.to_string(),
        status: best.status,
        latency_ms: best.latency_ms,
        error: best.error.clone(),
        results,
    })
}

fn outcome(one: &Probed) -> ProbeOutcome {
    let (latency_ms, failed) = match &one.outcome {
        Ok(took) => (Some(millis(*took)), None),
        Err(error) => (None, Some(error)),
    };
    ProbeOutcome {
        profile_id: one.profile.clone(),
        label: one.profile.clone().unwrap_or_else(|| one.provider.to_string()),
        status: one.status(),
        latency_ms,
        error: failed.map(|error| error.message.clip_chars(MAX_WORDS).to_owned()),
        hint: failed.map(|error| error.hint().to_owned()),
        model: one.model.as_ref().map(ToString::to_string),
    }
}

/// `models.authSetApiKey`.
pub(crate) async fn set_api_key(
    cx: Cx,
    params: ModelsAuthSetApiKeyParams,
) -> Result<ModelsAuthSetApiKeyResult, RequestError> {
    let name = "models.authSetApiKey";
    let gateway = &cx.gateway;
    let provider = provider_named(name, &params.provider)?;
    let key = params.api_key.trim();
    check_range(name, "apiKey", Some(key.len()), 1..=MAX_KEY_BYTES)?;
    if key.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(RequestError::invalid(format!(
            "invalid {name} params: at /apiKey: a key is one word; this has spaces or line breaks in it"
        )));
    }
    let (router, config) = (gateway.relay().router(), gateway.config().current());
    let is_written = config.models.providers.contains_key(&provider) || router.auth().contains_key(&provider);
    if catalogue::find(provider.as_str()).is_none() && !is_written {
        return Err(RequestError::invalid(format!(
            "provider `{provider}` is not known; add it under models.providers with its baseUrl first"
        )));
    }
    let agent = agent_named(&config, params.agent_id.as_ref())?;
    let profiles = router.profiles(&agent.id);
    let profile_id = profiles.add(NewProfile::key(provider.clone(), ApiKey::new(key))).await?;
    let warning = (!settled(gateway, &provider).await)
        .then(|| "the key is kept, but its provider cannot be called yet; see the log".to_owned());
    Ok(ModelsAuthSetApiKeyResult { provider: provider.to_string(), profile_id, warning })
}

/// Waits until a provider can be called; whether it can.
async fn settled(gateway: &Gateway, provider: &ProviderId) -> bool {
    let known = async {
        while !gateway.relay().router().auth().contains_key(provider) {
            tokio::time::sleep(SETTLE_STEP).await;
        }
    };
    tokio::time::timeout(SETTLE, known).await.is_ok()
}

/// Why credentials could not be read or written.
impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Incomplete(_)
            | StoreError::NoSuchProfile { .. }
            | StoreError::WrongProvider { .. } => Self::invalid(error.to_string()),
            other => Self::unavailable(other.to_string()),
        }
    }
}

/// `models.authLogout`.
pub(crate) async fn logout(
    cx: Cx,
    params: ModelsAuthLogoutParams,
) -> Result<ModelsAuthLogoutResult, RequestError> {
    let name = "models.authLogout";
    let gateway = &cx.gateway;
    let provider = provider_named(name, &params.provider)?;
    let only_keys = params.credential_type == Some(CredentialType::ApiKey);
    check_range(name, "profileIds", params.profile_ids.as_ref().map(Vec::len), 1..=usize::MAX)?;
    let config = gateway.config().current();
    let agent = agent_named(&config, params.agent_id.as_ref())?;
    let profiles = gateway.relay().router().profiles(&agent.id);
    let own: Vec<String> = profiles
        .describe()
        .await
        .profiles
        .into_iter()
        .filter(|one| one.provider == provider.as_str() && (!only_keys || one.is_key()))
        .map(|one| one.id)
        .collect();
    let wanted = match params.profile_ids {
        Some(ids) => {
            let stranger = ids.iter().find(|id| !own.contains(id));
            if let Some(id) = stranger {
                return Err(RequestError::invalid(format!(
                    "provider `{provider}` has no stored credential `{id}`"
                )));
            }
            ids
        }
        None => own,
    };
    for id in &wanted {
        profiles.remove(id).await?;
    }
    Ok(ModelsAuthLogoutResult {
        provider: provider.to_string(),
        removed_profiles: wanted,
        aborted_run_ids: Vec::new(),
        warning: None,
    })
}

/// `models.authImport`.
pub(crate) async fn import(
    cx: Cx,
    params: ModelsAuthImportParams,
) -> Result<ModelsAuthImportResult, RequestError> {
    let gateway = &cx.gateway;
    let home = gateway.config().source().paths.home.clone();
    let mut logins = blocking(move || import_external(&home)).await?;
    let Some(program) = params.program else {
        return Ok(ModelsAuthImportResult { found: logins.iter().map(|one| found(one, None)).collect() });
    };
    logins.retain(|one| one.program == program);
    let Some(login) = logins.into_iter().next() else {
        return Err(RequestError::invalid(format!("`{program}` has no login on this machine to take over")));
    };
    let config = gateway.config().current();
    let agent = agent_named(&config, params.agent_id.as_ref())?;
    let profiles = gateway.relay().router().profiles(&agent.id);
    let id = profiles.add(login.profile.clone()).await?;
    settled(gateway, &login.profile.provider).await;
    Ok(ModelsAuthImportResult { found: vec![found(&login, Some(id))] })
}

fn found(one: &Imported, profile_id: Option<String>) -> FoundLogin {
    FoundLogin {
        program: one.program.to_owned(),
        file: one.file.to_owned(),
        provider: one.profile.provider.to_string(),
        profile_id,
    }
}
