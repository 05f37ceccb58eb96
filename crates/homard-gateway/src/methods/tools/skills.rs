//! `skills.*`: what agents have been taught, what the owner says about it, and what it needs.

use std::sync::Arc;
use std::time::Duration;

use homard_config::config::agents::Agent;
use homard_config::{Config, ConfigHandle, Overrides, REDACTED, Snapshot, WriteError, WriteOutcome};
use homard_exec::check_injected;
use homard_protocol::AgentId;
use homard_protocol::events::{SkillsChange, SkillsChangedEvent};
use homard_protocol::method::NoParams;
use homard_protocol::methods::tools::skills::{
    SkillsBinsResult, SkillsInstallParams, SkillsInstallResult, SkillsStatusParams, SkillsStatusResult,
    SkillsUpdateParams, SkillsUpdateResult,
};
use homard_runtime::off_thread;
use homard_skills::install::{DEFAULT_TIMEOUT, InstallError};
use serde_json::{Map, Value, json};

use crate::error::RequestError;
use crate::methods::session_key;
use crate::table::Cx;

/// Shortest time an installer may be given, in milliseconds.
const MIN_TIMEOUT_MS: u64 = 1_000;
/// Longest key of a skill, in bytes.
const MAX_KEY_LEN: usize = 128;
/// How often a write is tried when somebody else writes at the same time.
const WRITE_TRIES: usize = 3;

/// `skills.status`.
pub(crate) async fn status(cx: Cx, params: SkillsStatusParams) -> Result<SkillsStatusResult, RequestError> {
    let config = cx.gateway.config().current();
    let id = match &params.session_key {
        Some(key) => session_key(&cx.gateway, key, params.agent_id.as_ref())?.agent_id().cloned(),
        None => None,
    };
    let agent = match id.as_ref().and_then(|id| config.agents.agent(id)) {
        Some(agent) => agent.clone(),
        None => agent_of(&config, params.agent_id.as_ref())?.clone(),
    };
    let skills = cx.gateway.relay().skills().clone();
    blocking(move || skills.report(&config, &agent)).await
}

/// `skills.bins`.
pub(crate) async fn bins(cx: Cx, _params: NoParams) -> Result<SkillsBinsResult, RequestError> {
    let (skills, config) = (cx.gateway.relay().skills().clone(), cx.gateway.config().current());
    Ok(SkillsBinsResult { bins: blocking(move || skills.bins(&config)).await? })
}

/// `skills.install`.
pub(crate) async fn install(
    cx: Cx,
    params: SkillsInstallParams,
) -> Result<SkillsInstallResult, RequestError> {
    if let Some(source) = &params.source {
        return Err(elsewhere("skills.install", source));
    }
    let name = required("skills.install", "name", params.name.as_deref())?;
    let id = required("skills.install", "installId", params.install_id.as_deref())?;
    if params.timeout_ms.is_some_and(|ms| ms < MIN_TIMEOUT_MS) {
        return Err(RequestError::invalid(format!(
            "invalid skills.install params: at /timeoutMs: must be {MIN_TIMEOUT_MS} or more"
        )));
    }
    let config = cx.gateway.config().current();
    let agent = agent_of(&config, params.agent_id.as_ref())?;
    let timeout = params.timeout_ms.map_or(DEFAULT_TIMEOUT, Duration::from_millis);
    let installed = cx.gateway.relay().skills().install(agent, name, id, timeout).await;
    if installed.is_ok() {
        cx.gateway.bus().publish(&SkillsChangedEvent { reason: SkillsChange::Manual });
    }
    installed.map_err(|error| match error {
        InstallError::UnknownSkill(_) | InstallError::UnknownWay { .. } => {
            RequestError::invalid(error.to_string())
        }
        _ => RequestError::unavailable(error.to_string()),
    })
}

/// `skills.update`.
pub(crate) async fn update(cx: Cx, params: SkillsUpdateParams) -> Result<SkillsUpdateResult, RequestError> {
    if let Some(source) = &params.source {
        return Err(elsewhere("skills.update", source));
    }
    let key = required("skills.update", "skillKey", params.skill_key.as_deref())?.to_owned();
    if key.len() > MAX_KEY_LEN || key.chars().any(char::is_control) {
        return Err(RequestError::invalid(
            "invalid skills.update params: at /skillKey: cannot be a skill's key",
        ));
    }
    let patch = patch(&key, &params)?;
    let handle = cx.gateway.config().clone();
    blocking(move || write(&handle, &patch)).await??;
    let written = cx.gateway.config().snapshot();
    let shown = homard_config::redact(&written.parsed, homard_config::schema());
    let entry = ["skills", "entries", &key].iter().try_fold(&shown, |value, name| value.get(name));
    Ok(SkillsUpdateResult { ok: true, config: entry.cloned().unwrap_or_else(|| json!({})), skill_key: key })
}

/// The change of the configuration that is asked for; what is blank is taken away.
fn patch(key: &str, params: &SkillsUpdateParams) -> Result<String, RequestError> {
    let or_nothing = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    let mut entry = Map::new();
    if let Some(enabled) = params.enabled {
        entry.insert("enabled".to_owned(), json!(enabled));
    }
    if let Some(text) = &params.api_key {
        // Keys are pasted, and a line end comes along.
        entry.insert("apiKey".to_owned(), or_nothing(text.replace(['\r', '\n'], "").trim()));
    }
    if let Some(env) = &params.env {
        for (name, value) in env.iter().filter(|(_, value)| !value.is_empty() && *value != REDACTED) {
            check_injected(name, value)
                .map_err(|e| RequestError::invalid(format!("invalid skills.update params: at /env: {e}")))?;
        }
        let env: Map<String, Value> =
            env.iter().map(|(name, value)| (name.clone(), or_nothing(value))).collect();
        entry.insert("env".to_owned(), Value::Object(env));
    }
    let entries = Map::from_iter([(key.to_owned(), Value::Object(entry))]);
    Ok(json!({"skills": {"entries": entries}}).to_string())
}

/// Applies a change to whatever the file is now.
fn write(handle: &ConfigHandle, patch: &str) -> Result<WriteOutcome, WriteError> {
    let mut tries = 1;
    loop {
        let now = Snapshot::load(handle.source(), &Overrides::default());
        match handle.merge_patch(patch, Some(&now.hash), &[]) {
            Err(WriteError::Conflict { .. }) if tries < WRITE_TRIES => tries += 1,
            outcome => return outcome,
        }
    }
}

fn required<'t>(method: &str, field: &str, text: Option<&'t str>) -> Result<&'t str, RequestError> {
    match text.map(str::trim) {
        None => Err(RequestError::invalid(format!(
            "invalid {method} params: at root: must have required property '{field}'"
        ))),
        Some("") => {
            Err(RequestError::invalid(format!("invalid {method} params: at /{field}: must not be empty")))
        }
        Some(text) => Ok(text),
    }
}

fn elsewhere(method: &str, source: &str) -> RequestError {
    match source {
        "clawhub" | "upload" => RequestError::unavailable(format!(
            "whole skills cannot be fetched from `{source}` yet: put the skill's folder into the managed skills directory by hand (skills.status names it)"
        )),
        _ => RequestError::invalid(format!(
            "invalid {method} params: at /source: must be 'clawhub' or 'upload'"
        )),
    }
}

fn agent_of<'c>(config: &'c Arc<Config>, id: Option<&AgentId>) -> Result<&'c Agent, RequestError> {
    let Some(id) = id else { return Ok(config.agents.default_agent()) };
    config.agents.agent(id).ok_or_else(|| {
        RequestError::invalid(format!("unknown agent id \"{id}\""))
            .with_details(json!({"code": "UNKNOWN_AGENT_ID", "agentId": id}))
    })
}

/// Looks at files off the reactor.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, RequestError> {
    off_thread(work).await.map_err(|error| {
        tracing::error!(%error, "a look at skills ended unexpectedly");
        RequestError::unavailable("the skills could not be looked at; see the log")
    })
}
