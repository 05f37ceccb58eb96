//! Shortening old tool results once a provider's cache of the conversation has run out.
//!
//! Only what the model is told changes; the transcript keeps everything. It happens at fixed moments, each the
//! beginning of a turn that comes later than the cache lives, and depends on nothing but the messages: whoever
//! reads the same transcript again prunes it the same way, so the beginning of the prompt stays the same as long
//! as somebody might have it cached.

use std::sync::Arc;
use std::time::Duration;

use homard_config::config::agents::pruning::ResultPruning;
use homard_protocol::{Message, ToolResultMessage, UserBlock};
use homard_runtime::{Clip, millis_i64};

use crate::compaction::size;
use crate::history::History;

/// What shortened text has in its middle.
const GAP: &str = "\n...\n";

/// When and how old tool results are shortened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PruneRules {
    /// How long a provider remembers a conversation.
    pub ttl: Duration,
    pub results: ResultPruning,
}

fn covers(rules: &ResultPruning, tool: &str) -> bool {
    let named = |list: &[String]| list.iter().any(|name| fits(name, tool));
    !named(&rules.deny) && (rules.allow.is_empty() || named(&rules.allow))
}

/// Whether a name with `*` for anything fits a tool; only at its end, which is how such lists are written.
fn fits(name: &str, tool: &str) -> bool {
    match name.strip_suffix('*') {
        Some(beginning) => tool.starts_with(beginning),
        None => name == tool,
    }
}

impl History {
    /// Shortens what may be shortened by now. Does nothing between two moments at which the cache ran out.
    pub(crate) fn prune(&mut self, rules: &PruneRules, window: u32) {
        let ttl = millis_i64(rules.ttl);
        let (messages, from) = self.prunable();
        let mut changed = false;
        let mut answered = None;
        for at in 0..messages.len() {
            let Some(message) = messages.get(at) else { break };
            match &**message {
                Message::Assistant(answer) => answered = Some(answer.timestamp),
                Message::User(user) => {
                    let is_late = answered.is_some_and(|then| user.timestamp.saturating_sub(then) >= ttl);
                    if is_late && at >= from {
                        changed |= prune_before(messages, at, &rules.results, window);
                    }
                }
                Message::ToolResult(_) | Message::Other(_) => {}
            }
        }
        self.pruned(changed);
    }
}

/// Prunes what came before the message at `end`; answers whether anything changed.
fn prune_before(messages: &mut [Arc<Message>], end: usize, rules: &ResultPruning, window: u32) -> bool {
    let Some(old) = messages.get_mut(..end) else { return false };
    let is_answer = |message: &Arc<Message>| matches!(**message, Message::Assistant(_));
    let kept = old.iter().enumerate().rev().filter(|(_, message)| is_answer(message));
    let Some((until, _)) = kept.take(rules.keep_last_assistants.max(1)).last() else { return false };
    let mut used: u64 = old.iter().map(|message| size::of_message(message)).sum();
    let share = |percent: u64| u64::from(window) * percent / 100;
    if used < share(rules.soft_percent) {
        return false;
    }
    let Some(old) = old.get_mut(..until) else { return false };
    let mut changed = false;
    let mut replace = |message: &mut Arc<Message>, result: ToolResultMessage, used: &mut u64| {
        let before = size::of_message(message);
        *message = Arc::new(Message::ToolResult(result));
        *used = used.saturating_sub(before).saturating_add(size::of_message(message));
        changed = true;
    };
    for message in &mut *old {
        if let Some(shorter) = prunable(message, rules).and_then(|result| shortened(result, rules)) {
            replace(message, shorter, &mut used);
        }
    }
    let Some(placeholder) = &rules.placeholder else { return changed };
    let bytes: usize = old.iter().filter_map(|message| prunable(message, rules)).map(text_bytes).sum();
    if bytes < rules.min_prunable {
        return changed;
    }
    for message in &mut *old {
        if used < share(rules.hard_percent) {
            break;
        }
        let Some(result) = prunable(message, rules) else { continue };
        if text_bytes(result) > placeholder.len() {
            let cleared =
                ToolResultMessage { content: vec![UserBlock::text(placeholder.clone())], ..result.clone() };
            replace(message, cleared, &mut used);
        }
    }
    changed
}

/// The tool result in a message, if it may be pruned. Pictures stay: what they show is nowhere else.
fn prunable<'m>(message: &'m Arc<Message>, rules: &ResultPruning) -> Option<&'m ToolResultMessage> {
    let Message::ToolResult(result) = &**message else { return None };
    let is_text = result.content.iter().all(|block| matches!(block, UserBlock::Text { .. }));
    (is_text && covers(rules, &result.tool_name)).then_some(result)
}

fn text_bytes(result: &ToolResultMessage) -> usize {
    result.content.iter().map(|block| if let UserBlock::Text { text } = block { text.len() } else { 0 }).sum()
}

fn shortened(result: &ToolResultMessage, rules: &ResultPruning) -> Option<ToolResultMessage> {
    if text_bytes(result) <= rules.soft_max.max(rules.soft_head + rules.soft_tail + GAP.len()) {
        return None;
    }
    let texts = result.content.iter().filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        UserBlock::Image { .. } | UserBlock::Document { .. } => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let head = text.clip_bytes(rules.soft_head);
    let tail = text.get(text.ceil_char_boundary(text.len().saturating_sub(rules.soft_tail))..)?;
    let note = format!(
        "{head}{GAP}{tail}\n[Old tool result shortened: {} of its {} bytes are left.]",
        head.len() + tail.len(),
        text.len()
    );
    // The note may make a short cut longer than what it replaces.
    (note.len() < text.len())
        .then(|| ToolResultMessage { content: vec![UserBlock::text(note)], ..result.clone() })
}

#[cfg(test)]
mod tests;
