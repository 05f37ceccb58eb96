//! The owner's rules of company, read once per configuration and not per message.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use homard_channel::{Details, Inbound, Sender};
use homard_config::Config;
use homard_config::config::owners::Owners;
use homard_policy::access::{AccountRules, AllowList, CommandRules, MentionPatterns, Who};
use homard_policy::routing::{RouteRules, Speaker};
use homard_policy::words::Vocabulary;
use homard_protocol::{AccountId, AgentId, ChannelId};
use serde_json::Value;

use crate::relay::Relay;

/// The section of what holds for every platform.
const DEFAULTS: &str = "defaults";

/// The rules of one configuration.
pub(crate) struct CompanyRules {
    pub(super) config: Arc<Config>,
    pub(crate) routes: RouteRules,
    pub(crate) commands: CommandRules,
    pub(super) words: Vocabulary,
    accounts: Mutex<HashMap<(ChannelId, AccountId), Arc<AccountRules>>>,
    patterns: Mutex<HashMap<(ChannelId, AccountId, AgentId), Arc<MentionPatterns>>>,
}

impl CompanyRules {
    pub(super) fn of(config: Arc<Config>) -> Self {
        Self {
            routes: RouteRules::of(&config),
            commands: CommandRules::of(&config),
            words: Vocabulary::of(&config),
            config,
            accounts: Mutex::default(),
            patterns: Mutex::default(),
        }
    }

    /// The rules of one of our accounts; a platform nobody wrote about has the strictest.
    pub(super) fn account(&self, channel: &ChannelId, account: &AccountId) -> Arc<AccountRules> {
        let key = (channel.clone(), account.clone());
        let mut known = lock(&self.accounts);
        let made = known.entry(key).or_insert_with(|| {
            let section =
                self.config.channels.get(channel).map_or(&Value::Null, |section| section.as_value());
            let defaults = ChannelId::parse(DEFAULTS).ok().and_then(|id| self.config.channels.get(&id));
            let defaults = defaults.map(|section| section.as_value());
            let rules = AccountRules::of(channel, account, section, defaults);
            for problem in &rules.problems {
                tracing::warn!(%channel, %account, "{problem}");
            }
            Arc::new(rules)
        });
        Arc::clone(made)
    }

    /// Who a message is from, as far as it decides where it is answered.
    pub(crate) fn speaker(&self, message: &Inbound) -> Speaker {
        let account = self.account(&message.channel, &message.account);
        let who = Who::sent(message.channel.as_str(), &message.sender, &message.details);
        // Only an operator is nobody on a platform.
        Speaker::of(who.is_none_or(|who| self.commands.is_owner(&who, &account.allow)))
    }

    /// What counts as our name for an agent.
    pub(super) fn patterns(
        &self,
        (channel, account): (&ChannelId, &AccountId),
        agent: &AgentId,
    ) -> Arc<MentionPatterns> {
        let rules = self.account(channel, account);
        let key = (channel.clone(), account.clone(), agent.clone());
        let mut known = lock(&self.patterns);
        let made = known.entry(key).or_insert_with(|| {
            let patterns = MentionPatterns::of(&self.config, agent, &rules);
            for problem in &patterns.problems {
                tracing::warn!(%channel, %account, "{problem}");
            }
            Arc::new(patterns)
        });
        Arc::clone(made)
    }
}

impl Relay {
    /// Whether settings may be changed by messages to one of our accounts (`configWrites`).
    pub(crate) fn may_write_config(&self, channel: &ChannelId, account: &AccountId) -> bool {
        self.company_rules().account(channel, account).config_writes
    }

    /// Whether a sender of whom only the id is known is the owner, on one of our accounts there.
    pub(crate) fn is_owner_by_id(
        &self,
        (channel, account): (&ChannelId, Option<&AccountId>),
        sender: &Sender,
    ) -> bool {
        let rules = self.company_rules();
        let usual = AccountId::default_account();
        let account = rules.account(channel, account.unwrap_or(&usual));
        let details = Details::default();
        let who = Who::sent(channel.as_str(), sender, &details);
        who.is_none_or(|who| rules.commands.is_owner(&who, &account.allow))
    }

    /// Who is the owner on chat platforms, as written: those named, else whoever is alone on the list of an account.
    #[must_use]
    pub fn owners(&self) -> Vec<String> {
        let rules = self.company_rules();
        let (config, commands) = (&rules.config, &rules.commands);
        if commands.names_an_owner() {
            return commands.owner_names(&AllowList::default()).to_vec();
        }
        let mut owners = Vec::new();
        for (channel, section) in config.channels.iter().filter(|(channel, _)| channel.as_str() != DEFAULTS) {
            let named = section.as_value().get("accounts").and_then(Value::as_object).into_iter().flatten();
            let named = named.filter_map(|(name, _)| AccountId::parse(name).ok());
            for account in std::iter::once(AccountId::default_account()).chain(named) {
                let rules = rules.account(channel, &account);
                let names = commands.owner_names(&rules.allow).iter();
                let vouched = names.filter(|id| Owners::is_vouched(channel.as_str(), id));
                owners.extend(vouched.map(|id| format!("{id} on {channel}")));
            }
        }
        owners.sort();
        owners.dedup();
        owners
    }

    /// Says in the log who is the owner on chat platforms, where there are any.
    pub(crate) fn name_owners(&self) {
        let config = self.inner().config();
        if config.channels.keys().all(|channel| channel.as_str() == DEFAULTS) {
            return;
        }
        match self.owners().as_slice() {
            [] => tracing::warn!(
                "nobody on chat platforms counts as the owner; name yourself in commands.ownerAllowFrom, as channel:id"
            ),
            owners => tracing::info!(owners = owners.join(", "), "the owner on chat platforms"),
        }
    }

    /// The rules as the owner has them now.
    pub(crate) fn company_rules(&self) -> Arc<CompanyRules> {
        let config = self.inner().config();
        let mut kept = lock(&self.inner().intake().rules);
        match kept.as_ref().filter(|rules| Arc::ptr_eq(&rules.config, &config)) {
            Some(rules) => Arc::clone(rules),
            None => {
                let rules = Arc::new(CompanyRules::of(config));
                *kept = Some(Arc::clone(&rules));
                rules
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
