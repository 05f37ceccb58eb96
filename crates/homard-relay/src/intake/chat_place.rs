//! Where on a chat platform something is said, as the intake tells places apart: by platform, account, chat and thread.

use std::fmt;

use homard_channel::{Conversation, Inbound, InboundEvent};
use homard_protocol::{AccountId, ChannelId, PeerId, ThreadId};

/// One place. Its text is part of the keys of notes in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ChatPlace {
    channel: ChannelId,
    account: AccountId,
    peer: Option<PeerId>,
    thread: Option<ThreadId>,
}

impl ChatPlace {
    pub(super) fn of(message: &Inbound) -> Self {
        Self::at(&message.channel, &message.account, &message.conversation)
    }

    pub(super) fn of_event(heard: &InboundEvent) -> Self {
        match heard {
            InboundEvent::Message(message) => Self::of(message),
            InboundEvent::Event(event) => Self::at(&event.channel, &event.account, &event.conversation),
            InboundEvent::Moved { channel, account, from, .. } => {
                let (channel, account) = (channel.clone(), account.clone());
                Self { channel, account, peer: Some(from.clone()), thread: None }
            }
        }
    }

    fn at(channel: &ChannelId, account: &AccountId, conversation: &Conversation) -> Self {
        Self {
            channel: channel.clone(),
            account: account.clone(),
            peer: conversation.peer().cloned(),
            thread: conversation.thread().cloned(),
        }
    }
}

impl fmt::Display for ChatPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { channel, account, peer, thread } = self;
        let (peer, thread) = (peer.as_deref().unwrap_or_default(), thread.as_deref().unwrap_or_default());
        write!(f, "{channel}:{account}:{peer}:{thread}")
    }
}
