//! The setup wizard as handlers see it. Which questions there are and what comes of the answers is kept by the
//! program above, which knows models, credentials and settings.

use futures_util::future::BoxFuture;
use homard_protocol::methods::config::wizard::{
    WizardAnswer, WizardStartParams, WizardStarted, WizardState, WizardTurn,
};

/// Sets a gateway up by questions and answers. `auth` is how clients prove themselves at this moment, as `hello-ok`
/// spells it.
pub trait SetupWizard: Send + Sync {
    /// Begins a conversation.
    fn start<'a>(
        &'a self,
        params: &'a WizardStartParams,
        auth: &'static str,
    ) -> BoxFuture<'a, Result<WizardStarted, WizardRefusal>>;
    /// Takes an answer; without one the question is asked again.
    fn next<'a>(
        &'a self,
        session_id: &'a str,
        answer: Option<&'a WizardAnswer>,
        auth: &'static str,
    ) -> BoxFuture<'a, Result<WizardTurn, WizardRefusal>>;
    /// How far a conversation is, and whether it goes on from there.
    fn state<'a>(
        &'a self,
        session_id: &'a str,
        then: AndThen,
    ) -> BoxFuture<'a, Result<WizardState, WizardRefusal>>;
}

/// What becomes of a conversation that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AndThen {
    GoOn,
    Cancel,
}

/// Why the wizard does not do what it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WizardRefusal {
    /// Another gateway would have to be set up.
    #[error(
        "only a local gateway can be set up here; to use another one, set gateway.mode to `remote` on the machine that \
         uses it"
    )]
    Remote,
    /// A platform nobody has.
    #[error("unknown channel; `channels.platforms` lists those there are")]
    NoSuchChannel,
    /// One conversation at a time.
    #[error("a setup is already in progress; finish or cancel it first")]
    Busy,
    /// No conversation has that name.
    #[error("wizard not found")]
    NotFound,
    /// An answer to a question that does not wait for one.
    #[error("wizard: this step is not the one that waits for an answer")]
    NotAsked,
}
