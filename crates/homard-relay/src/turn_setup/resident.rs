//! Whose a conversation is, whoever speaks in it now and by whichever way.
//!
//! What a conversation is told first and offered follows from this and not from the message: it is the same at the page
//! and on a platform, for what the clock or a hook says in it, today and after a restart. So providers find what they
//! have kept. What one message may have done is decided when a tool is called, by its own policy.

use homard_channel::Sender;
use homard_protocol::{AccountId, ChannelId, PeerId, SessionKey, SessionScope};
use homard_store::{SessionEntry, SessionKind};

use crate::relay::Inner;
use crate::turn_setup::policy_layers::PolicySubject;

/// Whose a conversation is.
#[derive(Debug)]
pub(crate) struct Resident {
    sender: Sender,
    /// The platform they speak on.
    channel: ChannelId,
    is_owner: bool,
}

impl Resident {
    pub(crate) fn of(inner: &Inner, about: &PolicySubject<'_>) -> Self {
        let speaker =
            |is_owner| Self { sender: about.sender.clone(), channel: about.channel.clone(), is_owner };
        let owner = || Self { sender: Sender::Operator, channel: ChannelId::operator(), is_owner: true };
        let is_peer = *about.sender != Sender::Operator;
        match SessionKind::of(about.key) {
            // Everybody's: it is offered what the owner may have done there. Only lists that the owner wrote for single
            // people follow who speaks.
            SessionKind::Group => speaker(true),
            SessionKind::Direct if is_peer => speaker(about.is_owner),
            SessionKind::Direct => match person(about.key, about.session) {
                Some((channel, sender)) => {
                    let is_owner = inner.is_owner_by_id(&channel, about.account, &sender);
                    Self { sender, channel, is_owner }
                }
                None => owner(),
            },
            // A guest whom the owner lets speak in a conversation of their own is not told what is theirs.
            _ if is_peer && !about.is_owner => speaker(false),
            _ => owner(),
        }
    }

    /// Whether they speak now, and nothing but their own words.
    pub(crate) fn speaks(&self, about: &PolicySubject<'_>) -> bool {
        let is_them =
            (about.sender, about.channel, about.is_owner) == (&self.sender, &self.channel, self.is_owner);
        is_them && !about.passed_on && !about.without_admin
    }

    /// The circumstances in which the conversation's owner speaks.
    pub(crate) fn speaking<'a>(&'a self, about: &PolicySubject<'a>) -> PolicySubject<'a> {
        PolicySubject {
            sender: &self.sender,
            channel: &self.channel,
            is_owner: self.is_owner,
            passed_on: false,
            without_admin: false,
            ..*about
        }
    }
}

/// Whether a direct conversation is the owner's with the assistant. What others said in it all the same is labelled word
/// by word.
pub(crate) fn is_owners_own(inner: &Inner, key: &SessionKey, entry: Option<&SessionEntry>) -> bool {
    if SessionKind::of(key) != SessionKind::Direct {
        return false;
    }
    let Some((channel, person)) = person(key, entry) else { return false };
    let account = entry.and_then(|entry| AccountId::parse(entry.last_account_id.as_deref()?).ok());
    inner.is_owner_by_id(&channel, account.as_ref(), &person)
}

/// The person of a direct conversation, by where they last wrote from, else by its key.
fn person(key: &SessionKey, entry: Option<&SessionEntry>) -> Option<(ChannelId, Sender)> {
    let kept = entry.and_then(|entry| {
        let channel = ChannelId::parse(entry.last_channel.as_deref()?).ok()?;
        let to = entry.last_to.as_deref()?;
        let id = PeerId::parse(to.strip_prefix(&format!("{channel}:")).unwrap_or(to)).ok()?;
        Some((channel, id)).filter(|(channel, _)| *channel != ChannelId::operator())
    });
    let by_key = || match key {
        SessionKey::Agent { scope: SessionScope::Direct { channel, peer, .. }, .. } => {
            Some((channel.clone(), peer.clone()))
        }
        _ => None,
    };
    let (channel, id) = kept.or_else(by_key)?;
    Some((channel, Sender::Peer { id, name: None }))
}
