//! What is kept of the API's items so that they can be sent back as they came: nothing is stored on the
//! provider's side, so an item whose proof is lost cannot be named again.
//!
//! Reasoning is kept as its JSON in the thinking's signature, a message's id in the text's signature and a
//! call's two ids as `call_id|fc_id` in the call's id: the way transcripts of this family spell it.

use std::borrow::Cow;

use homard_protocol::{AssistantBlock, AssistantMessage, StopReason};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::spec::ModelSpec;

/// Longest item id the API takes back.
const MAX_ITEM_ID: usize = 64;
/// Between a call's id and its item's id.
const BETWEEN: char = '|';
/// How the ids of call items begin.
const CALL_ITEM: &str = "fc_";

/// A reasoning item, with the fields the API takes back and no others.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reasoning<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    id: Option<Cow<'a, str>>,
    /// The API insists on the field, even when there is nothing to read.
    #[serde(borrow, default, serialize_with = "or_empty")]
    summary: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    content: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    encrypted_content: Option<Cow<'a, str>>,
}

fn or_empty<S: Serializer>(list: &Option<&RawValue>, serializer: S) -> Result<S::Ok, S::Error> {
    match list {
        Some(list) => list.serialize(serializer),
        None => serializer.collect_seq([(); 0]),
    }
}

impl<'a> Reasoning<'a> {
    /// Reads an item; `None` when it is no reasoning the API could take back.
    pub(super) fn read(json: &'a str) -> Option<Self> {
        if !json.starts_with('{') {
            return None;
        }
        let mut item: Self = serde_json::from_str(json).ok()?;
        let is_list = |raw: &&RawValue| raw.get().starts_with('[');
        item.summary = item.summary.filter(is_list);
        item.content = item.content.filter(is_list).filter(|raw| raw.get() != "[]");
        let proven = item.encrypted_content.as_deref().is_some_and(|proof| !proof.is_empty());
        // Servers without encryption send the thoughts themselves.
        (item.r#type == "reasoning" && (proven || item.content.is_some())).then_some(item)
    }

    /// The signature that keeps it.
    pub(super) fn keep(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What is kept of a message item: its id, and which part of the answer it was where the API says so.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MessageMark<'a> {
    #[serde(default)]
    v: u8,
    #[serde(borrow, default)]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) phase: Option<Cow<'a, str>>,
}

impl<'a> MessageMark<'a> {
    /// A mark of an item; `None` without an id that can be sent back.
    pub(super) fn new(id: &'a str, phase: Option<&'a str>) -> Option<Self> {
        let phase = phase.filter(|phase| !phase.is_empty()).map(Cow::Borrowed);
        Some(Self { v: 1, id: Cow::Borrowed(id), phase }).filter(Self::is_usable)
    }

    /// Reads a signature: a bare id, or the id and the phase as JSON.
    pub(super) fn read(signature: &'a str) -> Option<Self> {
        if !signature.starts_with('{') {
            return Self::new(signature, None);
        }
        serde_json::from_str(signature).ok().filter(Self::is_usable)
    }

    fn is_usable(&self) -> bool {
        self.id.starts_with("msg_") && self.id.len() <= MAX_ITEM_ID
    }

    /// The signature that keeps it.
    pub(super) fn keep(&self) -> String {
        match self.phase {
            None => self.id.to_string(),
            Some(_) => serde_json::to_string(self).unwrap_or_default(),
        }
    }
}

/// One id out of a call's two.
pub(super) fn join_ids(call_id: &str, item_id: &str) -> String {
    if call_id.is_empty() || !item_id.starts_with(CALL_ITEM) {
        return call_id.to_owned();
    }
    format!("{call_id}{BETWEEN}{item_id}")
}

/// A call's id and its item's id, where the two were joined. Ids of other families are left whole.
pub(super) fn split_ids(id: &str) -> (&str, Option<&str>) {
    match id.split_once(BETWEEN) {
        Some((call, item)) if !call.is_empty() && item.starts_with(CALL_ITEM) => {
            (call, Some(item).filter(|item| item.len() <= MAX_ITEM_ID))
        }
        _ => (id, None),
    }
}

/// Whether `model` wrote `message` and would know its items again. The API refuses a call or message by its
/// id when the reasoning it came from is missing, so either all of it goes back as items or none.
pub(super) fn is_own(message: &AssistantMessage, model: &ModelSpec) -> bool {
    crate::wire::is_own(message, model)
        && !matches!(message.stop_reason, StopReason::Error | StopReason::Aborted)
        && message.content.iter().all(|block| match block {
            AssistantBlock::Thinking { thinking_signature, .. } => {
                thinking_signature.as_deref().is_some_and(|signature| Reasoning::read(signature).is_some())
            }
            AssistantBlock::Text { .. } | AssistantBlock::ToolCall(_) => true,
        })
}
