//! May this sender speak?
//!
//! Deny first: an operator the gateway has authenticated may; anybody else only as the rules of company have judged,
//! and that judgement is what makes an [`Admitted`] of their message.

use homard_channel::{Inbound, Sender};
use homard_policy::access::{Standing, Verdict};
use homard_protocol::{AgentId, SessionKey, UserBlock, UserContent, UserMessage};

use crate::intake::route::Route;

/// A message whose sender may speak, where it belongs. Only this file makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    message: Inbound,
    /// What its run is called.
    run: String,
    route: Route,
    standing: Standing,
}

impl Admitted {
    /// The conversation.
    #[must_use]
    pub fn session_key(&self) -> &SessionKey {
        self.route.session_key()
    }

    /// Who answers.
    #[must_use]
    pub fn agent(&self) -> &AgentId {
        self.route.agent()
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &Inbound {
        &self.message
    }

    /// What its run is called.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// What its sender may do.
    #[must_use]
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The same with other words: what is left of a command, what a skill makes of it.
    #[must_use]
    pub(crate) fn with_text(mut self, text: String) -> Self {
        self.reword(text);
        self
    }

    /// Says it with other words.
    pub(crate) fn reword(&mut self, text: String) {
        self.message.text = text;
    }

    /// The same with pictures beside the words.
    #[must_use]
    pub(crate) fn with_pictures(mut self, pictures: Vec<UserBlock>) -> Self {
        self.message.images = pictures;
        self
    }

    /// The same as another run.
    #[must_use]
    pub(crate) fn with_run(self, run: String) -> Self {
        Self { run, ..self }
    }

    /// What the model is told.
    pub(crate) fn user_message(&self) -> UserMessage {
        let message = &self.message;
        let content = if message.images.is_empty() {
            UserContent::Text(message.text.clone())
        } else {
            let text = (!message.text.is_empty()).then(|| UserBlock::text(message.text.clone()));
            UserContent::Blocks(text.into_iter().chain(message.images.iter().cloned()).collect())
        };
        let idempotency_key = Some(format!("{}:user", self.run));
        UserMessage { content, timestamp: message.timestamp, idempotency_key }
    }
}

/// Why a sender may not speak. They are not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the sender is not on any allow-list")]
    Stranger,
}

/// What the owner may do.
pub(crate) fn owners_standing() -> Standing {
    Standing { may_command: true, is_owner: true, was_mentioned: true, ..Standing::default() }
}

/// Decides whether a sender may speak whom nobody has judged: the gateway's own operators, whose message names its run.
///
/// # Errors
/// [`Refused`] names the reason, for the log.
pub fn admit(message: Inbound, route: Route, without_admin: bool) -> Result<Admitted, Refused> {
    match message.sender {
        // Commands that change settings are the owner's, like the methods that do.
        Sender::Operator => {
            let standing = Standing { is_owner: !without_admin, ..owners_standing() };
            let run = message.message_id.clone();
            Ok(Admitted { message, run, route, standing })
        }
        Sender::Peer { .. } => Err(Refused::Stranger),
    }
}

/// Admits somebody on a chat platform, as they were judged. An adapter's word that it is an operator is worth nothing.
///
/// # Errors
/// [`Refused`] for every verdict but that they may speak.
pub(crate) fn admit_judged(
    message: Inbound,
    run: String,
    route: Route,
    verdict: Verdict,
) -> Result<Admitted, Refused> {
    match (verdict, &message.sender) {
        (Verdict::Admitted(standing), Sender::Peer { .. }) => Ok(Admitted { message, run, route, standing }),
        (Verdict::Admitted(_), Sender::Operator)
        | (Verdict::Stranger | Verdict::Overheard | Verdict::Refused(_), _) => Err(Refused::Stranger),
    }
}

#[cfg(test)]
pub(crate) mod tests;
