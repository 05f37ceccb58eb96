//! Which agent answers, in which session?

use homard_channel::{Conversation, Inbound};
use homard_config::Config;
use homard_protocol::{AgentId, SessionKey};

/// Where a message belongs. Only this file makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    session_key: SessionKey,
    agent: AgentId,
}

impl Route {
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

    /// Where an operator's message belongs, who names the conversation.
    ///
    /// # Errors
    /// [`Unroutable`] when it belongs nowhere.
    pub fn named(config: &Config, message: &Inbound) -> Result<Self, Unroutable> {
        let session_key = match &message.conversation {
            Conversation::Session(key) => key.clone(),
            Conversation::Direct { .. } | Conversation::Group { .. } | Conversation::Room { .. } => {
                return Err(Unroutable::NoRoute);
            }
        };
        let agent = session_key.agent_id().unwrap_or(&config.agents.default_agent().id).clone();
        Self::decided(config, session_key, agent)
    }

    /// Where the rules of company say a message belongs.
    ///
    /// # Errors
    /// [`Unroutable`] when nobody of that name answers.
    pub(crate) fn decided(
        config: &Config,
        session_key: SessionKey,
        agent: AgentId,
    ) -> Result<Self, Unroutable> {
        match config.agents.agent(&agent) {
            Some(_) => Ok(Self { session_key, agent }),
            None => Err(Unroutable::UnknownAgent(agent)),
        }
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

#[cfg(test)]
pub(crate) mod tests;
