//! The owner's rules of company, read once per configuration and not per message.

use std::collections::HashMap;
use std::sync::Arc;

use homard_channel::{Details, Inbound, Sender};
use homard_config::Config;
use homard_config::config::commands::owners::Owners;
use homard_policy::access::{AllowList, CommandRules, HeartbeatShown, MentionPatterns, SenderIdentity};
use homard_policy::accounts::{ChannelAccount, ChannelAccounts};
use homard_policy::routing::{RouteRules, Speaker};
use homard_policy::words::Vocabulary;
use homard_protocol::{AccountId, AgentId, ChannelId};
use homard_runtime::{Arrange as _, Mutex};

use crate::relay::Inner;

/// The rules of one configuration.
pub(crate) struct CompanyRules {
    pub(super) config: Arc<Config>,
    pub(crate) routes: RouteRules,
    pub(crate) commands: CommandRules,
    pub(crate) words: Vocabulary,
    accounts: Arc<ChannelAccounts>,
    patterns: Mutex<HashMap<(ChannelId, AccountId, AgentId), Arc<MentionPatterns>>>,
}

impl CompanyRules {
    pub(super) fn of(config: Arc<Config>) -> Self {
        let accounts = config.view::<ChannelAccounts>();
        for problem in accounts.problems() {
            tracing::warn!("{problem}");
        }
        Self {
            routes: RouteRules::of(&config),
            commands: CommandRules::of(&config),
            words: Vocabulary::of(&config),
            config,
            accounts,
            patterns: Mutex::default(),
        }
    }

    /// One of our accounts.
    pub(super) fn account(&self, channel: &ChannelId, account: &AccountId) -> &Arc<ChannelAccount> {
        self.accounts.get(channel, account)
    }

    /// Who a message is from, as far as it decides where it is answered.
    pub(crate) fn speaker(&self, message: &Inbound) -> Speaker {
        Speaker::of(self.is_owner(message))
    }

    /// Whether the owner sent a message.
    fn is_owner(&self, message: &Inbound) -> bool {
        let account = self.account(&message.channel, &message.account);
        let who = SenderIdentity::sent(message.channel.as_str(), &message.sender, &message.details);
        // Only an operator is nobody on a platform.
        who.is_none_or(|who| self.commands.is_owner(&who, &account.rules.allow))
    }

    /// What counts as our name for an agent.
    pub(super) fn patterns(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        agent: &AgentId,
    ) -> Arc<MentionPatterns> {
        let rules = self.account(channel, account);
        let key = (channel.clone(), account.clone(), agent.clone());
        let mut known = self.patterns.lock();
        let made = known.entry(key).or_insert_with(|| {
            let patterns = MentionPatterns::of(&self.config, agent, &rules.rules);
            for problem in &patterns.problems {
                tracing::warn!(%channel, %account, "{problem}");
            }
            Arc::new(patterns)
        });
        Arc::clone(made)
    }
}

/// The rules as they were last made.
#[derive(Default)]
pub(crate) struct KeptRules(Mutex<Option<Arc<CompanyRules>>>);

impl Inner {
    /// Our accounts on chat platforms, as the owner has them now.
    #[must_use]
    pub(crate) fn accounts(&self) -> Arc<ChannelAccounts> {
        self.config().view()
    }

    /// Whether settings may be changed by messages to one of our accounts (`configWrites`).
    pub(crate) fn may_write_config(&self, channel: &ChannelId, account: &AccountId) -> bool {
        self.company_rules().account(channel, account).rules.config_writes
    }

    /// What is shown of heartbeats on one of our accounts.
    pub(crate) fn heartbeat_shown(&self, channel: &ChannelId, account: &AccountId) -> HeartbeatShown {
        self.company_rules().account(channel, account).rules.speaking.heartbeat
    }

    /// Whether the owner sent a message, by a name their platform vouches for.
    pub(crate) fn is_owner(&self, message: &Inbound) -> bool {
        self.company_rules().is_owner(message)
    }

    /// Whether a sender of whom only the id is known is the owner, on one of our accounts there.
    pub(crate) fn is_owner_by_id(
        &self,
        channel: &ChannelId,
        account: Option<&AccountId>,
        sender: &Sender,
    ) -> bool {
        let rules = self.company_rules();
        let usual = AccountId::default_account();
        let account = rules.account(channel, account.unwrap_or(&usual));
        let details = Details::default();
        let who = SenderIdentity::sent(channel.as_str(), sender, &details);
        who.is_none_or(|who| rules.commands.is_owner(&who, &account.rules.allow))
    }

    /// Who is the owner on chat platforms, as written: those named, else whoever is alone on the list of an account.
    #[must_use]
    pub(crate) fn owners(&self) -> Vec<String> {
        let rules = self.company_rules();
        let commands = &rules.commands;
        if commands.names_an_owner() {
            return commands.owner_names(&AllowList::default()).to_vec();
        }
        let mut owners = Vec::new();
        for (channel, _, account) in rules.accounts.all() {
            let names = commands.owner_names(&account.rules.allow).iter();
            let vouched = names.filter(|id| Owners::is_vouched(channel.as_str(), id));
            owners.extend(vouched.map(|id| format!("{id} on {channel}")));
        }
        owners.arrange();
        owners.dedup();
        owners
    }

    /// Says in the log who is the owner on chat platforms, where there are any.
    pub(crate) fn name_owners(&self) {
        if self.accounts().platforms().next().is_none() {
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
        let config = self.config();
        let mut kept = self.kept_rules().0.lock();
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
