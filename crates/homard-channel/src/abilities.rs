//! What a platform can do, as data the relay looks at before it asks.

use std::time::Duration;

use homard_protocol::ChatKind;
use serde::{Deserialize, Serialize};

/// What a platform can do. The relay checks here first, so an adapter is never asked for the impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Where people can talk to us.
    pub chats: &'static [ChatKind],
    /// Longest text of one message, in the platform's own unit.
    pub text_limit: usize,
    /// The unit of `text_limit` and `caption_limit`.
    pub unit: TextUnit,
    /// Longest text beside a file; `None` when files carry no text.
    pub caption_limit: Option<usize>,
    /// How formatted text is written.
    pub dialect: Dialect,
    /// What becomes of tables unless the owner says otherwise.
    pub tables: TableMode,
    /// How threads show in session keys.
    pub threads: Threads,
    /// How often "somebody is typing" must be said again; `None` when it cannot be said.
    pub typing: Option<Duration>,
    /// Files that can be sent.
    pub media: &'static [MediaKind],
    /// Largest file that is fetched unless the owner says otherwise, in bytes.
    pub media_in_limit: u64,
    /// Polls, where there are any.
    pub polls: Option<PollLimits>,
    /// A menu of commands; the most it may have.
    pub native_commands: Option<usize>,
    /// What can be done beside sending.
    pub acts: &'static [Act],
    /// Whether the platform drops a second message with the same key, so that trying again is harmless.
    pub dedupes_sends: Ability,
    /// Whether messages say that we are meant, so that a mention can be told from its absence.
    pub native_mentions: Ability,
    /// Small pieces of a streamed answer are gathered before they are sent: least characters and idle time.
    pub coalesce: Option<(usize, Duration)>,
    /// Longest time a healthy connection says nothing at all; a longer silence means it is dead.
    pub silence_limit: Duration,
}

impl Abilities {
    /// Whether it can do `act`.
    #[must_use]
    pub fn can(&self, act: Act) -> bool {
        self.acts.contains(&act)
    }
}

/// Yes or no, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    Has,
    Lacks,
}

/// How text is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextUnit {
    Utf16,
    Bytes,
    Chars,
}

impl TextUnit {
    /// How long `text` is.
    #[must_use]
    pub fn len_of(self, text: &str) -> usize {
        match self {
            Self::Utf16 => text.encode_utf16().count(),
            Self::Bytes => text.len(),
            Self::Chars => text.chars().count(),
        }
    }
}

/// How a platform writes formatted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A small set of HTML tags: `b i s u code pre a blockquote tg-spoiler`.
    Html,
    Markdown,
    /// `*b* _i_ ~s~`, links as `<url|label>`.
    Mrkdwn,
    /// `*b* _i_ ~s~`, links as `label (url)`.
    Asterisks,
    IrcCodes,
    /// No formatting at all.
    Plain,
}

/// What becomes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableMode {
    /// Aligned, in a code block.
    Code,
    /// A list, one item per row.
    Bullets,
    Off,
}

/// How threads show in session keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    None,
    Suffix,
    /// In groups as part of the group (`group:<chat>:topic:<id>`), in direct chats as a suffix.
    Topic,
    /// A thread is a room of its own with a parent.
    OwnRoom,
}

/// Kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaKind {
    Image,
    /// A moving picture without sound.
    Animation,
    Video,
    VideoNote,
    Audio,
    /// Speech recorded in the chat.
    Voice,
    Document,
    Sticker,
}

impl MediaKind {
    /// The word in `<media:…>` placeholders.
    #[must_use]
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Animation | Self::Video | Self::VideoNote => "video",
            Self::Audio | Self::Voice => "audio",
            Self::Document => "document",
            Self::Sticker => "sticker",
        }
    }
}

/// What a poll may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollLimits {
    /// Most answers to choose from.
    pub options: usize,
    /// Longest time it may be open.
    pub open_for: Duration,
}

/// What can be done beside sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// Answer to a certain message.
    Reply,
    /// Change a sent message.
    Edit,
    /// Take a message back.
    Delete,
    /// React to a message.
    React,
    /// Pin and unpin a message.
    Pin,
    /// Buttons below a message.
    Buttons,
    /// Begin and rename threads.
    ManageThreads,
    /// Send without a sound.
    Silent,
}
