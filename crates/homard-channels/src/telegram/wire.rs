//! What the Bot API sends, as far as it is looked at: its documentation's names, and only the fields we use. What is
//! new in an update is passed over. What we send is written as [`Params`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A chat of any kind.
#[derive(Debug, Deserialize)]
pub(super) struct Chat {
    pub(super) id: i64,
    #[serde(rename = "type")]
    pub(super) kind: ChatType,
    pub(super) title: Option<String>,
    pub(super) username: Option<String>,
    pub(super) first_name: Option<String>,
    pub(super) is_forum: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChatType {
    Private,
    Group,
    Supergroup,
    Channel,
}

/// A person or a program.
#[derive(Debug, Deserialize)]
pub(super) struct User {
    pub(super) id: u64,
    pub(super) is_bot: bool,
    pub(super) first_name: String,
    pub(super) last_name: Option<String>,
    pub(super) username: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) message_id: i32,
    pub(super) date: u64,
    pub(super) chat: Chat,
    pub(super) animation: Option<File>,
    pub(super) audio: Option<File>,
    pub(super) author_signature: Option<String>,
    pub(super) caption: Option<String>,
    pub(super) caption_entities: Option<Vec<MessageEntity>>,
    pub(super) contact: Option<Contact>,
    pub(super) dice: Option<Dice>,
    pub(super) document: Option<File>,
    pub(super) entities: Option<Vec<MessageEntity>>,
    pub(super) external_reply: Option<ExternalReplyInfo>,
    pub(super) forum_topic_created: Option<ForumTopicCreated>,
    pub(super) forward_origin: Option<MessageOrigin>,
    pub(super) from: Option<User>,
    pub(super) is_topic_message: Option<bool>,
    pub(super) left_chat_member: Option<User>,
    pub(super) location: Option<Location>,
    pub(super) media_group_id: Option<String>,
    pub(super) message_thread_id: Option<i32>,
    pub(super) migrate_from_chat_id: Option<i64>,
    pub(super) migrate_to_chat_id: Option<i64>,
    pub(super) new_chat_members: Option<Vec<User>>,
    pub(super) new_chat_title: Option<String>,
    pub(super) photo: Option<Vec<PhotoSize>>,
    pub(super) pinned_message: Option<Box<Self>>,
    pub(super) poll: Option<Poll>,
    pub(super) quote: Option<TextQuote>,
    pub(super) reply_to_message: Option<Box<Self>>,
    pub(super) sender_chat: Option<Chat>,
    pub(super) sticker: Option<Sticker>,
    pub(super) text: Option<String>,
    pub(super) venue: Option<Venue>,
    pub(super) video: Option<File>,
    pub(super) video_note: Option<File>,
    pub(super) voice: Option<File>,
}

/// A marked part of a text; places count in UTF-16.
#[derive(Debug, Deserialize)]
pub(super) struct MessageEntity {
    #[serde(rename = "type")]
    pub(super) kind: MessageEntityType,
    pub(super) offset: u16,
    pub(super) length: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MessageEntityType {
    Mention,
    BotCommand,
    #[serde(other)]
    Other,
}

/// A part of the message that is answered to.
#[derive(Debug, Deserialize)]
pub(super) struct TextQuote {
    pub(super) text: String,
}

/// What is answered to when it stands in another chat.
#[derive(Debug, Deserialize)]
pub(super) struct ExternalReplyInfo {
    pub(super) origin: MessageOrigin,
    pub(super) message_id: Option<i32>,
}

/// Where a message comes from.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum MessageOrigin {
    User { sender_user: User },
    HiddenUser { sender_user_name: String },
    Chat { sender_chat: Chat, author_signature: Option<String> },
    Channel { chat: Chat, author_signature: Option<String> },
}

#[derive(Debug, Deserialize)]
pub(super) struct ForumTopicCreated {
    pub(super) name: String,
}

/// A file of any kind but a picture or a sticker.
#[derive(Debug, Deserialize)]
pub(super) struct File {
    pub(super) file_id: String,
    pub(super) file_size: Option<u64>,
    pub(super) file_name: Option<String>,
    pub(super) mime_type: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PhotoSize {
    pub(super) file_id: String,
    pub(super) file_size: Option<u64>,
    pub(super) width: u32,
    pub(super) height: u32,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sticker {
    pub(super) file_id: String,
    pub(super) file_size: Option<u64>,
    pub(super) is_animated: bool,
    pub(super) is_video: bool,
    pub(super) emoji: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Location {
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    pub(super) horizontal_accuracy: Option<f64>,
    pub(super) live_period: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Venue {
    pub(super) location: Location,
    pub(super) title: String,
    pub(super) address: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Contact {
    pub(super) phone_number: String,
    pub(super) first_name: String,
    pub(super) last_name: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Dice {
    pub(super) emoji: String,
    pub(super) value: u8,
}

#[derive(Debug, Deserialize)]
pub(super) struct Poll {
    pub(super) question: String,
    pub(super) options: Vec<PollOption>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PollOption {
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct MessageReactionUpdated {
    pub(super) chat: Chat,
    pub(super) message_id: i32,
    pub(super) user: Option<User>,
    pub(super) actor_chat: Option<Chat>,
    pub(super) date: u64,
    pub(super) old_reaction: Vec<ReactionType>,
    pub(super) new_reaction: Vec<ReactionType>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ReactionType {
    Emoji { emoji: String },
    CustomEmoji { custom_emoji_id: String },
    Paid,
}

/// A chat as one writes to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum ChatId {
    Number(i64),
    /// The `@name` of a public chat.
    Name(String),
}

impl From<ChatId> for Value {
    fn from(id: ChatId) -> Self {
        match id {
            ChatId::Number(number) => number.into(),
            ChatId::Name(name) => name.into(),
        }
    }
}

/// The parameters of a call; what is not given is not sent.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Params(Map<String, Value>);

impl Params {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn into_map(self) -> Map<String, Value> {
        self.0
    }
}
