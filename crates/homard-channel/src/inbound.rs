//! What comes in.

use homard_protocol::{AccountId, ChannelId, PeerId, SessionKey, ThreadId, UserBlock};

/// One message from outside, before anybody asked whether its sender may speak.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbound {
    /// The platform.
    pub channel: ChannelId,
    /// Which of our accounts heard it.
    pub account: AccountId,
    /// Where it was said.
    pub conversation: Conversation,
    /// Who said it.
    pub sender: Sender,
    /// The platform's id for it: the key that makes hearing it twice harmless.
    pub message_id: String,
    /// The text.
    pub text: String,
    /// Pictures.
    pub images: Vec<UserBlock>,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
}

impl Inbound {
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
        }
    }
}

/// Where a message was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conversation {
    /// An operator named the session; nothing is left to route.
    Session(SessionKey),
    /// One person.
    Direct {
        /// The person.
        peer: PeerId,
        /// A thread of theirs.
        thread: Option<ThreadId>,
    },
    /// A group.
    Group {
        /// The group.
        id: PeerId,
        /// A thread in it.
        thread: Option<ThreadId>,
    },
}

/// Who said it.
#[derive(Debug, Clone, PartialEq, Eq)]
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
