//! Which accounts on chat platforms are started, and with which settings.

use homard_channel::SharedChannel;
use homard_channels::{ChannelEntry, ENTRIES, Parts};
use homard_config::{Config, Paths};
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use serde_json::{Map, Value};

/// What accounts are made of beside the configuration.
#[derive(Clone)]
pub(crate) struct Workshop {
    /// Where platforms keep state of their own.
    pub(crate) paths: Paths,
    /// Where the time comes from.
    pub(crate) clock: Clock,
    /// Commands for the platforms' menus: name and description.
    pub(crate) commands: Vec<(String, String)>,
}

/// One account as the configuration wants it.
pub(crate) struct Wanted {
    /// The platform.
    pub(crate) channel: ChannelId,
    /// The account.
    pub(crate) account: AccountId,
    /// Its settings.
    pub(crate) section: Value,
    entry: &'static ChannelEntry,
}

impl Wanted {
    /// Makes it ready to listen; `Err` says what to do.
    pub(crate) fn build(&self, config: &Config, workshop: &Workshop) -> Result<SharedChannel, String> {
        let parts = Parts {
            channel: self.channel.clone(),
            account: self.account.clone(),
            section: self.section.clone(),
            env: config.env.clone(),
            state_dir: workshop.paths.state_dir.clone(),
            clock: workshop.clock.clone(),
            commands: workshop.commands.clone(),
        };
        (self.entry.build)(parts).map_err(|error| error.to_string())
    }
}

/// The accounts that are to run: those switched on and told enough to start.
pub(crate) fn wanted(config: &Config) -> Vec<Wanted> {
    ENTRIES.iter().flat_map(|entry| of_platform(config, entry)).collect()
}

fn of_platform(config: &Config, entry: &'static ChannelEntry) -> Vec<Wanted> {
    let Ok(channel) = ChannelId::parse(entry.id) else { return Vec::new() };
    let nothing = Value::Object(Map::new());
    let section = config.channels.get(&channel).map_or(&nothing, |section| section.as_value());
    if !is_on(section) {
        return Vec::new();
    }
    let own = section.get("accounts").and_then(Value::as_object).filter(|accounts| !accounts.is_empty());
    let accounts: Vec<(AccountId, Value)> = match own {
        None => vec![(AccountId::default_account(), section.clone())],
        Some(accounts) => accounts
            .iter()
            .filter(|(_, own)| is_on(own))
            .filter_map(|(id, own)| match AccountId::parse(id) {
                Ok(id) => Some((id, laid_over(section, own))),
                Err(error) => {
                    tracing::error!(channel = entry.id, account = id, %error, "an account cannot be named so");
                    None
                }
            })
            .collect(),
    };
    let ready = accounts.into_iter().filter(|(_, section)| (entry.is_configured)(section, &config.env));
    ready.map(|(account, section)| Wanted { channel: channel.clone(), account, section, entry }).collect()
}

fn is_on(section: &Value) -> bool {
    section.get("enabled").and_then(Value::as_bool).unwrap_or(true)
}

/// The platform's values with the account's own over them.
fn laid_over(section: &Value, own: &Value) -> Value {
    let mut merged = section.as_object().cloned().unwrap_or_default();
    merged.remove("accounts");
    merged.extend(own.as_object().cloned().unwrap_or_default());
    Value::Object(merged)
}
