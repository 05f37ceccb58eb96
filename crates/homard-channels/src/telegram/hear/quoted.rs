//! What a message answers to, and where it was forwarded from.

use homard_channel::Quoted;

use super::files::files;
use super::people::{called, name, title};
use super::{BotContext, message::text_of};
use crate::telegram::wire::{Message, MessageOrigin};

/// What a message answers to. In a topic every message "answers" to the one that began the topic; that is none.
pub(super) fn quoted(message: &Message, cx: &BotContext<'_>) -> Option<Quoted> {
    let marked = message.quote.as_ref().map(|quote| quote.text.clone());
    let is_part = marked.is_some();
    if let Some(original) = message.reply_to_message.as_deref() {
        if original.forum_topic_created.is_some() {
            return None;
        }
        return Some(Quoted {
            message_id: original.message_id.to_string(),
            sender: speaker(original),
            text: marked.unwrap_or_else(|| gist(original)),
            is_part,
            is_ours: original.from.as_ref().is_some_and(|user| cx.is_us(user.id)),
        });
    }
    let elsewhere = message.external_reply.as_ref()?;
    Some(Quoted {
        message_id: elsewhere.message_id.map(|id| id.to_string()).unwrap_or_default(),
        sender: Some(origin(&elsewhere.origin)),
        text: marked.unwrap_or_default(),
        is_part,
        is_ours: false,
    })
}

fn speaker(message: &Message) -> Option<String> {
    match (&message.sender_chat, &message.from) {
        (Some(chat), _) => title(chat),
        (None, Some(user)) => Some(name(user)),
        (None, None) => None,
    }
}

/// What a message says, in a few words when it is a file.
fn gist(message: &Message) -> String {
    let text = text_of(message);
    if !text.is_empty() {
        return text;
    }
    let first = files(message).into_iter().next();
    first.map(|file| format!("<media:{}>", file.kind.placeholder())).unwrap_or_default()
}

/// Where a message comes from, in words.
pub(super) fn origin(origin: &MessageOrigin) -> String {
    let signed = |title: Option<String>, signature: Option<&String>| {
        let title = title.unwrap_or_else(|| "a chat".to_owned());
        match signature {
            Some(signature) => format!("{title} ({signature})"),
            None => title,
        }
    };
    match origin {
        MessageOrigin::User { sender_user } => called(sender_user),
        MessageOrigin::HiddenUser { sender_user_name } => sender_user_name.clone(),
        MessageOrigin::Chat { sender_chat, author_signature } => {
            signed(title(sender_chat), author_signature.as_ref())
        }
        MessageOrigin::Channel { chat, author_signature } => signed(title(chat), author_signature.as_ref()),
    }
}
