//! What people write, and what they press.

use homard_channel::{Details, Inbound, InboundEvent, Press, Sender};
use serde_json::Value;

use super::people::{self, GENERAL_TOPIC};
use super::{BotContext, HeardUpdate, SkippedUpdate, files, happenings, lenient, milliseconds, peer, quoted};
use crate::telegram::wire::{ChatType, Location, Message, MessageEntity, MessageEntityType, User};

/// The names of the two senders that stand for a chat.
const CHANNEL_RELAY: u64 = 777_000;

/// A message or a post.
pub(super) fn hear(
    content: &Value,
    update_id: i64,
    cx: &BotContext<'_>,
) -> Result<HeardUpdate, SkippedUpdate> {
    let message = lenient::message(content)?;
    let ignored = |why: &str| SkippedUpdate::Ignored(why.to_owned());
    if let Some(moved) = moved(&message, cx)? {
        return Ok(HeardUpdate::of(moved));
    }
    if message.from.as_ref().is_some_and(|user| cx.is_us(user.id)) {
        return Err(ignored("our own"));
    }
    let sender = sender(&message)?;
    let place = people::place(&message.chat, people::topic(&message))?;
    if let Some(text) = happenings::service(&message, &sender, cx) {
        return Ok(HeardUpdate::of(cx.happening(update_id, place, (sender, text), message.date)));
    }
    let mut text = text_of(&message);
    let files = files::files(&message);
    if text.is_empty() && files.is_empty() {
        return Err(ignored("a message without text or file"));
    }
    let entities = message.entities.as_ref().or(message.caption_entities.as_ref());
    let command = Command::at_start(&text, entities, cx);
    let passed_on = passed_on(content);
    let forwarded_from = message.forward_origin.as_ref().map(quoted::origin);
    let details = Details {
        username: handle(&message),
        is_bot: message.sender_chat.is_none() && message.from.as_ref().is_some_and(|user| user.is_bot),
        label: people::title(&message.chat).filter(|_| message.chat.kind != ChatType::Private),
        thread_label: topic_name(&message),
        mentions_us: mentions_us(&message, &text, entities, cx),
        reply_to: quoted::quoted(&message, cx),
        forwarded_from: forwarded_from.or_else(|| passed_on.then(|| "somebody".to_owned())),
        carries: carried(content).map(str::to_owned),
        files,
        part_of: message.media_group_id.as_ref().map(|group| format!("media:{group}")),
        // A command that is only passed on was not chosen here.
        native_command: !passed_on && command.as_ref().is_some_and(|command| command.is_in_menu),
        ..Details::default()
    };
    if let Some(command) = command {
        text = command.text;
    }
    Ok(HeardUpdate::of(InboundEvent::Message(Box::new(Inbound {
        channel: cx.channel.clone(),
        account: cx.account.clone(),
        conversation: place,
        sender,
        message_id: message.message_id.to_string(),
        text,
        images: Vec::new(),
        timestamp: milliseconds(message.date),
        details,
    }))))
}

/// A press of a button below a message.
pub(super) fn pressed(content: &Value, cx: &BotContext<'_>) -> Result<HeardUpdate, SkippedUpdate> {
    let field = |name: &str| content.get(name).unwrap_or(&Value::Null);
    let Some(id) = field("id").as_str() else {
        return Err(SkippedUpdate::Malformed("a press without id".to_owned()));
    };
    let callback = Some(id.to_owned());
    let user: User = lenient::read(field("from"))?;
    let (Some(value), true) = (field("data").as_str(), field("message").is_object()) else {
        return Ok(HeardUpdate { heard: Vec::new(), callback });
    };
    // A message that is too old comes with date 0 and little else.
    let message = lenient::message(field("message"))?;
    let place = people::place(&message.chat, people::topic(&message))?;
    let details = Details {
        username: user.username.clone(),
        is_bot: user.is_bot,
        label: people::title(&message.chat).filter(|_| message.chat.kind != ChatType::Private),
        // Pressing our button is speaking to us.
        mentions_us: Some(true),
        pressed: Some(Press { message_id: message.message_id.to_string(), value: value.to_owned() }),
        ..Details::default()
    };
    let heard = InboundEvent::Message(Box::new(Inbound {
        channel: cx.channel.clone(),
        account: cx.account.clone(),
        conversation: place,
        sender: people::sender(&user)?,
        message_id: format!("callback:{id}"),
        text: format!("callback_data: {value}"),
        images: Vec::new(),
        timestamp: cx.now,
        details,
    }));
    Ok(HeardUpdate { heard: vec![heard], callback })
}

/// What says that a message was written elsewhere, also when it cannot be read or is spelled as it used to be.
const PASSED_ON: [&str; 7] = [
    "forward_date",
    "forward_from",
    "forward_from_chat",
    "forward_origin",
    "forward_sender_name",
    "sender_business_bot",
    "via_bot",
];
/// What a message can hold that its sender did not write, and what to call it.
const CARRIED: [(&str, &str); 5] = [
    ("checklist", "a checklist"),
    ("contact", "a contact card"),
    ("game", "a game"),
    ("poll", "a poll"),
    ("venue", "the name of a place"),
];

/// Whether somebody else wrote a message.
fn passed_on(content: &Value) -> bool {
    PASSED_ON.iter().any(|field| content.get(field).is_some_and(|value| !value.is_null()))
}

/// What a message holds that its sender did not write.
fn carried(content: &Value) -> Option<&'static str> {
    CARRIED
        .iter()
        .find(|(field, _)| content.get(field).is_some_and(|value| !value.is_null()))
        .map(|(_, name)| *name)
}

fn moved(message: &Message, cx: &BotContext<'_>) -> Result<Option<InboundEvent>, SkippedUpdate> {
    let (from, to) = match (message.migrate_to_chat_id, message.migrate_from_chat_id) {
        (Some(to), _) => (message.chat.id, to),
        (None, Some(from)) => (from, message.chat.id),
        (None, None) => return Ok(None),
    };
    let (channel, account) = (cx.channel.clone(), cx.account.clone());
    Ok(Some(InboundEvent::Moved { channel, account, from: peer(from)?, to: peer(to)? }))
}

/// Chats speak through accounts of the app; they are the ones who speak.
fn sender(message: &Message) -> Result<Sender, SkippedUpdate> {
    match (&message.sender_chat, &message.from) {
        (Some(chat), _) => people::chat_sender(chat, message.author_signature.as_ref()),
        (None, Some(user)) if user.id == CHANNEL_RELAY => people::chat_sender(&message.chat, None),
        (None, Some(user)) => people::sender(user),
        (None, None) => people::chat_sender(&message.chat, message.author_signature.as_ref()),
    }
}

fn handle(message: &Message) -> Option<String> {
    match &message.sender_chat {
        Some(chat) => chat.username.clone(),
        None => message.from.as_ref().and_then(|user| user.username.clone()),
    }
}

/// The server tells a topic's name only in the message that began it, which every message in it points to.
fn topic_name(message: &Message) -> Option<String> {
    let began = message.reply_to_message.as_ref()?.forum_topic_created.as_ref()?;
    let topic = people::topic(message)?;
    (topic != GENERAL_TOPIC).then(|| began.name.clone())
}

/// What a message says. Things that are not text are put into words.
pub(super) fn text_of(message: &Message) -> String {
    if let Some(text) = message.text.as_ref().or(message.caption.as_ref()) {
        return text.clone();
    }
    if let Some(venue) = &message.venue {
        return format!("{} — {}, {}", spot(&venue.location), venue.title, venue.address);
    }
    if let Some(location) = &message.location {
        return spot(location);
    }
    if let Some(contact) = &message.contact {
        let last = contact.last_name.as_deref().unwrap_or_default();
        return format!(
            "Contact: {} {}",
            format!("{} {last}", contact.first_name).trim(),
            contact.phone_number
        );
    }
    if let Some(dice) = &message.dice {
        return format!("{} {}", dice.emoji, dice.value);
    }
    if let Some(poll) = &message.poll {
        let options: Vec<&str> = poll.options.iter().map(|option| option.text.as_str()).collect();
        return format!("Poll: {} ({})", poll.question, options.join(" / "));
    }
    match &message.sticker {
        // A picture that moves is told by its emoji.
        Some(sticker) if sticker.is_animated || sticker.is_video => sticker.emoji.clone().unwrap_or_default(),
        _ => String::new(),
    }
}

fn spot(location: &Location) -> String {
    let accuracy = location.horizontal_accuracy.map(|meters| format!(" ±{meters:.0}m")).unwrap_or_default();
    let sign = if location.live_period.is_some() { "🛰 Live location:" } else { "📍" };
    format!("{sign} {:.6}, {:.6}{accuracy}", location.latitude, location.longitude)
}

/// A command at the beginning of a text.
struct Command {
    /// The text without our name behind the command.
    text: String,
    is_in_menu: bool,
}

impl Command {
    /// `None` when there is none, or it is meant for another bot.
    fn at_start(text: &str, entities: Option<&Vec<MessageEntity>>, cx: &BotContext<'_>) -> Option<Self> {
        let is_command = |entity: &&MessageEntity| entity.kind == MessageEntityType::BotCommand;
        let entity = entities?.iter().filter(is_command).find(|entity| entity.offset == 0)?;
        let written = part(text, entity)?;
        let rest = text.get(written.len()..)?;
        let (name, bot) = written.strip_prefix('/')?.split_once('@').unwrap_or((written.get(1..)?, ""));
        if !bot.is_empty() && !cx.username.is_some_and(|own| own.eq_ignore_ascii_case(bot)) {
            return None;
        }
        let is_in_menu = cx.commands.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        Some(Self { text: format!("/{name}{rest}"), is_in_menu })
    }
}

/// Whether we are meant: our `@name` stands there, marked or not. A mention of a person without a name is none, since
/// it cannot be us.
fn mentions_us(
    message: &Message,
    text: &str,
    entities: Option<&Vec<MessageEntity>>,
    cx: &BotContext<'_>,
) -> Option<bool> {
    if message.chat.kind == ChatType::Private {
        return Some(true);
    }
    let own = cx.username?;
    let is_ours = |entity: &MessageEntity| match entity.kind {
        MessageEntityType::Mention => part(text, entity)
            .and_then(|name| name.strip_prefix('@'))
            .is_some_and(|n| n.eq_ignore_ascii_case(own)),
        MessageEntityType::BotCommand => part(text, entity)
            .and_then(|command| command.split_once('@'))
            .is_some_and(|(_, bot)| bot.eq_ignore_ascii_case(own)),
        MessageEntityType::Other => false,
    };
    Some(entities.is_some_and(|all| all.iter().any(is_ours)) || stands_in(text, own))
}

/// Whether `@own` stands in a text as a word.
fn stands_in(text: &str, own: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices('@').any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let rest = text.get(at + 1..).unwrap_or_default();
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        !before.is_some_and(is_word) && rest.get(..end).is_some_and(|name| name.eq_ignore_ascii_case(own))
    })
}

/// The part of a text an entity marks; it counts in UTF-16. `None` when it points outside.
fn part<'t>(text: &'t str, entity: &MessageEntity) -> Option<&'t str> {
    let begin = byte_at(text, usize::from(entity.offset))?;
    let end = byte_at(text, usize::from(entity.offset) + usize::from(entity.length))?;
    text.get(begin..end)
}

fn byte_at(text: &str, units: usize) -> Option<usize> {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        if seen == units {
            return Some(at);
        }
        seen += c.len_utf16();
    }
    (seen == units).then_some(text.len())
}
