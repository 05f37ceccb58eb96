//! The lines of a transcript file: version 3 of the JSONL entry tree.
//!
//! Line one is the header; every later line is an entry that names its parent, so a file is a tree whose
//! current leaf is the last line. Entries of kinds this version does not know are kept ([`EntryKind::Other`]).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{EntryId, SessionId};
use crate::message::{Message, UserContent};

/// The version written; files of later versions are read as far as their entries are known.
pub const TRANSCRIPT_VERSION: u32 = 3;

/// Line one of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionHeader {
    #[serde(rename = "type")]
    pub kind: HeaderTag,
    pub version: u32,
    /// The session's id; also the file's name.
    pub id: SessionId,
    /// When it began, RFC 3339.
    pub timestamp: String,
    /// The working directory of the agent then.
    pub cwd: String,
    /// The transcript this one was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
}

/// The header's `type`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HeaderTag {
    /// The only one there is.
    #[default]
    Session,
}

/// Any later line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Unique in the file; eight hex digits when Homard writes it.
    pub id: EntryId,
    /// The entry this one follows; `None` for the first.
    pub parent_id: Option<EntryId>,
    pub timestamp: String,
    #[serde(flatten)]
    pub kind: EntryKind,
}

/// What an entry records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EntryKind {
    /// Something that was said.
    Message {
        /// By whom and what.
        message: Message,
    },
    /// Said beside the conversation, as a command and its answer are: people see it, no model is told.
    Aside {
        /// By whom and what.
        message: Message,
    },
    /// From here on, think this hard.
    #[serde(rename_all = "camelCase")]
    ThinkingLevelChange { thinking_level: String },
    /// From here on, this model.
    #[serde(rename_all = "camelCase")]
    ModelChange { provider: String, model_id: String },
    /// What came before `first_kept_entry_id` is replaced by a summary.
    #[serde(rename_all = "camelCase")]
    Compaction {
        /// What the model is told of the past.
        summary: String,
        /// Where verbatim history begins.
        first_kept_entry_id: EntryId,
        /// Size of the context before.
        tokens_before: u64,
        /// Files read and modified.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        /// Whether a hook wrote the summary.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_hook: Option<bool>,
    },
    /// What was learnt on a branch that was left.
    #[serde(rename_all = "camelCase")]
    BranchSummary {
        /// The branch's last entry.
        from_id: String,
        summary: String,
        /// Files read and modified.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        /// Whether a hook wrote the summary.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_hook: Option<bool>,
    },
    /// Bookkeeping that never reaches a model.
    #[serde(rename_all = "camelCase")]
    Custom {
        custom_type: String,
        #[serde(default)]
        data: Value,
    },
    /// Text from an extension that reaches the model as a user message.
    #[serde(rename_all = "camelCase")]
    CustomMessage {
        custom_type: String,
        /// What the model reads.
        content: UserContent,
        /// Whether people see it.
        #[serde(default)]
        display: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
    #[serde(rename_all = "camelCase")]
    Label {
        target_id: EntryId,
        /// With what; `None` removes the mark.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// The session's display name.
    SessionInfo { name: String },
    /// A kind this version does not know, kept verbatim.
    #[serde(untagged)]
    Other(Map<String, Value>),
}

impl EntryKind {
    /// The word in the line's `type` field.
    #[must_use]
    pub fn tag(&self) -> &str {
        match self {
            Self::Message { .. } => "message",
            Self::Aside { .. } => "aside",
            Self::ThinkingLevelChange { .. } => "thinking_level_change",
            Self::ModelChange { .. } => "model_change",
            Self::Compaction { .. } => "compaction",
            Self::BranchSummary { .. } => "branch_summary",
            Self::Custom { .. } => "custom",
            Self::CustomMessage { .. } => "custom_message",
            Self::Label { .. } => "label",
            Self::SessionInfo { .. } => "session_info",
            Self::Other(fields) => fields.get("type").and_then(Value::as_str).unwrap_or("unknown"),
        }
    }
}

/// A line of a transcript file.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    Header(SessionHeader),
    Entry(Entry),
}

impl Line {
    /// Reads one line; `None` for anything that is neither a header nor an entry.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Tag<'a> {
            #[serde(rename = "type", borrow)]
            kind: std::borrow::Cow<'a, str>,
        }
        let tag: Tag<'_> = serde_json::from_str(text).ok()?;
        if tag.kind == "session" {
            serde_json::from_str(text).ok().map(Self::Header)
        } else {
            serde_json::from_str(text).ok().map(Self::Entry)
        }
    }
}

#[cfg(test)]
mod tests;
