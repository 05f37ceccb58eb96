//! What the `message` tool asks of the room that speaks to people on chat platforms.

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::PortError;
use crate::cx::ToolCx;

/// Write to people on chat platforms: send, answer, react, edit, delete, pin, ask by poll, begin threads.
/// Without a target it goes to this conversation, to which your final answer goes anyway: use it there only for
/// files, reactions, polls and messages before the end, and then answer NO_REPLY. Targets: an id with its platform
/// (`telegram:123456789`, `telegram:-1001234:topic:7`, `irc:#room`, `irc:nick`) or an id alone with `channel`. To send
/// a file: {"action":"send","media":"chart.png","caption":"May"}. A poll:
/// {"action":"poll","pollQuestion":"When?","pollOption":["Mon","Tue"]}. Write to others only when you were asked to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_excessive_bools, reason = "these are the arguments models know")]
pub struct MessageArgs {
    /// What to do; `send` when left out.
    pub action: MessageVerb,
    /// The platform.
    pub channel: Option<String>,
    /// To whom, or where.
    #[serde(alias = "to", alias = "chatId", alias = "channelId", deserialize_with = "text_or_number")]
    #[schemars(with = "Option<String>")]
    pub target: Option<String>,
    /// For broadcast.
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub targets: Vec<String>,
    /// Which of our accounts speaks.
    #[serde(alias = "account")]
    pub account_id: Option<String>,
    /// The text, in Markdown.
    #[serde(alias = "text", alias = "content")]
    pub message: Option<String>,
    /// A file: a path, an http(s) address or a data URL.
    #[serde(alias = "mediaUrl", alias = "path", alias = "filePath")]
    pub media: Option<String>,
    /// More files.
    #[serde(alias = "mediaUrls", deserialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub more_media: Vec<String>,
    /// A file in base64.
    pub buffer: Option<String>,
    /// Its name.
    pub filename: Option<String>,
    /// Its media type.
    #[serde(alias = "mimeType")]
    pub content_type: Option<String>,
    /// The text beside a file.
    pub caption: Option<String>,
    /// The message that is answered.
    #[serde(alias = "replyToId", deserialize_with = "text_or_number")]
    #[schemars(with = "Option<String>")]
    pub reply_to: Option<String>,
    /// The thread or topic.
    #[serde(deserialize_with = "text_or_number")]
    #[schemars(with = "Option<String>")]
    pub thread_id: Option<String>,
    /// The message that is reacted to, edited, deleted or pinned.
    #[serde(deserialize_with = "text_or_number")]
    #[schemars(with = "Option<String>")]
    pub message_id: Option<String>,
    /// For react.
    pub emoji: Option<String>,
    /// For react: takes ours back.
    pub remove: bool,
    /// Sound as a voice message.
    pub as_voice: bool,
    /// A picture as a file.
    #[serde(alias = "asDocument")]
    pub force_document: bool,
    /// A film as a moving picture.
    pub gif_playback: bool,
    /// Without a sound.
    pub silent: bool,
    /// Rows of buttons below the text.
    pub buttons: Vec<Vec<ButtonArgs>>,
    /// For poll.
    #[serde(alias = "question")]
    pub poll_question: Option<String>,
    /// For poll: two or more.
    #[serde(alias = "pollOptions", alias = "options", deserialize_with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub poll_option: Vec<String>,
    /// For poll: more than one may be chosen.
    pub poll_multi: bool,
    /// For poll.
    #[serde(alias = "durationHours")]
    pub poll_duration_hours: Option<u64>,
    /// For poll.
    #[serde(alias = "durationSeconds")]
    pub poll_duration_seconds: Option<u64>,
    /// For poll: whether nobody sees who chose what.
    #[serde(alias = "isAnonymous")]
    pub poll_anonymous: Option<bool>,
    /// For thread-create.
    #[serde(alias = "name")]
    pub thread_name: Option<String>,
    /// Only say what would be sent, and where.
    pub dry_run: bool,
}

/// What can be done with messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MessageVerb {
    /// Send.
    #[default]
    Send,
    /// Send to several.
    Broadcast,
    /// Answer a message.
    Reply,
    /// React to one.
    React,
    /// Change one of ours.
    Edit,
    /// Take one back.
    #[serde(alias = "unsend")]
    Delete,
    /// Pin one.
    Pin,
    /// Unpin it.
    Unpin,
    /// Ask people to choose.
    Poll,
    /// Begin a thread.
    ThreadCreate,
    /// Write in a thread.
    ThreadReply,
    /// Send a sticker: `media` is its file.
    Sticker,
    /// Send a file.
    #[serde(rename = "sendAttachment", alias = "send-attachment")]
    SendAttachment,
}

impl MessageVerb {
    /// The word models and programs use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Broadcast => "broadcast",
            Self::Reply => "reply",
            Self::React => "react",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Pin => "pin",
            Self::Unpin => "unpin",
            Self::Poll => "poll",
            Self::ThreadCreate => "thread-create",
            Self::ThreadReply => "thread-reply",
            Self::Sticker => "sticker",
            Self::SendAttachment => "sendAttachment",
        }
    }
}

/// A button below a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ButtonArgs {
    /// What it says.
    pub text: String,
    /// What comes back when it is pressed.
    #[serde(default, alias = "callbackData", alias = "value")]
    pub callback_data: Option<String>,
}

/// The room that speaks to people on chat platforms.
pub trait MessagePort: Send + Sync {
    /// Whether there is any platform to speak on; without one the tool is not offered.
    fn is_anywhere(&self) -> bool;

    /// Does as wished, on behalf of the conversation the call was made in.
    fn act<'a>(&'a self, cx: &'a ToolCx, wish: MessageArgs) -> BoxFuture<'a, Result<Value, PortError>>;
}

/// Ids are numbers on some platforms, and models write them so.
fn text_or_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Value>::deserialize(from)?.and_then(text_of))
}

/// A list, or one alone.
fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match Option::<Value>::deserialize(from)? {
        Some(Value::Array(items)) => items.into_iter().filter_map(text_of).collect(),
        Some(one) => text_of(one).into_iter().collect(),
        None => Vec::new(),
    })
}

fn text_of(value: Value) -> Option<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{MessageArgs, MessageVerb};

    #[test]
    fn models_write_ids_as_numbers_and_lists_as_one() {
        let wish: MessageArgs = serde_json::from_value(json!({
            "action": "unsend", "to": -100_123, "messageId": 7, "targets": "a", "pollOption": ["x", 2],
        }))
        .unwrap();
        assert_eq!(wish.action, MessageVerb::Delete);
        assert_eq!((wish.target.as_deref(), wish.message_id.as_deref()), (Some("-100123"), Some("7")));
        assert_eq!(
            (wish.targets, wish.poll_option),
            (vec!["a".to_owned()], vec!["x".to_owned(), "2".to_owned()])
        );
    }

    #[test]
    fn every_verb_is_read_as_it_is_written() {
        for verb in [
            MessageVerb::Send,
            MessageVerb::Broadcast,
            MessageVerb::Reply,
            MessageVerb::React,
            MessageVerb::Edit,
            MessageVerb::Delete,
            MessageVerb::Pin,
            MessageVerb::Unpin,
            MessageVerb::Poll,
            MessageVerb::ThreadCreate,
            MessageVerb::ThreadReply,
            MessageVerb::Sticker,
            MessageVerb::SendAttachment,
        ] {
            assert_eq!(serde_json::to_value(verb).unwrap(), json!(verb.as_str()));
            assert_eq!(serde_json::from_value::<MessageVerb>(json!(verb.as_str())).unwrap(), verb);
        }
    }
}
