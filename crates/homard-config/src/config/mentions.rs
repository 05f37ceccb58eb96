//! `groupChat.mentionPatterns`: what counts as our name in groups, for one agent or for all.

use std::collections::BTreeMap;

use homard_protocol::AgentId;
use homard_protocol::id::slugify;

use crate::raw::Raw;
use crate::raw::agents::GroupChat;

/// What counts as our name. Patterns are kept as written; who looks for them makes them ready.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    everybody: Option<Vec<String>>,
    by_agent: BTreeMap<String, Vec<String>>,
}

impl Mentions {
    pub(super) fn resolve(raw: &Raw) -> Self {
        let patterns = |chat: Option<&GroupChat>| chat.and_then(|chat| chat.mention_patterns.clone());
        let messages = raw.messages.as_ref().and_then(|messages| messages.group_chat.as_ref());
        let agents = raw.agents.as_ref();
        let listed = agents.and_then(|agents| agents.list.as_deref()).unwrap_or_default();
        let listed = listed.iter().filter_map(|agent| Some((agent.id.as_deref()?, agent)));
        let entries = agents.and_then(|agents| agents.entries.as_ref()).into_iter().flatten();
        let entries = entries.map(|(id, agent)| (id.as_str(), agent));
        let by_agent = listed
            .chain(entries)
            .filter_map(|(id, agent)| Some((slugify(id)?, patterns(agent.group_chat.as_ref())?)));
        Self { everybody: patterns(messages), by_agent: by_agent.collect() }
    }

    /// The agent's own patterns; `None` when it has none written, which is not the same as an empty list.
    #[must_use]
    pub fn of_agent(&self, agent: &AgentId) -> Option<&[String]> {
        self.by_agent.get(agent.as_str()).map(Vec::as_slice)
    }

    /// Everybody's patterns.
    #[must_use]
    pub fn of_everybody(&self) -> Option<&[String]> {
        self.everybody.as_deref()
    }
}

#[cfg(test)]
mod tests;
