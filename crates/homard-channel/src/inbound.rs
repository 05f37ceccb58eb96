//! What comes in.

use homard_protocol::{AccountId, ChannelId, PeerId, SessionKey, ThreadId, UserBlock};
use serde::{Deserialize, Serialize};

use crate::abilities::MediaKind;
use crate::outbound::Address;
use homard_protocol::ChatKind;

/// One message from outside, before anybody asked whether its sender may speak.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inbound {
    pub channel: ChannelId,
    /// Which of our accounts heard it.
    pub account: AccountId,
    /// Where it was said.
    pub conversation: Conversation,
    pub sender: Sender,
    /// The platform's id for it: the key that makes hearing it twice harmless, with account and conversation.
    pub message_id: String,
    pub text: String,
    pub images: Vec<UserBlock>,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
    /// What only some platforms tell.
    #[serde(default)]
    pub details: Details,
}

impl Inbound {
    /// Where it was said; nowhere for an operator, who named a session.
    #[must_use]
    pub fn address(&self) -> Option<Address> {
        Some(Address {
            channel: self.channel.clone(),
            account: self.account.clone(),
            chat: self.conversation.kind(),
            to: self.conversation.peer()?.clone(),
            thread: self.conversation.thread().cloned(),
        })
    }

    /// A message an authenticated operator sends into a session of their choice.
    #[must_use]
    pub fn from_operator(session: SessionKey, message_id: String, text: String, timestamp: i64) -> Self {
        Self {
            channel: ChannelId::operator(),
            account: AccountId::default_account(),
            conversation: Conversation::Session(session),
            sender: Sender::Operator,
            message_id,
            text,
            images: Vec::new(),
            timestamp,
            details: Details::default(),
        }
    }
}

/// Where a message was said.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Conversation {
    /// An operator named the session; nothing is left to route.
    Session(SessionKey),
    Direct {
        peer: PeerId,
        /// A thread of theirs.
        thread: Option<ThreadId>,
    },
    Group {
        id: PeerId,
        /// A thread in it.
        thread: Option<ThreadId>,
    },
    /// A room or broadcast channel.
    Room {
        id: PeerId,
        /// A thread in it.
        thread: Option<ThreadId>,
    },
}

impl Conversation {
    /// With how many people; an operator's session counts as direct.
    #[must_use]
    pub fn kind(&self) -> ChatKind {
        match self {
            Self::Session(_) | Self::Direct { .. } => ChatKind::Direct,
            Self::Group { .. } => ChatKind::Group,
            Self::Room { .. } => ChatKind::Channel,
        }
    }

    /// The person or room, where there is one.
    #[must_use]
    pub fn peer(&self) -> Option<&PeerId> {
        match self {
            Self::Session(_) => None,
            Self::Direct { peer: id, .. } | Self::Group { id, .. } | Self::Room { id, .. } => Some(id),
        }
    }

    /// The thread, where there is one.
    #[must_use]
    pub fn thread(&self) -> Option<&ThreadId> {
        match self {
            Self::Session(_) => None,
            Self::Direct { thread, .. } | Self::Group { thread, .. } | Self::Room { thread, .. } => {
                thread.as_ref()
            }
        }
    }
}

/// Who said it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Sender {
    /// An operator the gateway has authenticated; the owner, by definition.
    Operator,
    /// Somebody on the platform.
    Peer {
        /// The platform's id; the only thing allow-lists may trust.
        id: PeerId,
        /// What they call themselves.
        name: Option<String>,
    },
}

/// What only some platforms tell about a message. Nothing here is to be trusted but what says so.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Details {
    /// The sender's changeable handle, without `@`.
    pub username: Option<String>,
    /// Other ids under which allow-lists may know the sender, as trustworthy as the id itself: `nick!user@host`, a
    /// phone number.
    pub also_known_as: Vec<String>,
    /// The names the platform itself vouches for, where anybody can take the id (a nick): only these can be the
    /// owner's. `None` where the platform vouches for the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vouched: Option<Vec<String>>,
    /// Whether a program wrote it.
    pub is_bot: bool,
    /// What the conversation is called.
    pub label: Option<String>,
    /// What the thread is called.
    pub thread_label: Option<String>,
    /// The room a thread belongs to, where threads are rooms of their own.
    pub parent: Option<PeerId>,
    /// The server or team the room belongs to.
    pub space: Option<String>,
    /// The sender's roles there.
    pub roles: Vec<String>,
    /// Whether the platform says that we are meant; `None` when it cannot tell.
    pub mentions_us: Option<bool>,
    /// What it answers to.
    pub reply_to: Option<Quoted>,
    /// Where it was forwarded from, in words.
    pub forwarded_from: Option<String>,
    /// What in it is not the sender's own words, though nobody is named: a card, a poll, what a bot put together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carries: Option<String>,
    /// Files, not yet fetched.
    pub files: Vec<Attachment>,
    /// Messages with the same word are parts of one.
    pub part_of: Option<String>,
    /// Whether it is one of the platform's own commands rather than a text.
    pub native_command: bool,
    /// Words about the place that strangers may have written, such as a topic.
    pub about: Vec<String>,
    /// The button that was pressed, where it is the press of one rather than a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressed: Option<Press>,
}

/// A button below one of our messages that somebody pressed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Press {
    /// The message it stands below.
    pub message_id: String,
    /// Its value, as it was sent.
    pub value: String,
}

/// A message that is answered to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Quoted {
    pub message_id: String,
    pub sender: Option<String>,
    /// What it said, or the part that was marked.
    pub text: String,
    /// Whether only a part was marked.
    pub is_part: bool,
    /// Whether we said it.
    pub is_ours: bool,
}

/// A file that can be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    pub kind: MediaKind,
    /// What the platform calls it; means something to its adapter only.
    pub handle: String,
    /// Its media type, as the platform says.
    pub mime: Option<String>,
    /// Its name, as the sender says.
    pub name: Option<String>,
    /// Its size, as the platform says.
    pub size: Option<u64>,
}

/// A fetched file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    pub bytes: Vec<u8>,
    pub mime: Option<String>,
    pub name: Option<String>,
}

/// What an adapter hears.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InboundEvent {
    Message(Box<Inbound>),
    /// Something happened that is no message: the next turn is told, none begins.
    Event(Notice),
    /// A conversation has a new id; the owner's settings for the old one belong to it.
    Moved {
        channel: ChannelId,
        account: AccountId,
        from: PeerId,
        to: PeerId,
    },
}

impl InboundEvent {
    /// Which platform, and which of our accounts.
    #[must_use]
    pub fn our_account(&self) -> (&ChannelId, &AccountId) {
        match self {
            Self::Message(message) => (&message.channel, &message.account),
            Self::Event(event) => (&event.channel, &event.account),
            Self::Moved { channel, account, .. } => (channel, account),
        }
    }

    /// The key under which hearing it twice is harmless.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Message(message) => {
                let place = message.conversation.peer().map_or("", PeerId::as_str);
                format!("{place}:{}", message.message_id)
            }
            Self::Event(event) => format!("event:{}", event.key),
            Self::Moved { from, to, .. } => format!("moved:{from}:{to}"),
        }
    }
}

/// A reaction, a new member, a pinned message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    pub channel: ChannelId,
    pub account: AccountId,
    pub conversation: Conversation,
    /// Who did it; they must be allowed to speak, else it is not told.
    pub sender: Sender,
    /// The platform's key for it.
    pub key: String,
    pub text: String,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
}
