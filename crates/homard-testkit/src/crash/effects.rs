//! What commands did: each once, or not at all and the conversation says so.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::judge::marks;

/// How the marks of messages end that ask for a command.
pub(super) const ASKED: &str = "-tool";
/// Where the commands leave their trace.
const FILE: &str = "effects.txt";
/// What a conversation says of a command a restart cut off.
const CUT_OFF: &str = "interrupted by a gateway restart";

/// What is wrong, in sentences.
///
/// # Errors
/// When a conversation cannot be read.
pub(super) fn wrongs(workspace: &Path, sessions: &Path, asked: &[&str]) -> Result<Vec<String>> {
    let traces = std::fs::read_to_string(workspace.join(FILE)).unwrap_or_default();
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    marks(&traces).for_each(|mark| *done.entry(mark).or_default() += 1);
    let excused = cut_off(sessions)?;
    let wrong = asked.iter().filter_map(|&mark| match done.get(mark).copied().unwrap_or_default() {
        1 => None,
        0 if excused.iter().any(|command| command.contains(mark)) => None,
        0 => Some(format!("{mark} was not done, and its conversation does not say so")),
        times => Some(format!("{mark} was done {times} times")),
    });
    Ok(wrong.collect())
}

/// The commands that conversations say were cut off.
fn cut_off(sessions: &Path) -> Result<Vec<String>> {
    let mut commands = Vec::new();
    for file in std::fs::read_dir(sessions)? {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(path)?;
        let entries: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut calls: BTreeMap<String, String> = BTreeMap::new();
        for message in entries.iter().filter_map(|entry| entry.get("message")) {
            let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
            for call in blocks.clone().filter(|block| block.get("type") == Some(&"toolCall".into())) {
                let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
                calls.insert(id.to_owned(), call.to_string());
            }
            let id = message.get("toolCallId").and_then(Value::as_str);
            let said: String = blocks.filter_map(|block| block.get("text")?.as_str()).collect();
            if said.contains(CUT_OFF) {
                commands.extend(id.and_then(|id| calls.get(id)).cloned());
            }
        }
    }
    Ok(commands)
}
