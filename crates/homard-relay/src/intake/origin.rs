//! Who said a message on which platform: kept with it, so that after a restart its sender is still who they were, and
//! noted on the conversation when its turn begins.

use homard_channel::{Address, ChatKind, Conversation, Details, Inbound, Sender};
use homard_policy::access::{Standing, Verdict};
use homard_protocol::{AccountId, ChannelId, SessionKey};
use homard_runtime::Clip;
use homard_store::{DeliveryContext, SessionEntry, SessionOrigin, SessionPatch};
use serde::{Deserialize, Serialize};

use crate::turns::request::TurnOptions;

/// Longest name of a person or place that is noted, in characters.
const MAX_NAME: usize = 120;
/// How much of what was said is noted, in characters.
const MAX_SAID: usize = 200;

/// Who said a message, where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "facts that are kept as they are, each its own")]
pub struct Origin {
    channel: ChannelId,
    account: AccountId,
    conversation: Conversation,
    sender: Sender,
    may_command: bool,
    is_owner: bool,
    was_mentioned: bool,
    /// Whether what comes by itself in the conversation goes elsewhere all the same: it is the owner's.
    #[serde(default)]
    is_guest: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    space: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<SessionKey>,
    /// The beginning of what was said, for lists.
    #[serde(default)]
    said: String,
}

impl Origin {
    /// What is to be remembered of a message whose sender was judged.
    pub(crate) fn of(message: &Inbound, standing: &Standing, parent: Option<SessionKey>) -> Self {
        let Details { label, space, .. } = &message.details;
        Self {
            channel: message.channel.clone(),
            account: message.account.clone(),
            conversation: message.conversation.clone(),
            sender: message.sender.clone(),
            may_command: standing.may_command,
            is_owner: standing.is_owner,
            was_mentioned: standing.was_mentioned,
            is_guest: false,
            label: label.as_deref().map(short),
            space: space.as_deref().map(short),
            parent,
            said: message.text.clip_chars(MAX_SAID).to_owned(),
        }
    }

    /// The same where the conversation is the owner's: it is answered, and nothing else of it goes to the sender.
    pub(crate) fn by_guest(self) -> Self {
        Self { is_guest: true, ..self }
    }

    /// The beginning of what was said.
    pub(crate) fn said(&self) -> &str {
        &self.said
    }

    /// The message again, of a run that was kept, with the verdict of then.
    pub(crate) fn message(&self, id: String, text: String, timestamp: i64) -> (Inbound, Verdict) {
        let message = Inbound {
            channel: self.channel.clone(),
            account: self.account.clone(),
            conversation: self.conversation.clone(),
            sender: self.sender.clone(),
            message_id: id,
            text,
            images: Vec::new(),
            timestamp,
            details: Details { label: self.label.clone(), space: self.space.clone(), ..Details::default() },
        };
        let standing = Standing {
            may_command: self.may_command,
            is_owner: self.is_owner,
            was_mentioned: self.was_mentioned,
            ..Standing::default()
        };
        (message, Verdict::Admitted(standing))
    }

    /// Notes on a conversation where it takes place, and where its next answer goes.
    pub(crate) fn note_on(self, address: Option<&Address>, entry: &mut SessionEntry) {
        let kind = self.conversation.kind();
        let to = self.conversation.peer().map(ToString::to_string);
        let thread = self.conversation.thread().map(ToString::to_string);
        let (channel, account) = (self.channel.to_string(), self.account.to_string());
        let route = match address {
            Some(address) => (address.to.to_string(), address.thread.as_ref().map(ToString::to_string)),
            None => (to.clone().unwrap_or_default(), thread.clone()),
        };
        entry.chat_type = Some(kind.into());
        entry.channel.get_or_insert_with(|| channel.clone());
        if !self.is_guest {
            entry.delivery_context = Some(DeliveryContext {
                channel: Some(channel.clone()),
                to: Some(route.0.clone()),
                account_id: Some(account.clone()),
                thread_id: route.1.clone(),
            });
            entry.last_channel = Some(channel.clone());
            entry.last_account_id = Some(account.clone());
            (entry.last_to, entry.last_thread_id) = (Some(route.0), route.1);
        }
        let label = self.label.or_else(|| match &self.sender {
            Sender::Peer { name: Some(name), .. } if kind == ChatKind::Direct => Some(short(name)),
            Sender::Peer { .. } | Sender::Operator => to.clone(),
        });
        if kind != ChatKind::Direct {
            entry.group_id.clone_from(&to);
            entry.subject.clone_from(&label);
            entry.space.clone_from(&self.space);
            if let Some(label) = &label {
                entry.display_name = Some(format!("{channel}:{label}"));
            }
        }
        if let Some(parent) = self.parent {
            entry.parent_session_key.get_or_insert_with(|| parent.to_string());
        }
        let from = match &self.sender {
            Sender::Peer { id, .. } if kind == ChatKind::Direct => Some(format!("{channel}:{id}")),
            Sender::Peer { .. } => to.as_ref().map(|to| format!("{channel}:{}:{to}", kind.as_str())),
            Sender::Operator => None,
        };
        entry.origin = Some(SessionOrigin {
            label,
            provider: Some(channel.clone()),
            surface: Some(channel),
            chat_type: Some(kind.into()),
            from,
            to,
            account_id: Some(account),
            thread_id: thread,
        });
    }
}

/// The change of a session with which the turn of such a message begins.
pub(crate) fn patch(options: &TurnOptions) -> Option<SessionPatch> {
    let origin = options.origin.clone()?;
    let address = options.reply.as_ref().map(|reply| reply.address.clone());
    Some(Box::new(move |entry| origin.note_on(address.as_ref(), entry)))
}

/// A name of a person or place, on one line and not too long.
fn short(name: &str) -> String {
    let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests;
