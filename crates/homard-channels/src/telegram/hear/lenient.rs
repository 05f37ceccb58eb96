//! Reading what the server sends without stumbling over what is new in it.

use frankenstein::types::Message;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Nothing;

/// Fields that are looked at; the rest is not even read.
const USED: [&str; 40] = [
    "animation",
    "audio",
    "author_signature",
    "caption",
    "caption_entities",
    "chat",
    "contact",
    "date",
    "dice",
    "document",
    "entities",
    "external_reply",
    "forum_topic_created",
    "forward_origin",
    "from",
    "is_automatic_forward",
    "is_topic_message",
    "left_chat_member",
    "location",
    "media_group_id",
    "message_id",
    "message_thread_id",
    "migrate_from_chat_id",
    "migrate_to_chat_id",
    "new_chat_members",
    "new_chat_title",
    "photo",
    "pinned_message",
    "poll",
    "quote",
    "reply_markup",
    "reply_to_message",
    "sender_chat",
    "sticker",
    "text",
    "venue",
    "video",
    "video_note",
    "via_bot",
    "voice",
];
/// Without these a message is none.
const NEEDED: [&str; 3] = ["chat", "date", "message_id"];

/// A message. Fields of it that cannot be read are left out; one that says nothing without them means nothing.
pub(super) fn message(value: &Value) -> Result<Message, Nothing> {
    let Some(all) = value.as_object() else {
        return Err(Nothing::Malformed("a message is no object".to_owned()));
    };
    let used: Map<String, Value> = all
        .iter()
        .filter(|(key, _)| USED.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), within(key, value)))
        .collect();
    match read::<Message>(&Value::Object(used.clone())) {
        Ok(message) => Ok(message),
        Err(_) => read(&Value::Object(salvage(used)?)),
    }
}

/// A message inside another is read with as little as the other; it has none inside itself.
fn within(key: &str, value: &Value) -> Value {
    match (key, value) {
        ("reply_to_message" | "pinned_message", Value::Object(inner)) => {
            let keep = |key: &String| {
                USED.contains(&key.as_str()) && key != "reply_to_message" && key != "pinned_message"
            };
            inner
                .iter()
                .filter(|(key, _)| keep(key))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        }
        _ => value.clone(),
    }
}

/// Keeps what can be read, field by field.
fn salvage(all: Map<String, Value>) -> Result<Map<String, Value>, Nothing> {
    let mut core = Map::new();
    for key in NEEDED {
        if let Some(value) = all.get(key) {
            core.insert(key.to_owned(), value.clone());
        }
    }
    read::<Message>(&Value::Object(core.clone()))?;
    let mut kept = core.clone();
    for (key, value) in all {
        let mut alone = core.clone();
        alone.insert(key.clone(), value.clone());
        match read::<Message>(&Value::Object(alone)) {
            Ok(_) => {
                kept.insert(key, value);
            }
            Err(error) => tracing::debug!(field = key, %error, "a field of a Telegram message is left out"),
        }
    }
    Ok(kept)
}

/// Anything else.
pub(super) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Nothing> {
    T::deserialize(value).map_err(|error| Nothing::Malformed(error.to_string()))
}
