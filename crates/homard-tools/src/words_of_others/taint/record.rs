//! Labels as a transcript has them: beside a tool's result, beside a summary, or in an entry of their own.

use homard_protocol::{EntryKind, Message};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Label, Taint};

/// The field of `details` that holds labels.
const FIELD: &str = "taint";
/// Whose the entries of their own are.
const CUSTOM_TYPE: &str = "homard.taint";

/// What an entry of its own says.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Note {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<Label>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed: Vec<String>,
}

impl Label {
    /// `details` with these labels beside what they say; for results and summaries of content of others.
    #[must_use]
    pub fn beside(details: Option<Value>, labels: &[Self]) -> Option<Value> {
        if labels.is_empty() {
            return details;
        }
        let mut fields = match details {
            Some(Value::Object(fields)) => fields,
            Some(other) => Map::from_iter([("details".to_owned(), other)]),
            None => Map::new(),
        };
        fields.insert(FIELD.to_owned(), json!(labels));
        Some(Value::Object(fields))
    }

    /// The labels that stand beside something; none where there are none or they cannot be read.
    #[must_use]
    pub fn of(details: Option<&Value>) -> Vec<Self> {
        let found = details.and_then(|details| details.get(FIELD));
        let each = found.and_then(Value::as_array).into_iter().flatten();
        each.filter_map(|one| Self::deserialize(one).ok()).collect()
    }

    /// The labels an entry brings with it.
    #[must_use]
    pub fn of_entry(kind: &EntryKind) -> Vec<Self> {
        match kind {
            EntryKind::Message { message: Message::ToolResult(result) } => Self::of(result.details.as_ref()),
            EntryKind::Compaction { details, .. }
            | EntryKind::BranchSummary { details, .. }
            | EntryKind::CustomMessage { details, .. } => Self::of(details.as_ref()),
            EntryKind::Custom { custom_type, data } if custom_type == CUSTOM_TYPE => {
                Note::deserialize(data).unwrap_or_default().labels
            }
            EntryKind::Message { .. }
            | EntryKind::Aside { .. }
            | EntryKind::ThinkingLevelChange { .. }
            | EntryKind::ModelChange { .. }
            | EntryKind::Custom { .. }
            | EntryKind::Label { .. }
            | EntryKind::SessionInfo { .. }
            | EntryKind::Other(_) => Vec::new(),
        }
    }

    /// An entry of its own for content that has no place for labels: what a person said.
    #[must_use]
    pub fn entry(labels: &[Self]) -> EntryKind {
        note(&Note { labels: labels.to_vec(), allowed: Vec::new() })
    }
}

impl Taint {
    /// The entry that remembers which tools the owner allowed.
    #[must_use]
    pub fn allowed_entry(tools: &[String]) -> EntryKind {
        note(&Note { labels: Vec::new(), allowed: tools.to_vec() })
    }

    /// Takes over what an entry of the transcript says. Entries must come in their order.
    pub fn read(&self, kind: &EntryKind) {
        for label in Label::of_entry(kind) {
            self.add(label);
        }
        if let EntryKind::Custom { custom_type, data } = kind
            && custom_type == CUSTOM_TYPE
        {
            for tool in Note::deserialize(data).unwrap_or_default().allowed {
                self.restore_allowed(&tool);
            }
        }
    }
}

fn note(note: &Note) -> EntryKind {
    EntryKind::Custom { custom_type: CUSTOM_TYPE.to_owned(), data: json!(note) }
}
