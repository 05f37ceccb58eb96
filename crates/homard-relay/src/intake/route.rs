//! Which agent answers, in which session?

use homard_channel::{Conversation, Inbound};
use homard_config::Config;
use homard_policy::access::Standing;
use homard_protocol::{AgentId, SessionKey, UserBlock};

use crate::intake::admit::Admitted;

/// The owner's agents, as routing sees them.
#[derive(Debug, Clone)]
pub struct RoutePolicy {
    /// Who answers when nothing else says who.
    pub default_agent: AgentId,
    /// Who exists.
    pub agents: Vec<AgentId>,
}

impl RoutePolicy {
    /// What the configuration says.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self {
            default_agent: config.agents.default_agent().id.clone(),
            agents: config.agents.list.iter().map(|agent| agent.id.clone()).collect(),
        }
    }
}

/// A message that knows where it belongs. Only this file makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Routed {
    message: Inbound,
    session_key: SessionKey,
    agent: AgentId,
    standing: Standing,
}

impl Routed {
    /// The conversation.
    #[must_use]
    pub fn session_key(&self) -> &SessionKey {
        &self.session_key
    }

    /// Who answers.
    #[must_use]
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &Inbound {
        &self.message
    }

    /// What its sender may do.
    #[must_use]
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Gives the message up to the next stage.
    #[must_use]
    pub fn into_message(self) -> Inbound {
        self.message
    }

    /// Puts other words into the message: what is left of a command, what a skill makes of it.
    pub(crate) fn reword(&mut self, text: String) {
        self.message.text = text;
    }

    /// Puts pictures beside the words.
    pub(crate) fn show(&mut self, pictures: Vec<UserBlock>) {
        self.message.images = pictures;
    }

    /// Gives the message another id, and with it another run.
    pub(crate) fn rename(&mut self, id: String) {
        self.message.message_id = id;
    }
}

/// Why a message has nowhere to go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unroutable {
    /// The session key names an agent that is not configured.
    #[error("unknown agent id `{0}`")]
    UnknownAgent(AgentId),
    /// The channel's routing rules are not in effect yet.
    #[error("no route is configured for this conversation")]
    NoRoute,
}

/// Decides where a message belongs.
///
/// # Errors
/// [`Unroutable`] when it belongs nowhere.
pub fn route(policy: &RoutePolicy, admitted: Admitted) -> Result<Routed, Unroutable> {
    let (message, standing) = admitted.into_parts();
    let session_key = match &message.conversation {
        Conversation::Session(key) => key.clone(),
        Conversation::Direct { .. } | Conversation::Group { .. } | Conversation::Room { .. } => {
            return Err(Unroutable::NoRoute);
        }
    };
    let agent = session_key.agent_id().unwrap_or(&policy.default_agent).clone();
    if !policy.agents.contains(&agent) {
        return Err(Unroutable::UnknownAgent(agent));
    }
    Ok(Routed { message, session_key, agent, standing })
}

/// Sends a message where the rules of company say it belongs.
///
/// # Errors
/// [`Unroutable`] when nobody of that name answers.
pub(crate) fn route_to(
    policy: &RoutePolicy,
    admitted: Admitted,
    (session_key, agent): (SessionKey, AgentId),
) -> Result<Routed, Unroutable> {
    if !policy.agents.contains(&agent) {
        return Err(Unroutable::UnknownAgent(agent));
    }
    let (message, standing) = admitted.into_parts();
    Ok(Routed { message, session_key, agent, standing })
}

#[cfg(test)]
mod tests;
