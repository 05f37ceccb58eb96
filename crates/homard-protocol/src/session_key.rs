//! The session-key grammar: which conversation a message belongs to.
//!
//! A key is text on the wire and on disk (`agent:main:telegram:group:42:thread:7`) and this enum inside.
//! [`SessionKey::parse`] is the only place that splits on `:`. Parsing lower-cases, so two spellings of one
//! conversation are one key. Every text that parses formats back to its lower-cased self.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{AccountId, AgentId, ChannelId, IdError, MAX_OPAQUE_LEN, PeerId, ThreadId};

/// The rest of an agent's main key, and what clients may send bare.
pub const MAIN: &str = "main";

/// Why a text is not a session key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionKeyError {
    /// Nothing, or nothing after `agent:<id>:`.
    #[error("session key `{0}` has an empty part")]
    EmptyPart(String),
    /// Longer than clients may send.
    #[error("session key is longer than {MAX_OPAQUE_LEN} bytes")]
    TooLong,
    /// Control characters or white space at an edge.
    #[error("session key has a character that is not allowed: {0:?}")]
    BadCharacter(char),
    /// Not one of the known shapes and not prefixed with `agent:`.
    #[error("session key `{0}` does not begin with `agent:<id>:`")]
    NoAgent(String),
    /// The agent part is not an agent id.
    #[error("session key names no valid agent")]
    Agent(#[source] IdError),
}

/// Which conversation: one transcript, one lane, one set of overrides.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum SessionKey {
    /// The one conversation of `session.scope: "global"`.
    Global,
    /// Traffic whose origin could not be told.
    Unknown,
    /// A conversation of one agent.
    Agent {
        agent: AgentId,
        /// With whom, or for what.
        scope: SessionScope,
        /// A thread inside it, where the platform has threads.
        thread: Option<ThreadId>,
    },
}

/// What an agent's conversation is with, or for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionScope {
    /// The agent's main conversation, shared by every direct message unless `session.dmScope` says otherwise.
    Main,
    /// One person, on every channel (`direct:<peer>`).
    Peer(PeerId),
    /// One person on one channel, optionally at one of our accounts there.
    Direct {
        channel: ChannelId,
        /// Our account, when `dmScope` separates accounts.
        account: Option<AccountId>,
        peer: PeerId,
    },
    Group {
        channel: ChannelId,
        /// The group; Telegram topics keep their `:topic:<id>` here.
        id: PeerId,
    },
    /// A channel or room.
    Channel {
        channel: ChannelId,
        id: PeerId,
    },
    /// A native slash command's own conversation.
    Slash {
        channel: ChannelId,
        user: PeerId,
    },
    /// A scheduled job, or one run of it.
    Cron {
        job: String,
        /// The run's session id.
        run: Option<String>,
    },
    Hook(String),
    /// A subagent; nested ones carry the whole chain.
    Subagent(String),
    /// An editor speaking the Agent Client Protocol.
    Acp(String),
    /// A caller of the OpenAI-compatible routes; the text keeps the route's own prefix.
    Http(String),
    /// A name somebody chose (`agent:main:shopping`).
    Named(String),
}

/// Heads of [`SessionScope::Http`] keys.
const HTTP_HEADS: [&str; 4] = ["openai", "openai-user", "openresponses", "openresponses-user"];
const THREAD: &str = ":thread:";

impl SessionKey {
    /// The main conversation of `agent`.
    #[must_use]
    pub fn main(agent: AgentId) -> Self {
        Self::agent(agent, SessionScope::Main)
    }

    /// A conversation of `agent` outside any thread.
    #[must_use]
    pub fn agent(agent: AgentId, scope: SessionScope) -> Self {
        Self::Agent { agent, scope, thread: None }
    }

    /// Reads a canonical key.
    ///
    /// # Errors
    /// When the text is not one of the shapes of the grammar.
    pub fn parse(text: &str) -> Result<Self, SessionKeyError> {
        let text = checked(text)?;
        match text.as_str() {
            "global" => return Ok(Self::Global),
            "unknown" => return Ok(Self::Unknown),
            _ => {}
        }
        let Some(rest) = text.strip_prefix("agent:") else {
            return Err(SessionKeyError::NoAgent(text));
        };
        let (agent, rest) = rest.split_once(':').ok_or_else(|| SessionKeyError::EmptyPart(text.clone()))?;
        let agent = AgentId::parse(agent).map_err(SessionKeyError::Agent)?;
        if rest.is_empty() || rest.split(':').any(str::is_empty) {
            return Err(SessionKeyError::EmptyPart(text));
        }
        let (base, thread) = match rest.rsplit_once(THREAD) {
            Some((base, thread)) => (base, ThreadId::parse(thread).ok()),
            None => (rest, None),
        };
        Ok(Self::Agent { agent, scope: SessionScope::read(base), thread })
    }

    /// Reads a key as a client may write it: bare keys (`main`, `shopping`) belong to `agent`.
    ///
    /// # Errors
    /// As [`SessionKey::parse`].
    pub fn parse_for(text: &str, agent: &AgentId) -> Result<Self, SessionKeyError> {
        let checked = checked(text)?;
        let known = checked == "global" || checked == "unknown" || checked.starts_with("agent:");
        if known { Self::parse(&checked) } else { Self::parse(&format!("agent:{agent}:{checked}")) }
    }

    /// Whose conversation, where it has an agent.
    #[must_use]
    pub fn agent_id(&self) -> Option<&AgentId> {
        match self {
            Self::Agent { agent, .. } => Some(agent),
            Self::Global | Self::Unknown => None,
        }
    }

    /// Whether this is an agent's main conversation itself, not a thread of it.
    #[must_use]
    pub fn is_main(&self) -> bool {
        matches!(self, Self::Agent { scope: SessionScope::Main, thread: None, .. })
    }

    /// Whether many people write here.
    #[must_use]
    pub fn is_group(&self) -> bool {
        matches!(self, Self::Agent { scope: SessionScope::Group { .. } | SessionScope::Channel { .. }, .. })
    }

    /// The platform this conversation is on, where it is on one.
    #[must_use]
    pub fn channel(&self) -> Option<&ChannelId> {
        let Self::Agent { scope, .. } = self else { return None };
        match scope {
            SessionScope::Direct { channel, .. }
            | SessionScope::Group { channel, .. }
            | SessionScope::Channel { channel, .. }
            | SessionScope::Slash { channel, .. } => Some(channel),
            SessionScope::Main
            | SessionScope::Peer(_)
            | SessionScope::Cron { .. }
            | SessionScope::Hook(_)
            | SessionScope::Subagent(_)
            | SessionScope::Acp(_)
            | SessionScope::Http(_)
            | SessionScope::Named(_) => None,
        }
    }

    /// The conversation a thread hangs off, `None` for anything that is not a thread.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        match self {
            Self::Agent { agent, scope, thread: Some(_) } => Some(Self::agent(agent.clone(), scope.clone())),
            _ => None,
        }
    }
}

/// The main conversation of the agent that exists when the owner configured none.
impl Default for SessionKey {
    fn default() -> Self {
        Self::main(AgentId::main())
    }
}

impl SessionScope {
    /// Reads what follows `agent:<id>:`. Total: what fits no shape is a chosen name.
    fn read(text: &str) -> Self {
        if text == MAIN {
            return Self::Main;
        }
        let Some((head, tail)) = text.split_once(':') else { return Self::Named(text.to_owned()) };
        match head {
            "direct" => PeerId::parse(tail).map_or_else(|_| Self::Named(text.to_owned()), Self::Peer),
            "cron" => match tail.split_once(":run:") {
                Some((job, run)) => Self::Cron { job: job.to_owned(), run: Some(run.to_owned()) },
                None => Self::Cron { job: tail.to_owned(), run: None },
            },
            "hook" => Self::Hook(tail.to_owned()),
            "subagent" => Self::Subagent(tail.to_owned()),
            "acp" => Self::Acp(tail.to_owned()),
            _ if HTTP_HEADS.contains(&head) => Self::Http(text.to_owned()),
            _ => Self::read_channel(head, tail).unwrap_or_else(|| Self::Named(text.to_owned())),
        }
    }

    fn read_channel(head: &str, tail: &str) -> Option<Self> {
        let channel = ChannelId::parse(head).ok()?;
        let (kind, rest) = tail.split_once(':')?;
        match kind {
            "direct" => Some(Self::Direct { channel, account: None, peer: PeerId::parse(rest).ok()? }),
            "group" => Some(Self::Group { channel, id: PeerId::parse(rest).ok()? }),
            "channel" => Some(Self::Channel { channel, id: PeerId::parse(rest).ok()? }),
            "slash" => Some(Self::Slash { channel, user: PeerId::parse(rest).ok()? }),
            account => {
                let peer = rest.strip_prefix("direct:")?;
                let account = Some(AccountId::parse(account).ok()?);
                Some(Self::Direct { channel, account, peer: PeerId::parse(peer).ok()? })
            }
        }
    }
}

/// Lower-cases and refuses what can be part of no key.
fn checked(text: &str) -> Result<String, SessionKeyError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(SessionKeyError::EmptyPart(String::new()));
    }
    if text.len() > MAX_OPAQUE_LEN {
        return Err(SessionKeyError::TooLong);
    }
    if let Some(c) = text.chars().find(|c| c.is_control()) {
        return Err(SessionKeyError::BadCharacter(c));
    }
    let lower = text.to_lowercase();
    // Lower-casing may lengthen a text by a few bytes (`İ`).
    if lower.len() > MAX_OPAQUE_LEN { Err(SessionKeyError::TooLong) } else { Ok(lower) }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global"),
            Self::Unknown => f.write_str("unknown"),
            Self::Agent { agent, scope, thread } => {
                write!(f, "agent:{agent}:{scope}")?;
                match thread {
                    Some(thread) => write!(f, "{THREAD}{thread}"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl fmt::Display for SessionScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Main => f.write_str(MAIN),
            Self::Peer(peer) => write!(f, "direct:{peer}"),
            Self::Direct { channel, account: None, peer } => write!(f, "{channel}:direct:{peer}"),
            Self::Direct { channel, account: Some(account), peer } => {
                write!(f, "{channel}:{account}:direct:{peer}")
            }
            Self::Group { channel, id } => write!(f, "{channel}:group:{id}"),
            Self::Channel { channel, id } => write!(f, "{channel}:channel:{id}"),
            Self::Slash { channel, user } => write!(f, "{channel}:slash:{user}"),
            Self::Cron { job, run: None } => write!(f, "cron:{job}"),
            Self::Cron { job, run: Some(run) } => write!(f, "cron:{job}:run:{run}"),
            Self::Hook(id) => write!(f, "hook:{id}"),
            Self::Subagent(id) => write!(f, "subagent:{id}"),
            Self::Acp(id) => write!(f, "acp:{id}"),
            Self::Http(text) | Self::Named(text) => f.write_str(text),
        }
    }
}

impl FromStr for SessionKey {
    type Err = SessionKeyError;
    fn from_str(text: &str) -> Result<Self, SessionKeyError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for SessionKey {
    type Error = SessionKeyError;
    fn try_from(text: String) -> Result<Self, SessionKeyError> {
        Self::parse(&text)
    }
}

impl From<SessionKey> for String {
    fn from(key: SessionKey) -> Self {
        key.to_string()
    }
}

#[cfg(test)]
mod tests;
