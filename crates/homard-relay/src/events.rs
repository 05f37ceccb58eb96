//! What happens in the relay, told to any number of subscribers inside the process.
//!
//! These are facts of the domain; what clients hear on the wire is made from them by the gateway, what is counted by
//! its metrics, and a question that waits is shown by the relay itself on the platform its run was asked from.

use std::sync::Arc;

use homard_protocol::events::SessionChange;
use homard_protocol::{AccountId, ChannelId, RunId, SessionKey};
use homard_runtime::Subscribers;
use homard_tools::Question;

use crate::turns::outcome::RunEnd;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum DomainEvent {
    /// A platform told us something, and it is kept.
    MessageReceived {
        channel: ChannelId,
        /// Which of our accounts heard it.
        account: AccountId,
    },
    /// Something arrived at a platform.
    MessageSent {
        channel: ChannelId,
        /// Which of our accounts said it.
        account: AccountId,
    },
    RunStarted {
        run: RunId,
        session: SessionKey,
    },
    /// A model called a tool, and it has answered.
    ToolCalled {
        run: RunId,
        session: SessionKey,
        /// The tool, as the model spelled it.
        tool: String,
        /// Whether the answer says that it did not work.
        failed: bool,
    },
    /// A run is over.
    RunEnded(Arc<RunEnd>),
    SessionChanged {
        session: SessionKey,
        /// How, in a word.
        reason: SessionChange,
    },
    /// A person is asked whether something may be done.
    ApprovalAsked(Box<Question>),
    /// That question has an end.
    ApprovalEnded(Box<Question>),
}

/// Who hears what happens.
pub type DomainEvents = Subscribers<DomainEvent>;
