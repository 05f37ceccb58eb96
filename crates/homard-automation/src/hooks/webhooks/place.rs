//! In which conversation a call speaks, and as whose.

use homard_config::Config;
use homard_config::config::hooks::{HookSessions, Hooks};
use homard_protocol::{AgentId, SessionKey, SessionScope};

use super::WebhookError;
use super::call::{HookTarget, NamedKey};

/// What keys of hooks begin with unless the owner chose otherwise.
const HOOK: &str = "hook:";

/// Where a call goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPlace {
    pub key: SessionKey,
    /// Whether the conversation belongs to hooks alone, so that it may be begun anew.
    pub is_hooks_own: bool,
}

/// The conversation of a call that is to be answered. `fresh` names one nobody used before.
pub fn place(config: &Config, target: &HookTarget, fresh: &str) -> Result<HookPlace, WebhookError> {
    let (hooks, agent) = (&config.hooks, agent(config, target)?);
    let key = match &target.key {
        Some(named) => checked(hooks, &agent, named)?,
        None => match &hooks.sessions.default_key {
            Some(key) => parse(key, &agent)?,
            None => parse(&format!("{HOOK}{fresh}"), &agent)?,
        },
    };
    let is_hooks_own = matches!(&key, SessionKey::Agent { scope: SessionScope::Hook(_), .. });
    Ok(HookPlace { key, is_hooks_own })
}

/// The conversation of a call that only tells something: the agent's main one unless another is named.
pub fn place_of_wake(config: &Config, target: &HookTarget) -> Result<SessionKey, WebhookError> {
    let agent = agent(config, target)?;
    match &target.key {
        Some(named) => checked(&config.hooks, &agent, named),
        None => Ok(SessionKey::main(agent)),
    }
}

/// The agent that is meant, if hooks may reach it.
fn agent(config: &Config, target: &HookTarget) -> Result<AgentId, WebhookError> {
    let id = match target.agent.as_deref().map(|id| id.trim().to_lowercase()) {
        None => config.agents.default_agent().id.clone(),
        Some(id) => AgentId::parse(&id)?,
    };
    if config.agents.agent(&id).is_none() {
        return Err(WebhookError::Invalid(format!("unknown agentId `{id}`")));
    }
    reachable(&config.hooks, &id)?;
    Ok(id)
}

fn reachable(hooks: &Hooks, id: &AgentId) -> Result<(), WebhookError> {
    let is_allowed =
        hooks.allowed_agents.as_ref().is_none_or(|ids| ids.iter().any(|known| known == id.as_str()));
    if is_allowed {
        return Ok(());
    }
    Err(WebhookError::NotAllowed(format!("agentId `{id}` is not allowed by hooks.allowedAgentIds")))
}

fn checked(hooks: &Hooks, agent: &AgentId, named: &NamedKey) -> Result<SessionKey, WebhookError> {
    let (text, is_callers) = match named {
        NamedKey::Callers(text) => (text, true),
        NamedKey::Owners(text) => (text, false),
    };
    if is_callers && !hooks.sessions.callers_choose {
        return Err(WebhookError::NotAllowed(
            "callers may not name the conversation: leave sessionKey out, or set hooks.allowRequestSessionKey"
                .to_owned(),
        ));
    }
    let key = parse(text, agent)?;
    if let Some(other) = key.agent_id().filter(|other| *other != agent) {
        reachable(hooks, other)?;
    }
    starts_right(&hooks.sessions, &key)?;
    Ok(key)
}

/// Prefixes are meant for the key, with or without its agent.
fn starts_right(sessions: &HookSessions, key: &SessionKey) -> Result<(), WebhookError> {
    let Some(prefixes) = &sessions.prefixes else { return Ok(()) };
    let whole = key.to_string();
    let bare =
        whole.strip_prefix("agent:").and_then(|rest| rest.split_once(':')).map_or("", |(_, bare)| bare);
    if prefixes.iter().any(|prefix| whole.starts_with(prefix.as_str()) || bare.starts_with(prefix.as_str())) {
        return Ok(());
    }
    Err(WebhookError::NotAllowed(format!("sessionKey must start with one of: {}", prefixes.join(", "))))
}

fn parse(text: &str, agent: &AgentId) -> Result<SessionKey, WebhookError> {
    Ok(SessionKey::parse_for(text, agent)?)
}

#[cfg(test)]
mod tests;
