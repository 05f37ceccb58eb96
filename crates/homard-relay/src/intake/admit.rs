//! May this sender speak?
//!
//! Deny first: an operator the gateway has authenticated may; anybody else only as the rules of company have judged,
//! and that judgement is what makes an [`Admitted`] of their message.

use homard_channel::{Inbound, Sender};
use homard_policy::access::{Standing, Verdict};

/// A message whose sender may speak. Only this file makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    message: Inbound,
    standing: Standing,
}

impl Admitted {
    /// The message.
    #[must_use]
    pub fn message(&self) -> &Inbound {
        &self.message
    }

    /// What its sender may do.
    #[must_use]
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Gives both up to the next stage.
    #[must_use]
    pub fn into_parts(self) -> (Inbound, Standing) {
        (self.message, self.standing)
    }
}

/// Why a sender may not speak. They are not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Nobody allowed them.
    #[error("the sender is not on any allow-list")]
    Stranger,
}

/// What the owner may do.
pub(crate) fn owners_standing() -> Standing {
    Standing { may_command: true, is_owner: true, was_mentioned: true, ..Standing::default() }
}

/// Decides whether a sender may speak whom nobody has judged: the gateway's own operators.
///
/// # Errors
/// [`Refused`] names the reason, for the log.
pub fn admit(message: Inbound, without_admin: bool) -> Result<Admitted, Refused> {
    match message.sender {
        // Commands that change settings are the owner's, like the methods that do.
        Sender::Operator => {
            let standing = Standing { is_owner: !without_admin, ..owners_standing() };
            Ok(Admitted { message, standing })
        }
        Sender::Peer { .. } => Err(Refused::Stranger),
    }
}

/// Admits somebody on a chat platform, as they were judged. An adapter's word that it is an operator is worth nothing.
///
/// # Errors
/// [`Refused`] for every verdict but that they may speak.
pub(crate) fn admit_judged(message: Inbound, verdict: Verdict) -> Result<Admitted, Refused> {
    match (verdict, &message.sender) {
        (Verdict::Admitted(standing), Sender::Peer { .. }) => Ok(Admitted { message, standing }),
        (Verdict::Admitted(_), Sender::Operator)
        | (Verdict::Stranger | Verdict::Overheard | Verdict::Refused(_), _) => Err(Refused::Stranger),
    }
}

#[cfg(test)]
pub(crate) mod tests;
