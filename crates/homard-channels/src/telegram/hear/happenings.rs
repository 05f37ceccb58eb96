//! What happens beside messages: reactions, people coming and going, pinned messages.

use homard_channel::Sender;
use homard_runtime::Clip;
use serde::Deserialize;
use serde_json::Value;

use super::lenient::read;
use super::people::{self, GENERAL_TOPIC};
use super::{BotContext, HeardUpdate, SkippedUpdate};
use crate::telegram::settings::Reactions;
use crate::telegram::wire::{Chat, Message, MessageReactionUpdated, ReactionType, User};

/// Longest part of a pinned message that is told.
const PINNED_CHARS: usize = 120;

/// Somebody reacted.
pub(super) fn reaction(
    content: &Value,
    update_id: i64,
    cx: &BotContext<'_>,
) -> Result<HeardUpdate, SkippedUpdate> {
    let ignored = |why: &str| SkippedUpdate::Ignored(why.to_owned());
    if cx.reactions == Reactions::Off {
        return Err(ignored("reactions are not told"));
    }
    let reaction: MessageReactionUpdated = read(content)?;
    let message = i64::from(reaction.message_id);
    if cx.reactions == Reactions::Own && !cx.recent.wrote(reaction.chat.id, message) {
        return Err(ignored("a reaction to what others wrote"));
    }
    let (sender, who, is_bot) = match (&reaction.user, &reaction.actor_chat) {
        (Some(user), _) => (people::sender(user)?, people::called(user), user.is_bot),
        (None, Some(chat)) => (
            people::chat_sender(chat, None)?,
            people::title(chat).unwrap_or_else(|| "somebody".to_owned()),
            false,
        ),
        (None, None) => return Err(ignored("a reaction of nobody")),
    };
    if is_bot {
        return Err(ignored("a reaction of a program"));
    }
    let added: Vec<String> =
        reaction.new_reaction.iter().filter(|new| !reaction.old_reaction.contains(new)).map(shown).collect();
    if added.is_empty() {
        return Err(ignored("a reaction was taken back"));
    }
    // The server does not say in which topic.
    let topic = (reaction.chat.is_forum == Some(true)).then_some(GENERAL_TOPIC);
    let text = format!("Telegram reaction added: {} by {who} on msg {message}", added.join(" "));
    let place = people::place(&reaction.chat, topic)?;
    Ok(HeardUpdate::of(cx.happening(update_id, place, (sender, text), reaction.date)))
}

fn shown(reaction: &ReactionType) -> String {
    match reaction {
        ReactionType::Emoji { emoji } => emoji.clone(),
        ReactionType::CustomEmoji { .. } => "a custom emoji".to_owned(),
        ReactionType::Paid => "⭐".to_owned(),
    }
}

/// A change of our own membership, read no further than needed.
#[derive(Deserialize)]
struct Membership {
    chat: Chat,
    from: User,
    date: u64,
    old_chat_member: Status,
    new_chat_member: Status,
}

#[derive(Deserialize)]
struct Status {
    status: String,
}

/// Somebody changed what we may do in a chat.
pub(super) fn membership(
    content: &Value,
    update_id: i64,
    cx: &BotContext<'_>,
) -> Result<HeardUpdate, SkippedUpdate> {
    let change: Membership = read(content)?;
    let is_in = |status: &Status| !matches!(status.status.as_str(), "left" | "kicked");
    let what = match (is_in(&change.old_chat_member), is_in(&change.new_chat_member)) {
        (false, true) => "was added to the chat",
        (true, false) => "was removed from the chat",
        (true, true) if change.new_chat_member.status == "administrator" => "was made an administrator",
        (true, true) if change.old_chat_member.status == "administrator" => "is no longer an administrator",
        _ => return Err(SkippedUpdate::Ignored("nothing of our membership changed".to_owned())),
    };
    let text = format!("Telegram: the bot {what} by {}", people::called(&change.from));
    let place = people::place(&change.chat, None)?;
    let sender = people::sender(&change.from)?;
    Ok(HeardUpdate::of(cx.happening(update_id, place, (sender, text), change.date)))
}

/// A message that the app wrote, not a person; `None` when it is an ordinary one.
pub(super) fn service(message: &Message, sender: &Sender, cx: &BotContext<'_>) -> Option<String> {
    let who = || match sender {
        Sender::Peer { name: Some(name), .. } => name.clone(),
        Sender::Peer { id, name: None } => id.to_string(),
        Sender::Operator => "somebody".to_owned(),
    };
    if let Some(members) = message.new_chat_members.as_deref().filter(|members| !members.is_empty()) {
        let names: Vec<String> =
            members.iter().filter(|user| !cx.is_us(user.id)).take(20).map(people::called).collect();
        return Some(format!("Telegram: {} joined the group", names.join(", ")))
            .filter(|_| !names.is_empty());
    }
    if let Some(user) = &message.left_chat_member {
        return Some(format!("Telegram: {} left the group", people::called(user)))
            .filter(|_| !cx.is_us(user.id));
    }
    if let Some(title) = &message.new_chat_title {
        return Some(format!("Telegram: {} renamed the group to {title}", who()));
    }
    if let Some(pinned) = &message.pinned_message {
        let (id, text) = (pinned.message_id, super::message::text_of(pinned));
        let text = text.clip_chars(PINNED_CHARS).to_owned();
        let said = if text.is_empty() { String::new() } else { format!(": {text}") };
        return Some(format!("Telegram: {} pinned msg {id}{said}", who()));
    }
    None
}
