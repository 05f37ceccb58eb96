//! May this sender speak?
//!
//! Deny first: an operator the gateway has authenticated may; anybody else may not until a channel's own
//! rules say so.

use homard_channel::{Inbound, Sender};

/// A message whose sender may speak. Only [`admit`] makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    message: Inbound,
}

impl Admitted {
    /// The message.
    #[must_use]
    pub fn message(&self) -> &Inbound {
        &self.message
    }

    /// Gives the message up to the next stage.
    #[must_use]
    pub fn into_message(self) -> Inbound {
        self.message
    }
}

/// Why a sender may not speak. They are not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Nobody allowed them.
    #[error("the sender is not on any allow-list")]
    Stranger,
}

/// Decides whether a sender may speak.
///
/// # Errors
/// [`Refused`] names the reason, for the log.
pub fn admit(message: Inbound) -> Result<Admitted, Refused> {
    match message.sender {
        Sender::Operator => Ok(Admitted { message }),
        Sender::Peer { .. } => Err(Refused::Stranger),
    }
}

#[cfg(test)]
pub(crate) mod tests;
