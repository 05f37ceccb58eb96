//! Reading what the server sends without stumbling over what is new in it.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::SkippedUpdate;
use crate::telegram::wire::Message;

/// Without these a message is none.
const NEEDED: [&str; 3] = ["chat", "date", "message_id"];

/// A message. Fields of it that cannot be read are left out; one that says nothing without them means nothing.
pub(super) fn message(value: &Value) -> Result<Message, SkippedUpdate> {
    let Some(all) = value.as_object() else {
        return Err(SkippedUpdate::Malformed("a message is no object".to_owned()));
    };
    match read::<Message>(value) {
        Ok(message) => Ok(message),
        Err(_) => read(&Value::Object(salvage(all)?)),
    }
}

/// Keeps what can be read, field by field.
fn salvage(all: &Map<String, Value>) -> Result<Map<String, Value>, SkippedUpdate> {
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
                kept.insert(key.clone(), value.clone());
            }
            Err(error) => tracing::debug!(field = key, %error, "a field of a Telegram message is left out"),
        }
    }
    Ok(kept)
}

/// Anything else.
pub(super) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, SkippedUpdate> {
    T::deserialize(value).map_err(|error| SkippedUpdate::Malformed(error.to_string()))
}
