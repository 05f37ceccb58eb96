//! Where the answer of a turn goes when it was asked for on a chat platform. Kept with the message, so that it is
//! known after a restart and travels with a message that waits.

use homard_channel::Address;
use serde::{Deserialize, Serialize};

/// Where an answer goes, and what decides how it is shown on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyRoute {
    pub address: Address,
    /// The message that is answered.
    pub message_id: Option<String>,
    /// Whether we were meant: a direct message, or a mention in a group.
    pub was_mentioned: bool,
    /// Whether the owner asked.
    pub is_owner: bool,
}
