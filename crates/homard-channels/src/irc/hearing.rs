//! From a line somebody said to a message the relay understands.

use std::collections::BTreeMap;

use homard_channel::{Conversation, Details, Inbound, Sender};
use homard_protocol::{AccountId, ChannelId, PeerId};
use homard_runtime::{Clip, Clock, hex};
use sha2::{Digest, Sha256};

use super::casemap::CaseMapping;
use super::plain;
use super::wire::{Mask, Tags};

/// A server's time that is further ahead of ours than this is not believed, in milliseconds.
const MAX_AHEAD_MS: i64 = 60_000;
/// Bytes of a fingerprint of a line that make it unlike others of the same millisecond.
const LINE_PRINT: usize = 8;
/// Longest topic that is passed on, in characters.
const MAX_TOPIC: usize = 400;

/// Who hears: which account, and how what it hears is named.
#[derive(Debug)]
pub(super) struct BotContext {
    channel: ChannelId,
    account: AccountId,
    clock: Clock,
    /// Names this connection; no other ever has the same.
    connection: String,
    heard: u64,
    /// The last name made from a time, and how often it was made in a row.
    last_name: (String, u32),
}

/// A message between people, as its line says.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpokenLine<'a> {
    pub(super) mask: &'a Mask,
    pub(super) tags: &'a Tags,
    /// The channel it was said in, as the server spells it; `None` when it was said to us alone.
    pub(super) room: Option<&'a str>,
    /// As it came, with codes.
    pub(super) text: &'a str,
}

/// What must be known of the server to understand it.
#[derive(Debug, Clone, Copy)]
pub(super) struct IrcPlace<'a> {
    pub(super) our_nick: &'a str,
    pub(super) mapping: CaseMapping,
    /// What channels are about, by their folded names.
    pub(super) topics: &'a BTreeMap<String, String>,
}

impl BotContext {
    pub(super) fn new(channel: ChannelId, account: AccountId, clock: Clock) -> Self {
        let connection = uuid::Uuid::new_v4().simple().to_string().clip_chars(12).to_owned();
        Self { channel, account, clock, connection, heard: 0, last_name: (String::new(), 0) }
    }

    /// The message, unless nothing is left of it without its codes.
    pub(super) fn message(&mut self, spoken: SpokenLine<'_>, place: IrcPlace<'_>) -> Option<Inbound> {
        let SpokenLine { mask, tags, room, text } = spoken;
        let text = said_by(mask, text)?;
        let fold = |name: &str| place.mapping.fold(name);
        let id = PeerId::parse(&fold(&mask.nick)).ok()?;
        let conversation = match room {
            Some(room) => Conversation::Group { id: PeerId::parse(&fold(room)).ok()?, thread: None },
            None => Conversation::Direct { peer: id.clone(), thread: None },
        };
        let topic = room.and_then(|room| place.topics.get(&fold(room))).filter(|topic| !topic.is_empty());
        let details = Details {
            username: Some(mask.nick.clone()),
            also_known_as: also_known_as(mask, tags, &fold),
            vouched: Some(services_account(tags).into_iter().collect()),
            is_bot: tags.bot,
            label: room.map(str::to_owned),
            mentions_us: Some(room.is_none() || plain::mentions(&text, place.our_nick, place.mapping)),
            about: topic.map(|topic| about(topic)).into_iter().collect(),
            ..Details::default()
        };
        Some(Inbound {
            channel: self.channel.clone(),
            account: self.account.clone(),
            conversation,
            sender: Sender::Peer { id, name: Some(mask.nick.clone()) },
            message_id: self.name(spoken),
            text: plain::without_address(&text, place.our_nick, place.mapping).to_owned(),
            images: Vec::new(),
            timestamp: self.when(tags),
            details,
        })
    }

    fn when(&self, tags: &Tags) -> i64 {
        let now = self.clock.now_ms();
        tags.time.filter(|time| *time <= now.saturating_add(MAX_AHEAD_MS)).unwrap_or(now)
    }

    /// The name under which hearing a message twice is harmless: the server's; or, where it tells the time, one that
    /// is the same when somebody between us and the server plays the line again; or one of this connection.
    fn name(&mut self, spoken: SpokenLine<'_>) -> String {
        self.heard += 1;
        if let Some(id) = &spoken.tags.msgid {
            return id.clone();
        }
        let Some(time) = spoken.tags.time else { return format!("{}-{}", self.connection, self.heard) };
        let line = format!("{}\0{}\0{}", spoken.mask.nick, spoken.room.unwrap_or_default(), spoken.text);
        let print = hex(Sha256::digest(line).iter().take(LINE_PRINT));
        let name = format!("{time}-{print}");
        if self.last_name.0 == name {
            // Somebody said the same twice within a millisecond.
            self.last_name.1 += 1;
            return format!("{name}-{}", self.last_name.1);
        }
        self.last_name = (name.clone(), 1);
        name
    }
}

/// What a person said. What they did (`/me waves`) is told as such; other words between programs are no message.
fn said_by(mask: &Mask, text: &str) -> Option<String> {
    let text = match plain::ctcp(text) {
        None => plain::without_codes(text),
        Some((verb, did)) if verb.eq_ignore_ascii_case("ACTION") => {
            let did = plain::without_codes(did);
            if did.is_empty() { String::new() } else { format!("* {} {did}", mask.nick) }
        }
        Some(_) => String::new(),
    };
    Some(text).filter(|text| !text.is_empty())
}

/// The account somebody has logged in to: the one name nobody else can take.
fn services_account(tags: &Tags) -> Option<String> {
    tags.account.as_ref().map(|account| format!("account:{}", account.to_ascii_lowercase()))
}

/// The names by which allow-lists may know somebody beside their nick.
fn also_known_as(mask: &Mask, tags: &Tags, fold: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut names = Vec::new();
    // A nick with brackets has another letter in its folded spelling than people write.
    let written = mask.nick.to_ascii_lowercase();
    if written != fold(&mask.nick) {
        names.push(written);
    }
    if !mask.user.is_empty() {
        let user = mask.user.to_ascii_lowercase();
        let nick = mask.nick.to_ascii_lowercase();
        names.push(format!("{nick}!{user}"));
        if !mask.host.is_empty() {
            names.push(format!("{nick}!{user}@{}", mask.host.to_ascii_lowercase()));
        }
    }
    names.extend(services_account(tags));
    names
}

fn about(topic: &str) -> String {
    let topic = plain::without_codes(topic).clip_chars(MAX_TOPIC).to_owned();
    format!("Topic: {topic}")
}

#[cfg(test)]
mod tests;
