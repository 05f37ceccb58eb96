//! Which accounts on chat platforms are started, and with which settings.

use homard_channel::{Ingress, SharedChannel};
use homard_channels::{ChannelEntry, ENTRIES, Parts};
use homard_config::{Config, HotPart, Paths, Reload, ReloadAction};
use homard_policy::words::table::menu;
use homard_protocol::{AccountId, ChannelId};
use homard_relay::Relay;
use homard_runtime::{Clock, OrLog};
use serde_json::{Map, Value};

/// Most commands offered to a platform; each takes as many as its menu has room for.
const MAX_MENU: usize = 100;

/// What accounts are made of beside the configuration.
#[derive(Clone)]
pub(crate) struct Workshop {
    /// Where platforms keep state of their own.
    pub(crate) paths: Paths,
    /// Where the time comes from.
    pub(crate) clock: Clock,
    /// Where platforms that bring messages may bring them.
    pub(crate) ingress: Ingress,
}

impl Workshop {
    /// A workshop with nothing brought to it yet.
    pub(crate) fn new(paths: &Paths, clock: &Clock) -> Self {
        Self { paths: paths.clone(), clock: clock.clone(), ingress: Ingress::default() }
    }
}

/// Makes the accounts known before anything is recovered, so that answers are written for their platforms.
pub(crate) fn know(relay: &Relay, config: &Config, workshop: &Workshop) {
    let accounts: Vec<_> =
        wanted(config).iter().filter_map(|wanted| wanted.build(config, workshop)).collect();
    relay.know_channels(&accounts);
}

/// Connects every account the configuration wants.
pub(crate) async fn open(relay: &Relay, config: &Config, workshop: &Workshop) {
    let accounts = wanted(config).iter().filter_map(|wanted| wanted.build(config, workshop)).collect();
    relay.open_channels(accounts).await.or_log("chat platforms are not connected");
}

/// Connects, connects anew and lets go of accounts of the platforms a change is about.
pub(crate) async fn follow(relay: &Relay, config: &Config, reload: &Reload, workshop: &Workshop) {
    let ReloadAction::Hot(parts) = &reload.action else { return };
    let changed = |id: &ChannelId| parts.iter().any(|part| matches!(part, HotPart::Channel(c) if c == id));
    let wanted: Vec<Wanted> = wanted(config).into_iter().filter(|wanted| changed(&wanted.channel)).collect();
    for status in relay.channel_status().iter().filter(|status| changed(&status.channel)) {
        let is_wanted =
            |wanted: &&Wanted| wanted.channel == status.channel && wanted.account == status.account;
        if !wanted.iter().any(|wanted| is_wanted(&wanted)) {
            relay.remove_channel(&status.channel, &status.account).await;
        }
    }
    for account in wanted.iter().filter_map(|wanted| wanted.build(config, workshop)) {
        relay.replace_channel(account).await;
    }
}

/// One account as the configuration wants it.
struct Wanted {
    channel: ChannelId,
    account: AccountId,
    section: Value,
    entry: &'static ChannelEntry,
}

impl Wanted {
    /// Makes it ready to listen. An account that cannot be made ready is named in the log; the others go on.
    fn build(&self, config: &Config, workshop: &Workshop) -> Option<SharedChannel> {
        let commands = menu(&config.commands, &[], &[], MAX_MENU);
        let parts = Parts {
            channel: self.channel.clone(),
            account: self.account.clone(),
            section: self.section.clone(),
            env: config.env.clone(),
            state_dir: workshop.paths.state_dir.clone(),
            clock: workshop.clock.clone(),
            commands: commands.into_iter().map(|entry| (entry.name, entry.help)).collect(),
            ingress: workshop.ingress.clone(),
        };
        match (self.entry.build)(parts) {
            Ok(account) => Some(account),
            Err(error) => {
                tracing::error!(channel = self.entry.id, account = %self.account, %error, "an account is not connected");
                None
            }
        }
    }
}

/// The accounts that are to run: those switched on and told enough to start.
fn wanted(config: &Config) -> Vec<Wanted> {
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
