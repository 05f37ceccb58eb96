//! Who may speak, and who is to be asked for first.
//!
//! [`AccountRules`] is what the owner wrote, decided; [`judge`] passes one message through the gates in order: may
//! programs speak, the policy for direct messages or for groups, is this group listed, is this sender listed, may they
//! use commands, are we meant at all. Ids decide; names never do unless the owner says so.

mod allow;
mod bots;
mod commands;
mod gates;
mod history;
mod invisible;
mod mentions;
mod pairing;
mod places;
mod read;
mod rules;

use homard_channel::{Inbound, Sender};
use homard_protocol::session_words::GroupActivation;

pub use allow::{AllowList, MatchSource, NameMatching, SenderIdentity};
pub use bots::{BotLoops, LoopLimit};
pub use commands::CommandRules;
pub use gates::may_be_told;
pub use history::GroupHistory;
pub use mentions::{MentionPatterns, PatternSources};
pub use pairing::{owner_ids, pairing_reply, plain_name};
pub use places::{DirectRules, GroupRules, Groups, PlaceRules};
pub use rules::{
    AccountRules, AllowBots, Coalesce, DmPolicy, GroupPolicy, HeartbeatShown, SpeakRules, StreamMode,
};

/// What a message is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    pub message: &'a Inbound,
    pub rules: &'a AccountRules,
    /// Senders the owner has let in by their code; they count in direct messages only.
    pub let_in: &'a [String],
    /// Our name on the platform, as people mention it.
    pub our_name: Option<&'a str>,
    /// Who may use commands, and who is the owner.
    pub commands: &'a CommandRules,
    /// Whether the message is a command and nothing else.
    pub is_command: bool,
    /// What counts as our name for the agent that would answer.
    pub patterns: &'a MentionPatterns,
    /// What `/activation` said in the conversation it belongs to.
    pub activation: Option<GroupActivation>,
    /// How many messages of programs came in a row there, this one included; [`BotLoops::heard`] counts.
    pub bots_in_a_row: usize,
}

/// What a sender may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Whether they may use commands.
    pub may_command: bool,
    /// Whether they are the owner.
    pub is_owner: bool,
    /// Whether the message mentions us; always so in direct messages.
    pub was_mentioned: bool,
    /// What on the allow-list let them in; `None` where no list was asked.
    pub matched: Option<MatchSource>,
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
    /// The account is off.
    #[error("the account is turned off")]
    AccountOff,
    /// A program wrote it.
    #[error("a program wrote it, and programs are not answered here (allowBots)")]
    Bot,
    /// Programs answer each other.
    #[error("too many messages of programs in a row (botLoopProtection)")]
    BotLoop,
    /// Nobody is answered in direct messages.
    #[error("direct messages are turned off (dmPolicy)")]
    DmsOff,
    /// Nobody is answered in groups.
    #[error("groups are turned off (groupPolicy)")]
    GroupsOff,
    /// The group is not one of those that are listed.
    #[error("the group is not listed (groups)")]
    GroupNotListed,
    /// The group or the topic is turned off.
    #[error("the group or topic is turned off (enabled)")]
    GroupOff,
    #[error("the sender is not on any allow-list")]
    NotAllowed,
    /// They may speak, but not command.
    #[error("the sender may not use commands")]
    CommandNotAllowed,
}

/// Judges a message.
#[must_use]
pub fn judge(case: &Case<'_>) -> Verdict {
    if matches!(case.message.sender, Sender::Operator) {
        return Verdict::Admitted(Standing {
            may_command: true,
            is_owner: true,
            was_mentioned: true,
            matched: None,
        });
    }
    gates::pass(case).unwrap_or_else(|verdict| verdict)
}

#[cfg(test)]
mod tests;
