//! What is asked of an agent: the message as the model is told it, and all that was asked for besides.
//!
//! A [`TurnRequest`] is what is kept in the store and what is carried to the turn; after a restart it is read again and
//! goes the same way.

use homard_policy::queue::{Overflow, QueueOptions};
use homard_protocol::{SessionKey, TurnSource, UserMessage};
use homard_store::{InboxId, RunRecord};
use homard_tools::Label;
use serde::{Deserialize, Serialize};

use crate::delivery::run_delivery::ReplyRoute;
use crate::intake::admit::Admitted;
use crate::intake::origin::Origin;
use crate::turn_setup::program::Program;
use crate::turns::inline::InlineSettings;
use crate::turns::lane::Kind;

/// What comes with a message: what its sender asked for, whose words it is, where the answer goes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnOptions {
    /// By which way it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<TurnSource>,
    /// What holds for this turn only.
    #[serde(flatten)]
    pub settings: InlineSettings,
    /// Time limit of this turn only, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Added to the system prompt of this turn only.
    pub extra_system: Option<String>,
    /// Whose words the message is, where they are not the owner's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// Whether it came from a client that may not change settings.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_admin: bool,
    /// Whether a command in it is only a text.
    #[serde(skip)]
    pub is_plain_text: bool,
    /// How it wants to wait.
    #[serde(skip)]
    pub queue: QueueOptions,
    /// What a program wants that talks to the agent as if it were a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<Box<Program>>,
    /// Where the answer goes beside those who watch the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Box<ReplyRoute>>,
    /// Where its questions are asked, where somebody else delivers what comes of it or was asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks_at: Option<Box<homard_channel::Address>>,
    /// How often restarts cut the turn off before anything came of it.
    #[serde(skip_serializing_if = "is_zero")]
    pub restarts: u32,
    /// Who said it on which platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<Origin>>,
    /// What is remembered of messages that had to go for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow: Option<Box<Overflow>>,
    /// The platform's messages it is made of; they are closed with it.
    #[serde(skip)]
    pub inbox: Vec<InboxId>,
}

impl TurnOptions {
    /// A message that came by `source` and asks for nothing besides.
    #[must_use]
    pub fn of(source: TurnSource) -> Self {
        Self { source: Some(source), ..Self::default() }
    }

    /// The same, with the answer also going to a chat platform.
    #[must_use]
    pub fn replying_to(self, address: Option<homard_channel::Address>) -> Self {
        let route = |address| ReplyRoute { address, message_id: None, was_mentioned: true, is_owner: true };
        Self { reply: address.map(route).map(Box::new), ..self }
    }

    /// The same for a turn nobody typed, where its conversation was last spoken to. Only in the owner's own
    /// conversation is that the owner: in any other somebody else reads what comes.
    #[must_use]
    pub fn speaking_up(self, session: &SessionKey, address: Option<homard_channel::Address>) -> Self {
        let mut options = self.replying_to(address);
        if let Some(reply) = &mut options.reply {
            reply.is_owner = session.is_main();
        }
        options
    }

    /// Whether somebody said it on a chat platform.
    pub(crate) fn is_heard(&self) -> bool {
        self.origin.is_some()
    }

    pub(crate) fn source(&self) -> TurnSource {
        self.source.unwrap_or(TurnSource::Agent)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// All that is kept of a message until its turn, and what is carried there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TurnRequest {
    pub(crate) message: UserMessage,
    #[serde(rename = "overrides", default)]
    pub(crate) options: TurnOptions,
    #[serde(default)]
    pub(crate) kind: Kind,
}

impl TurnRequest {
    /// As it is kept.
    pub(crate) fn to_json(&self) -> String {
        homard_runtime::json::to_text(self)
    }

    /// What was kept of a run; `None` for one that was kept otherwise.
    pub(crate) fn of_record(record: &RunRecord) -> Option<Self> {
        let mut request: Self = serde_json::from_str(record.message.as_deref()?).ok()?;
        request.options.source = record.source.known().or(request.options.source);
        Some(request)
    }

    /// What is kept and carried of a message whose sender may speak.
    pub(crate) fn new(admitted: &Admitted, options: TurnOptions, kind: Kind) -> Self {
        Self { message: admitted.user_message(), options, kind }
    }
}

#[cfg(test)]
mod tests {
    use homard_channel::{Address, ChatKind};
    use homard_protocol::{AccountId, ChannelId, PeerId, SessionKey};

    use super::{TurnOptions, TurnSource};

    #[test]
    fn what_speaks_up_is_the_owners_only_in_the_owners_conversation() {
        let address = Address {
            channel: ChannelId::parse("chatter").unwrap(),
            account: AccountId::default_account(),
            chat: ChatKind::Direct,
            to: PeerId::parse("8").unwrap(),
            thread: None,
        };
        let rows = [
            ("agent:main:main", true),
            ("agent:main:chatter:direct:8", false),
            ("agent:main:chatter:group:-1", false),
        ];
        for (key, is_owner) in rows {
            let key = SessionKey::parse(key).unwrap();
            let options = TurnOptions::of(TurnSource::Wake).speaking_up(&key, Some(address.clone()));
            assert_eq!(options.reply.unwrap().is_owner, is_owner, "{key}");
        }
    }
}
