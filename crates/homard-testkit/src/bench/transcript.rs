//! Old conversations, written by hand: what a gateway finds on disk after years of use.

use std::fmt::Write as _;

use anyhow::Result;
use homard_protocol::transcript::{HeaderTag, TRANSCRIPT_VERSION};
use homard_protocol::{
    AssistantBlock, AssistantMessage, Entry, EntryId, EntryKind, Message, SessionHeader, SessionId,
    StopReason, Usage, UserContent, UserMessage,
};

/// Turns a compaction leaves verbatim.
const KEPT_TURNS: usize = 2;
/// When all of it was said; the content does not matter, only that it is the same in every run.
const TIME: &str = "2026-01-01T00:00:00.000Z";
const TIME_MS: i64 = 1_767_225_600_000;

/// A transcript of `turns` turns, the past of all but the last `since_compaction` summarised.
pub(super) fn transcript(id: &SessionId, turns: usize, since_compaction: Option<usize>) -> Result<String> {
    let header = SessionHeader {
        kind: HeaderTag::Session,
        version: TRANSCRIPT_VERSION,
        id: id.clone(),
        timestamp: TIME.to_owned(),
        cwd: "/".to_owned(),
        parent_session: None,
    };
    let mut file = File { text: serde_json::to_string(&header)?, entries: 0 };
    let compact_after = since_compaction.map(|since| turns.saturating_sub(since));
    for turn in 0..turns {
        if compact_after == Some(turn) {
            let first_kept_entry_id = entry_id(file.entries.saturating_sub(2 * KEPT_TURNS))?;
            let summary = "We counted messages, one after the other, and went on counting.".to_owned();
            file.add(EntryKind::Compaction {
                summary,
                first_kept_entry_id,
                tokens_before: 100_000,
                details: None,
                from_hook: None,
            })?;
        }
        file.add(EntryKind::Message { message: asked(turn) })?;
        file.add(EntryKind::Message { message: answered() })?;
    }
    file.text.push('\n');
    Ok(file.text)
}

struct File {
    text: String,
    entries: usize,
}

impl File {
    fn add(&mut self, kind: EntryKind) -> Result<()> {
        let parent_id = self.entries.checked_sub(1).map(entry_id).transpose()?;
        let entry = Entry { id: entry_id(self.entries)?, parent_id, timestamp: TIME.to_owned(), kind };
        self.entries += 1;
        write!(self.text, "\n{}", serde_json::to_string(&entry)?)?;
        Ok(())
    }
}

fn entry_id(number: usize) -> Result<EntryId> {
    Ok(EntryId::parse(&format!("{number:08x}"))?)
}

fn asked(turn: usize) -> Message {
    let content = UserContent::Text(format!("message number {turn}"));
    Message::User(UserMessage { content, timestamp: TIME_MS, idempotency_key: None })
}

fn answered() -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![AssistantBlock::text("w0 w1 w2 w3 w4 w5 w6 w7 ")],
        api: "openai-completions".to_owned(),
        provider: "fake".to_owned(),
        model: "fake-1".to_owned(),
        usage: Usage::default(),
        stop_reason: StopReason::Stop,
        error_message: None,
        timestamp: TIME_MS,
    })
}

#[cfg(test)]
mod tests;
