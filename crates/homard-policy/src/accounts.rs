//! Our accounts on chat platforms, as the owner wrote about them: decided once per configuration, for everybody.
//!
//! An account's own values lie over its platform's, those over `channels.defaults`. Nobody else reads `channels.*`.

use std::collections::BTreeMap;
use std::sync::Arc;

use homard_config::config::RawChannels;
use homard_config::{Config, View};
use homard_protocol::id::slugify;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::{Arrange as _, CollectOrdered as _};
use serde_json::{Map, Value};

use crate::access::AccountRules;

mod group_tools;

pub use group_tools::GroupTools;

/// The section that holds for every platform.
const DEFAULTS: &str = "defaults";

/// Every account there is.
#[derive(Debug)]
pub struct ChannelAccounts {
    platforms: BTreeMap<ChannelId, Platform>,
    /// What holds on a platform nobody wrote about.
    elsewhere: Arc<ChannelAccount>,
}

#[derive(Debug)]
struct Platform {
    is_on: bool,
    usual: AccountId,
    /// What holds for an account nobody wrote about.
    base: Arc<ChannelAccount>,
    named: BTreeMap<AccountId, Arc<ChannelAccount>>,
}

/// One of our accounts.
#[derive(Debug)]
pub struct ChannelAccount {
    /// Who may speak, and how we speak.
    pub rules: AccountRules,
    /// What its adapter reads: the platform's values with the account's own over them.
    pub section: Map<String, Value>,
    /// Where the owner wrote about it, closest first.
    layers: Vec<Layer>,
}

/// A part of the file.
#[derive(Debug)]
struct Layer {
    path: String,
    values: Map<String, Value>,
}

impl View for ChannelAccounts {
    fn of(config: &Config) -> Self {
        Self::resolve(&config.channels)
    }
}

impl ChannelAccounts {
    /// Decides every account.
    #[must_use]
    pub fn resolve(raw: &RawChannels) -> Self {
        let defaults = raw.sections().find(|(id, _)| id.as_str() == DEFAULTS).map(|(_, section)| section);
        let platforms = raw.sections().filter(|(id, section)| id.as_str() != DEFAULTS && !section.is_null());
        let platforms = platforms.map(|(id, section)| (id.clone(), Platform::resolve(id, section, defaults)));
        Self {
            platforms: platforms.collect_map(),
            elsewhere: Arc::new(ChannelAccount::resolve(
                &ChannelId::operator(),
                None,
                &Value::Null,
                defaults,
            )),
        }
    }

    /// One of our accounts. One nobody wrote about has its platform's rules, and on a platform nobody wrote about the
    /// strictest.
    #[must_use]
    pub fn get(&self, channel: &ChannelId, account: &AccountId) -> &Arc<ChannelAccount> {
        let platform = self.platforms.get(channel);
        platform.map_or(&self.elsewhere, |platform| platform.named.get(account).unwrap_or(&platform.base))
    }

    /// The accounts of a platform the owner wrote about; where none is named, the usual one.
    pub fn of_platform(
        &self,
        channel: &ChannelId,
    ) -> impl Iterator<Item = (AccountId, &Arc<ChannelAccount>)> {
        self.platforms.get(channel).into_iter().flat_map(Platform::accounts)
    }

    /// Every account the owner wrote about.
    pub fn all(&self) -> impl Iterator<Item = (&ChannelId, AccountId, &Arc<ChannelAccount>)> {
        self.platforms.iter().flat_map(|(channel, platform)| {
            platform.accounts().map(move |(id, account)| (channel, id, account))
        })
    }

    /// Which account speaks when nobody says: `defaultAccount`, else `default`, else the first by name.
    #[must_use]
    pub fn usual(&self, channel: &ChannelId) -> AccountId {
        self.platforms.get(channel).map_or_else(AccountId::default_account, |platform| platform.usual.clone())
    }

    /// The platforms the owner wrote about and has not turned off.
    pub fn platforms_on(&self) -> impl Iterator<Item = &ChannelId> {
        self.platforms.iter().filter(|(_, platform)| platform.is_on).map(|(id, _)| id)
    }

    /// The platforms the owner wrote about.
    pub fn platforms(&self) -> impl Iterator<Item = &ChannelId> {
        self.platforms.keys()
    }

    /// What could not be read, in sentences for the owner.
    #[must_use]
    pub fn problems(&self) -> Vec<&str> {
        let accounts =
            self.platforms.values().flat_map(|platform| platform.named.values().chain([&platform.base]));
        let mut problems: Vec<&str> =
            accounts.flat_map(|account| &account.rules.problems).map(String::as_str).collect();
        problems.arrange();
        problems.dedup();
        problems
    }
}

impl Platform {
    fn resolve(channel: &ChannelId, section: &Value, defaults: Option<&Value>) -> Self {
        let written = section.get("accounts").and_then(Value::as_object).into_iter().flatten();
        let id = |name: &str| AccountId::parse(&slugify(name)?).ok();
        let mut named = BTreeMap::new();
        for (name, own) in written {
            let Some(id) = id(name) else { continue };
            // The name as it will be looked up wins over another spelling of it.
            if name == id.as_str() || !named.contains_key(&id) {
                let account = ChannelAccount::resolve(channel, Some((name, own)), section, defaults);
                named.insert(id, Arc::new(account));
            }
        }
        let chosen = section.get("defaultAccount").and_then(Value::as_str).and_then(id);
        let usual = AccountId::default_account();
        let first = || if named.contains_key(&usual) { None } else { named.keys().next().cloned() };
        let base = ChannelAccount::resolve(channel, None, section, defaults);
        Self {
            is_on: base.rules.enabled,
            usual: chosen.or_else(first).unwrap_or(usual),
            base: Arc::new(base),
            named,
        }
    }

    fn accounts(&self) -> impl Iterator<Item = (AccountId, &Arc<ChannelAccount>)> {
        let unnamed = self.named.is_empty().then(|| (AccountId::default_account(), &self.base));
        self.named.iter().map(|(id, account)| (id.clone(), account)).chain(unnamed)
    }
}

impl ChannelAccount {
    fn resolve(
        channel: &ChannelId,
        own: Option<(&String, &Value)>,
        section: &Value,
        defaults: Option<&Value>,
    ) -> Self {
        let values = |value: &Value| {
            let mut values = value.as_object().cloned().unwrap_or_default();
            values.remove("accounts");
            values
        };
        let path = format!("channels.{channel}");
        let own_layer =
            own.map(|(name, own)| Layer { path: format!("{path}.accounts.{name}"), values: values(own) });
        let layers: Vec<Layer> =
            own_layer.into_iter().chain([Layer { path, values: values(section) }]).collect();
        let rules = AccountRules::of(channel, own.map(|(_, own)| own), section, defaults);
        let mut merged = Map::new();
        for layer in layers.iter().rev() {
            merged.extend(layer.values.clone());
        }
        if !rules.enabled {
            merged.insert("enabled".to_owned(), Value::Bool(false));
        }
        Self { rules, section: merged, layers }
    }

    /// Whether the owner has turned an act off. A gate is named differently on different platforms, so each act has
    /// several; the first key that is written decides, else `usual`.
    ///
    /// # Errors
    /// With the gate that is closed.
    pub fn allows(&self, gates: &[&'static str], usual: bool) -> Result<(), &'static str> {
        let said = |gate: &str| self.section.get("actions").and_then(|actions| actions.get(gate)?.as_bool());
        let closed = gates.iter().find(|gate| said(gate) == Some(false));
        let opened = gates.iter().any(|gate| said(gate) == Some(true));
        match (closed, gates.first()) {
            (Some(gate), _) => Err(gate),
            (None, Some(gate)) if !usual && !opened => Err(gate),
            (None, _) => Ok(()),
        }
    }

    /// A list of ids as it is written closest to the account.
    #[must_use]
    pub fn list(&self, key: &str) -> Vec<String> {
        let found = self.layers.iter().find_map(|layer| layer.values.get(key)?.as_array());
        let text = |id: &Value| match id {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        found.into_iter().flatten().filter_map(text).collect()
    }

    /// Where a value of this account is to be written.
    #[must_use]
    pub fn path(&self, key: &str) -> String {
        self.layers.first().map_or_else(String::new, |layer| format!("{}.{key}", layer.path))
    }

    /// Where the owner wrote about a group, and what.
    pub fn written_groups(&self, id: &str) -> impl Iterator<Item = (String, &Value)> {
        self.layers.iter().filter_map(move |layer| {
            Some((format!("{}.groups", layer.path), layer.values.get("groups")?.get(id)?))
        })
    }
}

#[cfg(test)]
mod tests;
