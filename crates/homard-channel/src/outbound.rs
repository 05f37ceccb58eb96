//! What goes out.

use std::path::PathBuf;

use homard_protocol::{AccountId, ChannelId, PeerId, ThreadId};
use serde::{Deserialize, Serialize};

use crate::abilities::MediaKind;
use homard_protocol::ChatKind;

/// Where an answer goes: everything that is needed to reach the conversation again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    pub channel: ChannelId,
    /// Which of our accounts speaks.
    pub account: AccountId,
    /// With how many people one talks there.
    pub chat: ChatKind,
    /// The person or room.
    pub to: PeerId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
}

/// One message to be sent, cut to the platform's size and written in its dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outbound {
    pub address: Address,
    /// The key that makes sending it twice harmless where the platform can tell.
    pub key: String,
    /// The message it answers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Whether nobody's device is to make a sound.
    #[serde(default)]
    pub silent: bool,
    /// Whether the platform is not to look at what links in it lead to: words of others may have made them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_previews: bool,
    pub content: Content,
}

/// Text in two forms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RichText {
    /// In the platform's own dialect.
    pub formatted: String,
    /// Without formatting, for when the platform does not take the other.
    pub plain: String,
}

impl RichText {
    /// Text without formatting.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        let plain = text.into();
        Self { formatted: plain.clone(), plain }
    }
}

/// A button below a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Button {
    pub text: String,
    /// What comes back when it is pressed.
    pub value: String,
}

/// A file on its way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct File {
    pub kind: MediaKind,
    /// Where it lies; kept until it is sent.
    pub path: PathBuf,
    pub mime: String,
    pub name: String,
}

/// What is sent. Closed on purpose: variety lives here, not in methods every adapter must have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Content {
    Text {
        words: RichText,
        #[serde(default)]
        buttons: Vec<Vec<Button>>,
    },
    /// A file with a text.
    Media {
        file: File,
        /// What is said beside it; fits the platform's limit.
        caption: RichText,
    },
    /// A question with answers to choose from.
    Poll {
        question: String,
        options: Vec<String>,
        /// How many may be chosen.
        max_selections: u32,
        /// How long it is open, in seconds.
        open_seconds: Option<u64>,
        /// Whether nobody sees who chose what.
        anonymous: bool,
    },
    /// New text for a sent message.
    Edit {
        message_id: String,
        /// What it says now.
        words: RichText,
        #[serde(default)]
        buttons: Vec<Vec<Button>>,
    },
    /// A sent message is taken back.
    Delete { message_id: String },
    /// A reaction; none takes ours back.
    React { message_id: String, emoji: Option<String> },
    /// A message is pinned, or no longer.
    Pin {
        message_id: String,
        /// Whether it is pinned from now on.
        pinned: bool,
    },
    /// A thread is begun.
    NewThread {
        /// What it is called.
        name: String,
    },
    Typing {
        /// Whether they record their voice instead.
        voice: bool,
    },
}

/// Proof that the platform took a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The platform's id for what was sent; empty where it gives none.
    pub message_id: String,
    /// Where it went in the end, if elsewhere: a thread that was begun, a group that moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub went_to: Option<Address>,
}

/// The platform's ids of messages near one that is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownNearby {
    /// Of what was said in the same conversation before it.
    pub older: Vec<String>,
    /// The keys under which the messages were heard that it answers.
    pub answers: Vec<String>,
    /// Of what was said at the same place, whenever: none of them is the one.
    pub others: Vec<String>,
}
