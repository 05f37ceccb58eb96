//! What conversations say, as the gateway keeps them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::judge::marks;

/// What a conversation says of a call a restart cut off.
const CUT_OFF: &str = "interrupted by a gateway restart";
/// What it says of something the owner did not allow: a command, anything else.
const NOT_ALLOWED: [&str; 2] = ["not run: ", "not done: "];
/// How the key of what somebody said in a run ends.
const SAID_END: &str = ":user";

/// All conversations, each a list of messages.
pub(super) struct Conversations(Vec<Vec<Value>>);

impl Conversations {
    /// All that are kept in a folder.
    ///
    /// # Errors
    /// When one cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let mut all = Vec::new();
        for file in std::fs::read_dir(folder)? {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                let text = std::fs::read_to_string(path)?;
                let entries = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
                all.push(entries.filter_map(|mut entry| Some(entry.get_mut("message")?.take())).collect());
            }
        }
        Ok(Self(all))
    }

    /// The marks in calls that were cut off.
    pub(super) fn cut_off(&self) -> Vec<String> {
        self.calls_that_came_to(&[CUT_OFF])
    }

    /// The marks in calls that were not allowed.
    pub(super) fn not_allowed(&self) -> Vec<String> {
        self.calls_that_came_to(&NOT_ALLOWED)
    }

    /// The marks of what was asked in a run.
    pub(super) fn asked_in(&self, run: &str) -> Vec<String> {
        let key = format!("{run}{SAID_END}");
        let is_of_run =
            |message: &&Value| message.get("idempotencyKey").and_then(Value::as_str) == Some(key.as_str());
        self.0.iter().flatten().filter(is_of_run).flat_map(|message| marks(&message.to_string())).collect()
    }

    /// The marks of everything people said.
    pub(super) fn asked(&self) -> Vec<String> {
        let said = self.0.iter().flatten().filter(|message| message["role"] == "user");
        said.flat_map(|message| marks(&message.to_string())).collect()
    }

    fn calls_that_came_to(&self, words: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for messages in &self.0 {
            let mut calls: BTreeMap<&str, String> = BTreeMap::new();
            for message in messages {
                let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
                for call in blocks.clone().filter(|block| block["type"] == "toolCall") {
                    calls.insert(call["id"].as_str().unwrap_or_default(), call.to_string());
                }
                let said: String = blocks.filter_map(|block| block.get("text")?.as_str()).collect();
                let is_it = words.iter().any(|words| said.contains(words));
                let of = message.get("toolCallId").and_then(Value::as_str).filter(|_| is_it);
                found.extend(of.and_then(|id| calls.get(id)).into_iter().flat_map(|call| marks(call)));
            }
        }
        found
    }
}
