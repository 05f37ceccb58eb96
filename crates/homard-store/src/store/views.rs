//! What the store hands out: one view per matter.
//!
//! A view only borrows the store, so it costs nothing and is made where it is used:
//! `store.sessions().get(&key).await`.

use crate::cron::CronStore;
use crate::inbox::InboxStore;
use crate::kv::KvStore;
use crate::notes::NoteStore;
use crate::outbox::OutboxStore;
use crate::people::devices::DeviceStore;
use crate::people::nodes::NodeStore;
use crate::people::pairing::PairingStore;
use crate::people::setup_codes::SetupCodeStore;
use crate::runs::RunStore;
use crate::search::SearchStore;
use crate::sessions::{GroupStore, SessionStore};
use crate::subagents::SubagentStore;
use crate::transcripts::TranscriptStore;
use crate::usage::UsageStore;

use super::Store;

impl Store {
    /// What is remembered of conversations besides what was said.
    #[must_use]
    pub const fn sessions(&self) -> SessionStore<'_> {
        SessionStore { store: self }
    }

    /// The groups people sort their conversations into.
    #[must_use]
    pub const fn groups(&self) -> GroupStore<'_> {
        GroupStore { store: self }
    }

    /// What was said.
    #[must_use]
    pub const fn transcripts(&self) -> TranscriptStore<'_> {
        TranscriptStore { store: self }
    }

    /// The index over what was said.
    #[must_use]
    pub const fn search(&self) -> SearchStore<'_> {
        SearchStore { store: self }
    }

    /// The runs of all conversations.
    #[must_use]
    pub const fn runs(&self) -> RunStore<'_> {
        RunStore { store: self }
    }

    /// Conversations begun by other conversations.
    #[must_use]
    pub const fn subagents(&self) -> SubagentStore<'_> {
        SubagentStore { store: self }
    }

    /// What conversations are told with their next turn.
    #[must_use]
    pub const fn notes(&self) -> NoteStore<'_> {
        NoteStore { store: self }
    }

    /// What was heard on the platforms.
    #[must_use]
    pub const fn inbox(&self) -> InboxStore<'_> {
        InboxStore { store: self }
    }

    /// What is to be sent, and what became of it.
    #[must_use]
    pub const fn outbox(&self) -> OutboxStore<'_> {
        OutboxStore { store: self }
    }

    /// Jobs by the clock and their runs.
    #[must_use]
    pub const fn cron(&self) -> CronStore<'_> {
        CronStore { store: self }
    }

    /// The calls of models and what they cost.
    #[must_use]
    pub const fn usage(&self) -> UsageStore<'_> {
        UsageStore { store: self }
    }

    /// Strangers who ask, and people who were let in.
    #[must_use]
    pub const fn pairing(&self) -> PairingStore<'_> {
        PairingStore { store: self }
    }

    /// Paired devices, those that ask to be, and their tokens.
    #[must_use]
    pub const fn devices(&self) -> DeviceStore<'_> {
        DeviceStore { store: self }
    }

    /// Codes by which a new device pairs itself.
    #[must_use]
    pub const fn setup_codes(&self) -> SetupCodeStore<'_> {
        SetupCodeStore { store: self }
    }

    /// Devices that do things for the assistant.
    #[must_use]
    pub const fn nodes(&self) -> NodeStore<'_> {
        NodeStore { store: self }
    }

    /// Small values under a name.
    #[must_use]
    pub const fn kv(&self) -> KvStore<'_> {
        KvStore { store: self }
    }
}
