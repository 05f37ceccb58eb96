//! What an update means. Pure: an update and what we know of ourselves go in, what was heard comes out.
//!
//! Each update is read on its own and leniently, so that a new kind of message, or a field nobody knows, takes nothing
//! else with it. `message` is what people write, `lenient` the reading, `files`, `people` and `quoted` its parts.

mod files;
mod happenings;
mod lenient;
mod message;
mod people;
mod quoted;

use homard_channel::{Conversation, InboundEvent, Notice, Sender};
use homard_protocol::{AccountId, ChannelId, PeerId, ThreadId};
use serde_json::Value;

use super::recent::Recent;
use super::settings::Reactions;

/// What we know of ourselves.
pub(super) struct BotContext<'e> {
    pub(super) channel: &'e ChannelId,
    pub(super) account: &'e AccountId,
    pub(super) bot_id: Option<i64>,
    /// Our name, without `@`.
    pub(super) username: Option<&'e str>,
    /// Commands in our menu.
    pub(super) commands: &'e [(String, String)],
    pub(super) reactions: Reactions,
    pub(super) recent: &'e Recent,
    /// For what comes without a time.
    pub(super) now: i64,
}

/// What an update means.
#[derive(Debug, Default, PartialEq)]
pub(super) struct HeardUpdate {
    /// What was heard; at most two things.
    pub(super) heard: Vec<InboundEvent>,
    /// A press of a button that wants to be answered.
    pub(super) callback: Option<String>,
}

/// Why an update means nothing to us.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SkippedUpdate {
    /// It is not what the documentation says.
    #[error("not readable: {0}")]
    Malformed(String),
    /// It is of a kind that is not listened to.
    #[error("of no interest: {0}")]
    Ignored(String),
}

impl HeardUpdate {
    fn of(heard: InboundEvent) -> Self {
        Self { heard: vec![heard], callback: None }
    }
}

/// Reads an update.
pub(super) fn hear(update: &Value, cx: &BotContext<'_>) -> Result<HeardUpdate, SkippedUpdate> {
    let Some(map) = update.as_object() else {
        return Err(SkippedUpdate::Malformed("not an object".to_owned()));
    };
    let update_id = map.get("update_id").and_then(Value::as_i64).unwrap_or_default();
    let Some((kind, content)) = map.iter().find(|(key, _)| key.as_str() != "update_id") else {
        return Err(SkippedUpdate::Ignored("empty".to_owned()));
    };
    match kind.as_str() {
        "message" | "channel_post" => message::hear(content, update_id, cx),
        "callback_query" => message::pressed(content, cx),
        "message_reaction" => happenings::reaction(content, update_id, cx),
        "my_chat_member" => happenings::membership(content, update_id, cx),
        // What was already answered is not answered again because a letter changed.
        other => Err(SkippedUpdate::Ignored(other.to_owned())),
    }
}

impl BotContext<'_> {
    /// Something that is no message.
    fn happening(
        &self,
        update_id: i64,
        place: Conversation,
        (sender, text): (Sender, String),
        date: u64,
    ) -> InboundEvent {
        InboundEvent::Event(Notice {
            channel: self.channel.clone(),
            account: self.account.clone(),
            conversation: place,
            sender,
            key: format!("update:{update_id}"),
            text,
            timestamp: milliseconds(date),
        })
    }

    fn is_us(&self, user: u64) -> bool {
        self.bot_id.is_some_and(|id| i64::try_from(user) == Ok(id))
    }
}

/// The server counts seconds.
fn milliseconds(date: u64) -> i64 {
    i64::try_from(date).unwrap_or(0).saturating_mul(1_000)
}

/// Numbers are always ids.
fn peer(id: i64) -> Result<PeerId, SkippedUpdate> {
    PeerId::parse(&id.to_string()).map_err(|error| SkippedUpdate::Malformed(error.to_string()))
}

fn thread(id: i64) -> Result<ThreadId, SkippedUpdate> {
    ThreadId::parse(&id.to_string()).map_err(|error| SkippedUpdate::Malformed(error.to_string()))
}

#[cfg(test)]
mod tests;
