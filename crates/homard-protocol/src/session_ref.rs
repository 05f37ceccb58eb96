//! A session key as a client writes it, before anybody knows whose it is.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::AgentId;
use crate::session_key::{MAIN, SessionKey, SessionKeyError};

/// Which conversation, in a client's words: a whole key in any case, or a bare one (`main`, `shopping`), which belongs
/// to the agent the request names or to the default one. Whether it is a key at all is only known with the agent, so it
/// is taken as written and read by [`SessionRef::of`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(with = "String")]
pub struct SessionRef(String);

impl SessionRef {
    /// The conversation meant, if bare keys are those of `agent`.
    ///
    /// # Errors
    /// As [`SessionKey::parse`].
    pub fn of(&self, agent: &AgentId) -> Result<SessionKey, SessionKeyError> {
        SessionKey::parse_for(&self.0, agent)
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The agent's main conversation.
impl Default for SessionRef {
    fn default() -> Self {
        Self::from(MAIN)
    }
}

impl From<&str> for SessionRef {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for SessionRef {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&SessionKey> for SessionRef {
    fn from(key: &SessionKey) -> Self {
        Self(key.to_string())
    }
}

impl fmt::Display for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
