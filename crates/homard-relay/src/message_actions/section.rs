//! What the owner's settings say about one of our accounts, as far as sending is concerned.

use homard_channel::{Abilities, ChunkMode, Shape, TableMode};
use homard_config::Config;
use homard_config::config::Section;
use homard_protocol::{AccountId, ChannelId};
use serde_json::{Map, Value};

use crate::relay::Relay;

/// The settings of one account: its own values over those of its platform.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AccountSection(Map<String, Value>);

impl AccountSection {
    pub(crate) fn of(config: &Config, channel: &ChannelId, account: &AccountId) -> Self {
        let Some(Value::Object(section)) = config.channels.get(channel).map(Section::as_value) else {
            return Self::default();
        };
        let mut merged = section.clone();
        let own =
            merged.remove("accounts").and_then(|mut accounts| match accounts.get_mut(account.as_str()) {
                Some(Value::Object(own)) => Some(std::mem::take(own)),
                Some(_) | None => None,
            });
        merged.extend(own.into_iter().flatten());
        Self(merged)
    }

    /// Whether the owner has turned an act off. A gate is named differently on different platforms, so each act has
    /// several; the first key that is written decides, else `usual`.
    pub(crate) fn allows(&self, gates: &[&'static str], usual: bool) -> Result<(), &'static str> {
        let said = |gate: &str| self.0.get("actions").and_then(|actions| actions.get(gate)?.as_bool());
        let closed = gates.iter().find(|gate| said(gate) == Some(false));
        let opened = gates.iter().any(|gate| said(gate) == Some(true));
        match (closed, gates.first()) {
            (Some(gate), _) => Err(gate),
            (None, Some(gate)) if !usual && !opened => Err(gate),
            (None, _) => Ok(()),
        }
    }

    /// How texts are written and cut for this account.
    pub(crate) fn shape(&self, abilities: &Abilities) -> Shape {
        let number =
            |key: &str| self.0.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let mode = match self.0.get("chunkMode").and_then(Value::as_str) {
            Some("newline") => ChunkMode::Newline,
            Some(_) | None => ChunkMode::Length,
        };
        let tables = match self.0.get("markdown").and_then(|markdown| markdown.get("tables")?.as_str()) {
            Some("off") => TableMode::Off,
            Some("bullets") => TableMode::Bullets,
            Some("code") => TableMode::Code,
            Some(_) | None => abilities.tables,
        };
        let limit = number("textChunkLimit").filter(|limit| *limit > 0);
        Shape {
            dialect: abilities.dialect,
            tables,
            limit: limit.map_or(abilities.text_limit, |limit| limit.min(abilities.text_limit)),
            unit: abilities.unit,
            mode,
        }
    }
}

impl Relay {
    /// Whether the owner has set up any chat platform.
    pub(crate) fn is_on_a_platform(&self) -> bool {
        !configured(&self.inner().config()).is_empty()
    }

    /// Which of our accounts on a platform speaks when nobody says.
    #[must_use]
    pub fn default_account(&self, channel: &ChannelId) -> AccountId {
        default_account(&self.inner().config(), channel)
    }
}

/// Which account speaks when nobody says: the one the owner named, the usual one, or the first there is.
pub(crate) fn default_account(config: &Config, channel: &ChannelId) -> AccountId {
    let section = config.channels.get(channel).map(Section::as_value);
    let named = section.and_then(|section| section.get("defaultAccount")?.as_str());
    if let Some(account) = named.and_then(|named| AccountId::parse(named).ok()) {
        return account;
    }
    let usual = AccountId::default_account();
    let accounts = section.and_then(|section| section.get("accounts")?.as_object());
    let Some(accounts) = accounts.filter(|accounts| !accounts.is_empty()) else { return usual };
    if accounts.contains_key(usual.as_str()) {
        return usual;
    }
    accounts.keys().min().and_then(|first| AccountId::parse(first).ok()).unwrap_or(usual)
}

/// The platforms the owner has written something about and not turned off.
pub(crate) fn configured(config: &Config) -> Vec<ChannelId> {
    let is_on = |value: &Value| value.get("enabled").and_then(Value::as_bool) != Some(false);
    let chosen = config.channels.iter().filter(|(id, section)| {
        id.as_str() != "defaults" && section.as_value().is_object() && is_on(section.as_value())
    });
    chosen.map(|(id, _)| id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::AccountSection;

    fn section(value: &Value) -> AccountSection {
        AccountSection(value.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn the_owner_can_turn_single_acts_on_and_off() {
        let rows = [
            (json!({}), true, Ok(())),
            (json!({}), false, Err("stickers")),
            (json!({"actions": {"stickers": true}}), false, Ok(())),
            (json!({"actions": {"other": true}}), false, Err("stickers")),
            (json!({"actions": {"messages": true}}), false, Ok(())),
            (json!({"actions": {"messages": false}}), true, Err("messages")),
            (json!({"actions": {"stickers": true, "messages": false}}), true, Err("messages")),
            (json!({"actions": {"other": false}}), true, Ok(())),
        ];
        for (written, usual, expected) in rows {
            assert_eq!(section(&written).allows(&["stickers", "messages"], usual), expected, "{written}");
        }
    }
}
