//! Finding the place: what was said about it, what the conversation that asks adds, what the owner's settings leave.

use std::sync::Arc;

use homard_channel::{Address, ChatKind};
use homard_config::Config;
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::{AccountId, ChannelId, PeerId, SessionKey, SessionScope, ThreadId, Word};
use homard_runtime::Clip;
use homard_store::{DeliveryContext, SessionEntry, StoreError};

use super::target::{self, ChannelName, Target};
use super::{ActError, ActingFor, FoundPlace, Place};
use crate::delivery::outbox::SendError;
use crate::parts::MessageActions;

/// Whether two addresses are the same conversation. With how many people is told by different sources differently,
/// so it does not count.
pub(crate) fn is_same_place(one: &Address, other: &Address) -> bool {
    let place = |address: &Address| {
        (address.channel.clone(), address.account.clone(), address.to.clone(), address.thread.clone())
    };
    place(one) == place(other)
}

impl MessageActions {
    /// Where a conversation's answers go, if it is on a chat platform: where it was last spoken to, else what its
    /// key says.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn route_of(&self, key: &SessionKey) -> Result<Option<Address>, StoreError> {
        let session = self.inner().store().sessions().get(key).await?;
        let config = self.inner().config();
        let names = self.channel_names().all();
        let kept = session.and_then(|session| last_spoken(&session.entry, names, &config));
        Ok(kept.or_else(|| of_key(key, &config)))
    }

    async fn from(&self, acting: &ActingFor) -> Result<Option<Address>, StoreError> {
        // Where the answer of the run that asks goes is certain; where its conversation was last is the next best.
        let run = acting.run.as_ref().and_then(|id| self.runs().get(id));
        if let Some(route) = run.as_ref().and_then(|run| run.delivery.route()) {
            return Ok(Some(route.address.clone()));
        }
        match &acting.session {
            Some(key) => self.route_of(key).await,
            None => Ok(None),
        }
    }

    pub(super) async fn find(
        &self,
        config: &Config,
        place: &Place,
        acting: &ActingFor,
    ) -> Result<FoundPlace, ActError> {
        let from = self.from(acting).await?;
        let address = self.resolve(config, place, from.as_ref())?;
        let Some(there) = self.channels().get(&address.channel, &address.account) else {
            let (channel, account) = (address.channel.to_string(), address.account.to_string());
            return Err(SendError::NotConnected { channel, account }.into());
        };
        let abilities = there.abilities();
        let accounts = config.view::<ChannelAccounts>();
        let account = Arc::clone(accounts.get(&address.channel, &address.account));
        Ok(FoundPlace { address, abilities, account, from })
    }

    pub(crate) fn resolve(
        &self,
        config: &Config,
        place: &Place,
        from: Option<&Address>,
    ) -> Result<Address, ActError> {
        let names = self.channel_names().all();
        let target = place.target.as_deref().map(|text| target::parse(text, names)).transpose();
        let target = target.map_err(ActError::BadTarget)?;
        let named = place.channel.as_deref().map(str::trim).filter(|name| !name.is_empty());
        let named = named
            .map(|name| target::channel_of(name, names).ok_or_else(|| unknown(name)))
            .transpose()?
            .or_else(|| target.as_ref().and_then(|target| target.channel.clone()));
        let channel = match (named, from) {
            (Some(channel), _) => channel,
            (None, Some(from)) => from.channel.clone(),
            (None, None) => only_channel(config)?,
        };
        if !self.channel_names().knows(channel.as_str()) {
            return Err(unknown(channel.as_str()));
        }
        let here = from.filter(|from| from.channel == channel);
        let account = match place.account.as_deref() {
            Some(account) => {
                AccountId::parse(account.trim()).map_err(|e| ActError::Invalid(e.to_string()))?
            }
            None => here.map_or_else(
                || config.view::<ChannelAccounts>().usual(&channel),
                |here| here.account.clone(),
            ),
        };
        let thread = place.thread.as_deref().map(ThreadId::parse).transpose();
        let thread = thread.map_err(|error| ActError::Invalid(error.to_string()))?;
        Ok(match (target, here) {
            (Some(Target { chat, to, thread: own, .. }), _) => {
                Address { channel, account, chat, to, thread: thread.or(own) }
            }
            (None, Some(here)) => Address { account, thread: thread.or(here.thread.clone()), ..here.clone() },
            (None, None) => return Err(ActError::NoTarget),
        })
    }
}

fn unknown(name: &str) -> ActError {
    ActError::UnknownChannel(name.clip_chars(64).to_owned())
}

fn only_channel(config: &Config) -> Result<ChannelId, ActError> {
    let accounts = config.view::<ChannelAccounts>();
    match accounts.platforms_on().collect::<Vec<_>>().as_slice() {
        [] => Err(ActError::NoChannel),
        [only] => Ok((*only).clone()),
        several => Err(ActError::WhichChannel(several.iter().map(ToString::to_string).collect())),
    }
}

/// Where a conversation was last spoken to, as its entry says.
fn last_spoken(entry: &SessionEntry, names: &[ChannelName], config: &Config) -> Option<Address> {
    let kept = entry.delivery_context.clone().unwrap_or_default();
    let DeliveryContext { channel, to, account_id, thread_id } = kept;
    let channel = channel.or_else(|| entry.last_channel.clone())?;
    let to = to.or_else(|| entry.last_to.clone())?;
    let channel = ChannelId::parse(&channel).ok().filter(|id| *id != ChannelId::operator())?;
    // Ids are kept with or without their platform before them.
    let bare = to.strip_prefix(&format!("{channel}:")).unwrap_or(&to);
    let target = target::parse(bare, names).ok()?;
    let account = account_id.or_else(|| entry.last_account_id.clone());
    let account = account.and_then(|account| AccountId::parse(&account).ok());
    let thread = thread_id.or_else(|| entry.last_thread_id.clone());
    let chat = entry.chat_type.as_ref().and_then(Word::known).unwrap_or(target.chat);
    Some(Address {
        account: account.unwrap_or_else(|| config.view::<ChannelAccounts>().usual(&channel)),
        channel,
        chat,
        to: target.to,
        thread: thread.and_then(|thread| ThreadId::parse(&thread).ok()).or(target.thread),
    })
}

/// Where a conversation is by its key alone.
pub(crate) fn of_key(key: &SessionKey, config: &Config) -> Option<Address> {
    let SessionKey::Agent { scope, thread, .. } = key else { return None };
    let (channel, account, chat, to) = match scope {
        SessionScope::Direct { channel, account, peer } => {
            (channel, account.as_ref(), ChatKind::Direct, peer)
        }
        SessionScope::Group { channel, id } => (channel, None, ChatKind::Group, id),
        SessionScope::Channel { channel, id } => (channel, None, ChatKind::Channel, id),
        SessionScope::Slash { .. }
        | SessionScope::Main
        | SessionScope::Peer(_)
        | SessionScope::Cron { .. }
        | SessionScope::Hook(_)
        | SessionScope::Subagent(_)
        | SessionScope::Acp(_)
        | SessionScope::Http(_)
        | SessionScope::Named(_) => return None,
    };
    let (id, topic) = match to.as_str().split_once(":topic:") {
        Some((id, topic)) => (PeerId::parse(id).ok()?, ThreadId::parse(topic).ok()),
        None => (to.clone(), None),
    };
    Some(Address {
        channel: channel.clone(),
        account: account.cloned().unwrap_or_else(|| config.view::<ChannelAccounts>().usual(channel)),
        chat,
        to: id,
        thread: topic.or_else(|| thread.clone()),
    })
}
