//! Which other conversations an agent may look at and write to.

use homard_config::Config;
use homard_config::config::agents::delegation::{AgentToAgent, Visibility};
use homard_protocol::{AgentId, SessionKey};
use homard_runtime::OrLog;
use homard_store::{SessionKind, SessionRecord, Store};
use homard_tools::{Caller, PortError, ToolCx};

use crate::turn_setup::sandbox;

/// How many ancestors a conversation may have before nobody looks further; deeper ones cannot be made.
const MAX_ANCESTORS: usize = 8;

/// The agent a conversation belongs to.
pub(crate) fn agent_of<'a>(config: &'a Config, key: &'a SessionKey) -> &'a AgentId {
    key.agent_id().unwrap_or(&config.agents.default_agent().id)
}

/// Whether people other than the owner write in a conversation.
pub(crate) fn has_strangers(key: &SessionKey) -> bool {
    match SessionKind::of(key) {
        SessionKind::Direct | SessionKind::Group | SessionKind::Hook | SessionKind::Unknown => true,
        SessionKind::Main
        | SessionKind::Cron
        | SessionKind::Subagent
        | SessionKind::Program
        | SessionKind::Named
        | SessionKind::Global => false,
    }
}

/// Whether others read along in a conversation, whoever speaks.
pub(crate) fn is_read_by_others(key: &SessionKey) -> bool {
    SessionKind::of(key) == SessionKind::Group
}

/// Whether a conversation of one agent may reach one of another; `is_own` says whether it is itself or a
/// descendant.
pub(crate) fn judge(
    visibility: Visibility,
    between: &AgentToAgent,
    from: &AgentId,
    to: &AgentId,
    is_own: bool,
) -> Result<(), PortError> {
    let refuse = |why: &str| Err(PortError::NotAllowed(why.to_owned()));
    if is_own {
        return Ok(());
    }
    match visibility {
        Visibility::OnlySelf | Visibility::Tree => {
            refuse("you see only the sessions you started (tools.sessions.visibility)")
        }
        Visibility::Agent if from != to => {
            refuse("sessions of other agents are not shown (tools.sessions.visibility)")
        }
        Visibility::All if !between.allows(from.as_str(), to.as_str()) => {
            refuse("these agents may not reach each other (tools.agentToAgent)")
        }
        Visibility::Agent | Visibility::All => Ok(()),
    }
}

/// Whether `key` is `ancestor` or was started by it, directly or not.
pub(crate) async fn descends(store: &Store, key: &SessionKey, ancestor: &SessionKey) -> bool {
    let mut key = key.clone();
    for _ in 0..MAX_ANCESTORS {
        if key == *ancestor {
            return true;
        }
        let session = store.sessions().get(&key).await.or_log("an ancestor could not be looked up").flatten();
        let parent = session.and_then(|session| session.entry.spawned_by);
        match parent.as_deref().map(SessionKey::parse) {
            Some(Ok(parent)) => key = parent,
            Some(Err(_)) | None => return false,
        }
    }
    false
}

/// The conversation a chain of subagents works for in the end; `None` for one that is no subagent.
pub(crate) async fn works_for(store: &Store, session: &SessionRecord) -> Option<SessionKey> {
    let mut found = SessionKey::parse(session.entry.spawned_by.as_deref()?).ok()?;
    for _ in 0..MAX_ANCESTORS {
        let row = store.sessions().get(&found).await.or_log("an ancestor could not be looked up").flatten();
        match row.and_then(|row| row.entry.spawned_by).as_deref().map(SessionKey::parse) {
            Some(Ok(next)) => found = next,
            Some(Err(_)) | None => break,
        }
    }
    Some(found)
}

/// Which conversations a call sees: others than the owner never see more than their own, and neither does a
/// sandboxed conversation unless the owner says so.
pub(crate) fn visibility(config: &Config, cx: &ToolCx) -> Visibility {
    let agent =
        config.agents.agent(agent_of(config, &cx.session_key)).unwrap_or(config.agents.default_agent());
    let is_apart = sandbox::of(agent, &cx.session_key).is_some_and(|sandbox| !sandbox.sees_all_sessions);
    match config.tools.visibility {
        Visibility::Agent | Visibility::All if is_apart || cx.scope.access.caller == Caller::Guest => {
            Visibility::Tree
        }
        visibility => visibility,
    }
}

/// Whether a call may reach the conversation `to`.
pub(crate) async fn may_reach(
    config: &Config,
    store: &Store,
    cx: &ToolCx,
    to: &SessionKey,
) -> Result<(), PortError> {
    let (from, visibility) = (&cx.session_key, visibility(config, cx));
    let is_own = from == to || (visibility != Visibility::OnlySelf && descends(store, to, from).await);
    let (own, other) = (agent_of(config, from), agent_of(config, to));
    judge(visibility, &config.tools.agent_to_agent, own, other, is_own)
}

#[cfg(test)]
mod tests;
