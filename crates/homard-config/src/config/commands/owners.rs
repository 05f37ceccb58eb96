//! `commands.ownerAllowFrom`, `allowFrom` and `useAccessGroups`: who on chat platforms is the owner, and who may use
//! commands. Whoever the gateway has authenticated is the owner anyway.

use homard_runtime::CollectOrdered as _;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::config::Resolve;
use crate::raw::session as raw;

/// Platforms where anybody can take a free name, and what stands before the names their servers vouch for.
const CLAIMED_NAMES: [(&str, &str); 2] = [("irc", "account:"), ("internet-relay-chat", "account:")];

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
    pub(in crate::config) fn resolve(raw: raw::Commands, cx: &mut Resolve<'_>) -> Self {
        let text = |id: Value| match id {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let ids = raw.owner_allow_from.unwrap_or_default().into_iter().filter_map(text);
        let ids: Vec<String> = ids.map(|id| id.trim().to_lowercase()).filter(|id| !id.is_empty()).collect();
        for (at, id) in ids.iter().enumerate() {
            if let Some((channel, vouched)) = claimed(id) {
                let message = format!(
                    "`{id}` is a name anybody can take on {channel}, so it cannot be the owner's; write \
                     `{channel}:{vouched}NAME` with the account you log in to there"
                );
                cx.issue(format!("commands.ownerAllowFrom[{at}]"), message);
            }
        }
        let senders = raw.allow_from.unwrap_or_default().into_iter();
        let senders = senders.map(|(channel, ids)| (channel, ids.into_iter().filter_map(text).collect()));
        Self {
            ids,
            command_senders: senders.collect_map(),
            ignores_access_groups: raw.use_access_groups == Some(false),
        }
    }

    /// The owner's names, in small letters.
    #[must_use]
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Whether a platform vouches for such a name, so that it can be an owner's.
    #[must_use]
    pub fn is_vouched(channel: &str, id: &str) -> bool {
        claimed(&format!("{channel}:{}", id.to_lowercase())).is_none()
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
}

/// The platform and the right spelling, for a name nobody vouches for.
fn claimed(id: &str) -> Option<(&'static str, &'static str)> {
    let (channel, name) = id.split_once(':')?;
    let found = CLAIMED_NAMES.iter().find(|(known, _)| *known == channel.trim())?;
    (!name.trim().starts_with(found.1)).then_some(*found)
}

#[cfg(test)]
mod tests;
