//! What goes out.

use homard_protocol::{AccountId, ChannelId, PeerId, RunId, ThreadId};

/// One message to be sent, cut to the platform's size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outbound {
    /// The platform.
    pub channel: ChannelId,
    /// Which of our accounts speaks.
    pub account: AccountId,
    /// To whom.
    pub to: PeerId,
    /// In which thread.
    pub thread: Option<ThreadId>,
    /// The run that says it, and the part of its answer: the key that makes sending it twice harmless where
    /// the platform can tell.
    pub run: RunId,
    /// Which part of the run's answer, from 0.
    pub part: u32,
    /// What.
    pub content: Content,
}

/// What is sent. Closed on purpose: variety lives here, not in methods every adapter must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text in the platform's own dialect.
    Text(String),
    /// "Somebody is typing."
    Typing,
}

/// Proof that the platform took a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The platform's id for what was sent.
    pub message_id: String,
}
