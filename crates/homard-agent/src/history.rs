//! What was said, as the model is told it.
//!
//! Built from the transcript once and then carried along by the session's lane, so that a turn costs the same
//! whatever the age of the conversation. [`History::is_at`] tells whether the transcript has moved on.

use std::sync::Arc;

use homard_protocol::{EntryKind, Message, SessionId, UserBlock, UserContent, UserMessage};
use homard_store::Context;
use jiff::tz::TimeZone;

/// What stands before a compaction's summary.
const SUMMARY_INTRO: &str = "Summary of the conversation before this point:\n\n";

/// The part of a conversation the model is told.
#[derive(Debug, Clone)]
pub struct History {
    session: SessionId,
    last_seq: i64,
    /// Whether the transcript has entries this history has not.
    stale: bool,
    zone: TimeZone,
    messages: Vec<Arc<Message>>,
}

impl History {
    /// Reads a transcript's context. User messages are stamped with their time in `zone`.
    #[must_use]
    pub fn new(session: SessionId, context: Context, zone: TimeZone) -> Self {
        let mut history =
            Self { session, last_seq: context.last_seq, stale: false, zone, messages: Vec::new() };
        if let Some(summary) = context.summary {
            let text = format!("{SUMMARY_INTRO}{summary}");
            history.push_message(user_text(text, 0));
        }
        for entry in context.entries {
            history.push_kind(entry.kind);
        }
        history
    }

    /// Whether this is still what the transcript says, up to the entry before `next_seq`.
    #[must_use]
    pub fn is_at(&self, session: &SessionId, next_seq: i64) -> bool {
        !self.stale && self.session == *session && self.last_seq + 1 == next_seq
    }

    /// Adds what was just recorded at `seq`. If somebody else wrote in between, this history is out of date from
    /// here on and says so.
    pub fn record(&mut self, message: Message, seq: i64) {
        self.stale |= seq != self.last_seq + 1;
        self.last_seq = seq;
        self.push(message);
    }

    /// The messages, oldest first, as a request takes them.
    #[must_use]
    pub fn messages(&self) -> Vec<Arc<Message>> {
        self.messages.clone()
    }

    fn push_kind(&mut self, kind: EntryKind) {
        match kind {
            EntryKind::Message { message } => self.push(message),
            EntryKind::CustomMessage { content, .. } => {
                let message = UserMessage { content, timestamp: 0, idempotency_key: None };
                self.push_message(Message::User(message));
            }
            EntryKind::BranchSummary { summary, .. } => self.push_message(user_text(summary, 0)),
            // Compactions were handled by whoever walked the tree; the rest is bookkeeping.
            EntryKind::Compaction { .. }
            | EntryKind::ThinkingLevelChange { .. }
            | EntryKind::ModelChange { .. }
            | EntryKind::Custom { .. }
            | EntryKind::Label { .. }
            | EntryKind::SessionInfo { .. }
            | EntryKind::Other(_) => {}
        }
    }

    fn push(&mut self, message: Message) {
        match message {
            Message::User(user) => {
                let stamped = stamp(user, &self.zone);
                self.push_message(Message::User(stamped));
            }
            // An answer that failed or was interrupted before it said anything tells the model nothing.
            Message::Assistant(answer) if answer.content.is_empty() => {}
            Message::Assistant(_) | Message::ToolResult(_) => self.push_message(message),
            Message::Other(_) => {}
        }
    }

    fn push_message(&mut self, message: Message) {
        self.messages.push(Arc::new(message));
    }
}

fn user_text(text: String, timestamp: i64) -> Message {
    Message::User(UserMessage { content: UserContent::Text(text), timestamp, idempotency_key: None })
}

/// Puts the time in front of a message. Depends only on the message and the zone, so the same message is
/// spelled the same in every request and provider caches keep working.
fn stamp(mut user: UserMessage, zone: &TimeZone) -> UserMessage {
    let Ok(time) = jiff::Timestamp::from_millisecond(user.timestamp) else { return user };
    if user.timestamp == 0 {
        return user;
    }
    let stamp = time.to_zoned(zone.clone()).strftime("[%a %Y-%m-%d %H:%M %Z] ").to_string();
    match &mut user.content {
        UserContent::Text(text) => text.insert_str(0, &stamp),
        UserContent::Blocks(blocks) => match blocks.iter_mut().find_map(text_of) {
            Some(text) => text.insert_str(0, &stamp),
            None => blocks.insert(0, UserBlock::text(stamp.trim_end())),
        },
    }
    user
}

fn text_of(block: &mut UserBlock) -> Option<&mut String> {
    match block {
        UserBlock::Text { text } => Some(text),
        UserBlock::Image { .. } | UserBlock::Document { .. } => None,
    }
}

#[cfg(test)]
mod tests;
