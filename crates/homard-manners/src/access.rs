//! Who may speak, and who is to be asked for first.

use homard_channel::Inbound;
use homard_protocol::{AccountId, ChannelId};
use serde_json::Value;

/// Decided rules of one of our accounts: `dmPolicy`, `allowFrom`, `groups` and what else all platforms share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AccountRules {}

impl AccountRules {
    /// Reads them from a platform's section, the account's own values over it, `channels.defaults` under it.
    #[must_use]
    pub fn of(
        _channel: &ChannelId,
        _account: &AccountId,
        _section: &Value,
        _defaults: Option<&Value>,
    ) -> Self {
        Self {}
    }
}

/// What a message is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The message.
    pub message: &'a Inbound,
    /// The account's rules.
    pub rules: &'a AccountRules,
    /// Senders the owner has let in by their code.
    pub let_in: &'a [String],
    /// Our name on the platform, as people mention it.
    pub our_name: Option<&'a str>,
}

/// What a sender may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Whether they may use commands.
    pub may_command: bool,
    /// Whether they are the owner.
    pub is_owner: bool,
    /// Whether the message mentions us, or need not.
    pub was_mentioned: bool,
}

/// What becomes of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Its sender may speak.
    Admitted(Standing),
    /// A stranger who may ask to be let in.
    Stranger,
    /// Not for us, but what is said belongs to what comes after: kept as context.
    Overheard,
    /// Not for us, for this reason; the sender learns nothing.
    Refused(Refusal),
}

/// Why a message is not answered, for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nobody allowed them.
    #[error("the sender is not on any allow-list")]
    NotAllowed,
}

/// Judges a message.
#[must_use]
pub fn judge(case: &Case<'_>) -> Verdict {
    let _ = (case.message, case.rules, case.let_in, case.our_name);
    Verdict::Refused(Refusal::NotAllowed)
}
