//! A stranger on a chat platform asks to be let in, and what was decided.

use serde::Serialize;

use super::devices::PairDecision;
use crate::event::{Event, Guard};
use crate::methods::channels::pairing_rows::PairingRow;
use crate::scope::Scope;

/// `channels.pairing.requested`: a stranger waits for the owner.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct ChannelsPairingRequestedEvent(pub PairingRow);

impl Event for ChannelsPairingRequestedEvent {
    const NAME: &'static str = "channels.pairing.requested";
    const GUARD: Guard = Guard::Operator(Scope::Pairing);

    fn droppable(&self) -> bool {
        true
    }
}

/// `channels.pairing.resolved`: a stranger waits no more.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelsPairingResolvedEvent {
    /// Which request: the code the stranger was told.
    pub request_id: String,
    pub channel: String,
    /// The account they wrote to.
    pub account_id: String,
    /// Who they are to the platform.
    pub sender_id: String,
    /// What was decided; one who is forgotten is rejected and may ask again.
    pub decision: PairDecision,
    pub ts: i64,
}

impl Event for ChannelsPairingResolvedEvent {
    const NAME: &'static str = "channels.pairing.resolved";
    const GUARD: Guard = Guard::Operator(Scope::Pairing);

    fn droppable(&self) -> bool {
        true
    }
}
