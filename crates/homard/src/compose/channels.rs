//! Which accounts on chat platforms are started, and with which settings.

use homard_channel::{AccountParts, ChannelEntry, ChannelRegistry, Ingress, SharedChannel};
use homard_config::{Config, HotPart, Paths, Reload, ReloadAction};
use homard_policy::accounts::ChannelAccounts;
use homard_policy::words::table::{MenuEntry, menu};
use homard_protocol::{AccountId, ChannelId};
use homard_relay::Relay;
use homard_runtime::{Clock, OrLog};
use serde_json::Value;

/// Most commands offered to a platform; each takes as many as its menu has room for.
const MAX_MENU: usize = 100;

/// What accounts are made of beside the configuration.
#[derive(Clone)]
pub(crate) struct AccountContext {
    /// The platforms accounts can be at.
    pub(crate) platforms: ChannelRegistry,
    /// Where platforms keep state of their own.
    pub(crate) paths: Paths,
    /// Where the time comes from.
    pub(crate) clock: Clock,
    /// Where platforms that bring messages may bring them.
    pub(crate) ingress: Ingress,
}

impl AccountContext {
    /// A workshop with nothing brought to it yet.
    pub(crate) fn new(platforms: ChannelRegistry, paths: &Paths, clock: &Clock) -> Self {
        Self { platforms, paths: paths.clone(), clock: clock.clone(), ingress: Ingress::default() }
    }
}

/// Makes the accounts known before anything is recovered, so that answers are written for their platforms.
pub(crate) fn know(relay: &Relay, config: &Config, workshop: &AccountContext) {
    let accounts: Vec<_> =
        wanted(config, workshop).iter().filter_map(|wanted| wanted.build(config, workshop, &[])).collect();
    relay.platforms().know_channels(&accounts);
}

/// Connects every account the configuration wants.
pub(crate) async fn open(relay: &Relay, config: &Config, workshop: &AccountContext) {
    let wanted = wanted(config, workshop);
    if wanted.is_empty() {
        return relay
            .platforms()
            .open_channels(Vec::new())
            .await
            .or_log("chat platforms are not connected")
            .unwrap_or_default();
    }
    let skills = relay.setup().skill_menu().await;
    let accounts = wanted.iter().filter_map(|wanted| wanted.build(config, workshop, &skills)).collect();
    relay.platforms().open_channels(accounts).await.or_log("chat platforms are not connected");
}

/// Connects, connects anew and lets go of accounts of the platforms a change is about.
pub(crate) async fn follow(relay: &Relay, config: &Config, reload: &Reload, workshop: &AccountContext) {
    let ReloadAction::Hot(parts) = &reload.action else { return };
    let changed = |id: &ChannelId| parts.iter().any(|part| matches!(part, HotPart::Channel(c) if c == id));
    let wanted: Vec<WantedAccount> =
        wanted(config, workshop).into_iter().filter(|wanted| changed(&wanted.channel)).collect();
    for status in relay.platforms().channel_status().iter().filter(|status| changed(&status.channel)) {
        let is_wanted =
            |wanted: &&WantedAccount| wanted.channel == status.channel && wanted.account == status.account;
        if !wanted.iter().any(|wanted| is_wanted(&wanted)) {
            relay.platforms().remove_channel(&status.channel, &status.account).await;
        }
    }
    let skills = if wanted.is_empty() { Vec::new() } else { relay.setup().skill_menu().await };
    for account in wanted.iter().filter_map(|wanted| wanted.build(config, workshop, &skills)) {
        relay.platforms().replace_channel(account).await;
    }
}

/// One account as the configuration wants it.
struct WantedAccount {
    channel: ChannelId,
    account: AccountId,
    section: Value,
    entry: &'static ChannelEntry,
}

impl WantedAccount {
    /// What stands in the platform's own menu, as the owner wants it for this account, else for all.
    fn menu(&self, config: &Config, skills: &[MenuEntry]) -> Vec<MenuEntry> {
        let accounts = config.view::<ChannelAccounts>();
        let rules = &accounts.get(&self.channel, &self.account).rules;
        if !rules.native_commands.or(config.commands.native).unwrap_or(true) {
            return Vec::new();
        }
        let with_skills = rules.native_skills.or(config.commands.native_skills).unwrap_or(true);
        menu(&config.commands, if with_skills { skills } else { &[] }, &[], MAX_MENU)
    }

    /// Makes it ready to listen. An account that cannot be made ready is named in the log; the others go on.
    fn build(
        &self,
        config: &Config,
        workshop: &AccountContext,
        skills: &[MenuEntry],
    ) -> Option<SharedChannel> {
        let commands = self.menu(config, skills);
        let parts = AccountParts {
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
fn wanted(config: &Config, workshop: &AccountContext) -> Vec<WantedAccount> {
    workshop.platforms.entries().iter().flat_map(|entry| of_platform(config, entry)).collect()
}

fn of_platform(config: &Config, entry: &'static ChannelEntry) -> Vec<WantedAccount> {
    let Ok(channel) = ChannelId::parse(entry.id) else { return Vec::new() };
    let accounts = config.view::<ChannelAccounts>();
    let mut written: Vec<_> = accounts.of_platform(&channel).collect();
    if written.is_empty() {
        // The environment alone may be enough.
        let usual = AccountId::default_account();
        written.push((usual.clone(), accounts.get(&channel, &usual)));
    }
    let wanted =
        written.into_iter().filter(|(_, account)| account.rules.enabled).map(|(id, account)| WantedAccount {
            channel: channel.clone(),
            account: id,
            section: Value::Object(account.section.clone()),
            entry,
        });
    wanted.filter(|wanted| (entry.is_configured)(&wanted.section, &config.env)).collect()
}
