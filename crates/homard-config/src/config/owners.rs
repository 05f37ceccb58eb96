//! `commands.ownerAllowFrom`: who on chat platforms is the owner. Whoever the gateway has authenticated is the
//! owner anyway.

use serde_json::Value;

use crate::raw::session as raw;

/// The owner's names on chat platforms. Empty means nobody on any platform.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owners {
    /// Lower case, as `channel:id` or as a bare id.
    ids: Vec<String>,
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
        Self { ids }
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
