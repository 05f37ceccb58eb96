//! `commands.ownerAllowFrom`, `allowFrom` and `useAccessGroups`: who on chat platforms is the owner, and who may use
//! commands. Whoever the gateway has authenticated is the owner anyway.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::raw::session as raw;

/// The owner's names on chat platforms. Empty means nobody on any platform.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owners {
    /// Lower case, as `channel:id` or as a bare id.
    ids: Vec<String>,
    /// Who may use commands, by platform or `*`, as written.
    command_senders: BTreeMap<String, Vec<String>>,
    /// Whether allow-lists of platforms do not count for commands.
    ignores_access_groups: bool,
}

impl Owners {
    pub(super) fn resolve(raw: raw::Commands) -> Self {
        let text = |id: Value| match id {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let ids = raw.owner_allow_from.unwrap_or_default().into_iter().filter_map(text);
        let ids = ids.map(|id| id.trim().to_lowercase()).filter(|id| !id.is_empty()).collect();
        let senders = raw.allow_from.unwrap_or_default().into_iter();
        let senders = senders.map(|(channel, ids)| (channel, ids.into_iter().filter_map(text).collect()));
        Self {
            ids,
            command_senders: senders.collect(),
            ignores_access_groups: raw.use_access_groups == Some(false),
        }
    }

    /// The owner's names, in small letters.
    #[must_use]
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Who may use commands, by platform or `*`; where a list applies, nothing else counts.
    #[must_use]
    pub fn command_senders(&self) -> &BTreeMap<String, Vec<String>> {
        &self.command_senders
    }

    /// Whether allow-lists of platforms count for commands.
    #[must_use]
    pub fn uses_access_groups(&self) -> bool {
        !self.ignores_access_groups
    }

    /// Whether somebody is the owner. `*` is nobody: the owner is one person, not everybody.
    #[must_use]
    pub fn includes(&self, channel: &str, id: &str) -> bool {
        let bare = id.trim().to_lowercase();
        let whole = format!("{}:{bare}", channel.to_lowercase());
        bare != "*" && self.ids.iter().any(|known| *known == bare || *known == whole)
    }
}

#[cfg(test)]
mod tests;
