//! Which agent answers, in which conversation, and why.

use homard_channel::{Inbound, Threads};
use homard_config::Config;
use homard_protocol::{AgentId, SessionKey};

/// The owner's bindings, identity links and scopes.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteRules {
    default_agent: AgentId,
}

impl RouteRules {
    /// What the configuration says.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self { default_agent: config.agents.default_agent().id.clone() }
    }
}

/// Where a message belongs.
#[derive(Debug, Clone, PartialEq)]
pub struct Destination {
    /// Who answers.
    pub agent: AgentId,
    /// The conversation.
    pub session: SessionKey,
    /// The conversation it branched off, where threads do.
    pub parent: Option<SessionKey>,
    /// Which rule decided, in words, for `homard route explain` and the log.
    pub because: String,
}

/// Decides where a message belongs.
#[must_use]
pub fn destination(rules: &RouteRules, _message: &Inbound, _threads: Threads) -> Destination {
    let agent = rules.default_agent.clone();
    let session = SessionKey::main(agent.clone());
    Destination { agent, session, parent: None, because: "the default agent".to_owned() }
}
