//! What was said in a group since we last spoke there: told with the next message that is for us.

use std::collections::{HashMap, VecDeque};

use homard_runtime::Clip;

use crate::envelope::OverheardMessage;

/// Most groups whose words are kept; the one longest silent is forgotten.
const MAX_GROUPS: usize = 1000;
/// Most messages of one group, whatever the owner asks for.
const MAX_MESSAGES: usize = 1000;
/// Longest text kept of one message, in characters.
const MAX_CHARS: usize = 4000;

/// Pending words of groups, by conversation.
#[derive(Debug, Default)]
pub struct GroupHistory {
    groups: HashMap<String, Pending>,
    moment: u64,
}

#[derive(Debug, Default)]
struct Pending {
    messages: VecDeque<OverheardMessage>,
    last_used: u64,
}

impl GroupHistory {
    /// Keeps a message; with more than `limit` the oldest go, and with none allowed nothing is kept.
    pub fn keep(&mut self, group: &str, mut heard: OverheardMessage, limit: usize) {
        let limit = limit.min(MAX_MESSAGES);
        if limit == 0 {
            self.groups.remove(group);
            return;
        }
        heard.text.truncate(heard.text.clip_chars(MAX_CHARS).len());
        if !self.groups.contains_key(group) && self.groups.len() >= MAX_GROUPS {
            self.forget_oldest();
        }
        self.moment += 1;
        let pending = self.groups.entry(group.to_owned()).or_default();
        pending.last_used = self.moment;
        pending.messages.push_back(heard);
        while pending.messages.len() > limit {
            pending.messages.pop_front();
        }
    }

    /// What is kept, oldest first; it stays until [`Self::clear`].
    #[must_use]
    pub fn pending(&self, group: &str) -> Vec<OverheardMessage> {
        self.groups.get(group).map(|pending| pending.messages.iter().cloned().collect()).unwrap_or_default()
    }

    /// Forgets a group's words, after we answered there.
    pub fn clear(&mut self, group: &str) {
        self.groups.remove(group);
    }

    fn forget_oldest(&mut self) {
        let oldest = self.groups.iter().min_by_key(|(_, pending)| pending.last_used);
        if let Some(group) = oldest.map(|(group, _)| group.clone()) {
            self.groups.remove(&group);
        }
    }
}

#[cfg(test)]
mod tests;
