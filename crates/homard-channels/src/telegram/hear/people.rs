//! Who speaks and where.

use homard_channel::{Conversation, Sender};

use super::{SkippedUpdate, peer, thread};
use crate::telegram::wire::{Chat, ChatType, Message, User};

/// The topic of a forum that has no number of its own.
pub(super) const GENERAL_TOPIC: i64 = 1;

/// A person's whole name.
pub(super) fn name(user: &User) -> String {
    match &user.last_name {
        Some(last) if !last.is_empty() => format!("{} {last}", user.first_name),
        _ => user.first_name.clone(),
    }
}

/// `Name (@handle)`.
pub(super) fn called(user: &User) -> String {
    match &user.username {
        Some(handle) => format!("{} (@{handle})", name(user)),
        None => name(user),
    }
}

/// A chat's title, or the name of the person it is with.
pub(super) fn title(chat: &Chat) -> Option<String> {
    chat.title.clone().or_else(|| chat.first_name.clone()).filter(|title| !title.is_empty())
}

/// A person as the sender.
pub(super) fn sender(user: &User) -> Result<Sender, SkippedUpdate> {
    let id = i64::try_from(user.id).map_err(|error| SkippedUpdate::Malformed(error.to_string()))?;
    Ok(Sender::Peer { id: peer(id)?, name: Some(name(user)).filter(|name| !name.is_empty()) })
}

/// A chat as the sender: a channel, or a group whose admin hides behind it.
pub(super) fn chat_sender(chat: &Chat, signature: Option<&String>) -> Result<Sender, SkippedUpdate> {
    Ok(Sender::Peer { id: peer(chat.id)?, name: signature.cloned().or_else(|| title(chat)) })
}

/// Where something was said, `topic` being what the server says about topics.
pub(super) fn place(chat: &Chat, topic: Option<i64>) -> Result<Conversation, SkippedUpdate> {
    let id = peer(chat.id)?;
    let topic = topic.map(thread).transpose()?;
    Ok(match chat.kind {
        ChatType::Private => Conversation::Direct { peer: id, thread: topic },
        ChatType::Group | ChatType::Supergroup => Conversation::Group { id, thread: topic },
        ChatType::Channel => Conversation::Room { id, thread: None },
    })
}

/// The topic a message stands in. Outside of forums the server also numbers chains of replies; those are none.
pub(super) fn topic(message: &Message) -> Option<i64> {
    let numbered = message.message_thread_id.map(i64::from);
    if message.chat.kind == ChatType::Private {
        return numbered;
    }
    let is_forum = message.chat.is_forum == Some(true);
    match numbered.filter(|_| message.is_topic_message == Some(true)) {
        Some(topic) => Some(topic),
        None => is_forum.then_some(GENERAL_TOPIC),
    }
}
