//! What was said, as the model is told it.
//!
//! Built from the transcript once and then carried along by the session's lane, so that a turn costs the same
//! whatever the age of the conversation. [`History::is_at`] tells whether the transcript has moved on. It knows
//! how large it is, so that nobody has to count before every call.

use std::sync::Arc;

use homard_protocol::{EntryKind, Message, SessionId, UserBlock, UserContent, UserMessage};
use homard_store::Context;
use homard_tools::{Label, Taint};
use jiff::tz::TimeZone;

use crate::clip::head_and_tail;
use crate::compaction::size;

/// What stands before a compaction's summary.
const SUMMARY_INTRO: &str = "Summary of the conversation before this point:\n\n";

/// Tool results longer than this are shortened when nothing else helps, in bytes.
const LONG_RESULT: usize = 4_000;
/// What is left of them.
const SHORT_RESULT: usize = 3_000;
/// The most real tokens a guessed one is taken for.
const MAX_RATIO: u64 = 4;

/// The part of a conversation the model is told.
#[derive(Debug, Clone)]
pub struct History {
    session: SessionId,
    last_seq: i64,
    /// Whether the transcript has entries this history has not.
    stale: bool,
    /// In which zone the time of a message is told; `None` when it is not.
    zone: Option<TimeZone>,
    messages: Vec<Arc<Message>>,
    /// Guessed tokens of all messages.
    tokens: u64,
    measured: Option<Measured>,
    /// Whose words are in it.
    taint: Taint,
    /// How many of the last things people said are told; `None` for all.
    turns: Option<usize>,
    /// Messages that were there when old results were last looked at.
    pruned: usize,
}

/// What a provider counted, and what had been guessed for the same messages.
#[derive(Debug, Clone, Copy)]
struct Measured {
    real: u64,
    guessed: u64,
}

impl History {
    /// Reads a transcript's context. User messages are stamped with their time in `zone`, where there is one.
    #[must_use]
    pub fn new(session: SessionId, context: Context, zone: impl Into<Option<TimeZone>>) -> Self {
        let mut history = Self {
            session,
            last_seq: context.last_seq,
            stale: false,
            zone: zone.into(),
            messages: Vec::new(),
            tokens: 0,
            measured: None,
            taint: Taint::default(),
            turns: None,
            pruned: 0,
        };
        // A summary of words of others is words of others.
        for label in Label::of(context.summary_details.as_ref()) {
            history.taint.add(label);
        }
        let is_shortened = context.summary.is_some();
        if let Some(summary) = context.summary {
            let text = format!("{SUMMARY_INTRO}{summary}");
            history.push_message(user_text(text, 0));
        }
        for entry in context.entries {
            history.push_kind(entry.kind);
        }
        if is_shortened {
            // Kept answers were counted with everything that is summarised now.
            history.measured = None;
        }
        history
    }

    /// The same conversation as the transcript has it now.
    pub(crate) fn read_anew(&self, context: Context) -> Self {
        let mut anew = Self::new(self.session.clone(), context, self.zone.clone());
        anew.limit_turns(self.turns);
        anew
    }

    /// Tells only the last so many things people said, and what followed them. What is cut begins with a
    /// person's words, so no result is told without its call.
    pub fn limit_turns(&mut self, turns: Option<usize>) {
        self.turns = turns.filter(|&turns| turns > 0);
        self.forget_old_turns();
    }

    fn forget_old_turns(&mut self) {
        let Some(turns) = self.turns else { return };
        let said = self.messages.iter().enumerate().rev();
        let mut said = said.filter(|(_, message)| matches!(***message, Message::User(_)));
        let Some((first, _)) = said.nth(turns - 1) else { return };
        if first > 0 {
            let forgotten: u64 = self.messages.drain(..first).map(|message| size::of_message(&message)).sum();
            self.tokens = self.tokens.saturating_sub(forgotten);
            self.measured = None;
            self.pruned = self.pruned.saturating_sub(first);
        }
    }

    /// How many messages the model is told, and how many tokens they are guessed to be.
    #[must_use]
    pub fn size(&self) -> (usize, u64) {
        (self.messages.len(), self.tokens)
    }

    /// Shows the model pictures with the last thing a person said. The transcript keeps the words only.
    pub fn show(&mut self, pictures: Vec<UserBlock>) {
        let Some(last) =
            self.messages.iter_mut().rev().find(|message| matches!(***message, Message::User(_)))
        else {
            return;
        };
        let Message::User(user) = &**last else { return };
        let mut user = user.clone();
        let before = size::of_message(last);
        let mut blocks = match user.content {
            UserContent::Text(text) => vec![UserBlock::text(text)],
            UserContent::Blocks(blocks) => blocks,
        };
        blocks.extend(pictures);
        user.content = UserContent::Blocks(blocks);
        *last = Arc::new(Message::User(user));
        self.tokens = self.tokens.saturating_sub(before).saturating_add(size::of_message(last));
    }

    /// Tokens of a request with this history, where `overhead` is what requests carry beside it: what the
    /// provider counted last, where it did, and a guess for what came since.
    pub(crate) fn estimate(&self, overhead: u64) -> u64 {
        match self.measured {
            Some(measured) => measured.real.saturating_add(self.tokens.saturating_sub(measured.guessed)),
            None => self.tokens.saturating_add(overhead),
        }
    }

    /// How many guessed tokens are so many real ones, by what the provider counted last. Guesses are corrected
    /// only towards caution.
    pub(crate) fn guessed(&self, real: u64, overhead: u64) -> u64 {
        match self.measured {
            Some(measured) => {
                let guessed = measured.guessed.saturating_add(overhead).max(1);
                let counted = measured.real.clamp(guessed, guessed.saturating_mul(MAX_RATIO));
                let exact = u128::from(real) * u128::from(guessed) / u128::from(counted);
                u64::try_from(exact).unwrap_or(real)
            }
            None => real,
        }
    }

    /// Shortens every long tool result as the model is told it; the transcript keeps it whole. Answers whether
    /// there was one.
    pub(crate) fn shorten_results(&mut self) -> bool {
        let mut shortened = false;
        for message in &mut self.messages {
            let Message::ToolResult(result) = &**message else { continue };
            let before = size::of_message(message);
            let mut result = result.clone();
            let mut changed = false;
            for block in &mut result.content {
                if let UserBlock::Text { text } = block
                    && text.len() > LONG_RESULT
                    && let Some(short) = head_and_tail(text, SHORT_RESULT)
                {
                    *text = short;
                    changed = true;
                }
            }
            if changed {
                *message = Arc::new(Message::ToolResult(result));
                self.tokens = self.tokens.saturating_sub(before).saturating_add(size::of_message(message));
                shortened = true;
            }
        }
        if shortened {
            self.measured = None;
        }
        shortened
    }

    /// The messages, for shortening old results, and how many of them have been looked at.
    pub(crate) fn prunable(&mut self) -> (&mut [Arc<Message>], usize) {
        (&mut self.messages, self.pruned)
    }

    /// Old results have been looked at, and some are shorter now if anything changed.
    pub(crate) fn pruned(&mut self, changed: bool) {
        self.pruned = self.messages.len();
        if changed {
            self.tokens = self.messages.iter().map(|message| size::of_message(message)).sum();
            self.measured = None;
        }
    }

    /// Adds something the transcript will not have; for copies that are thrown away.
    pub(crate) fn tell(&mut self, message: Message) {
        self.push(message);
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

    /// Takes over bookkeeping that was just recorded at `seq`.
    pub(crate) fn record_note(&mut self, kind: &EntryKind, seq: i64) {
        self.stale |= seq != self.last_seq + 1;
        self.last_seq = seq;
        self.taint.read(kind);
    }

    /// Whose words are in it. Shared: labels that tools add to it are the conversation's.
    #[must_use]
    pub fn taint(&self) -> &Taint {
        &self.taint
    }

    /// The messages, oldest first, as a request takes them.
    #[must_use]
    pub fn messages(&self) -> Vec<Arc<Message>> {
        self.messages.clone()
    }

    fn push_kind(&mut self, kind: EntryKind) {
        self.taint.read(&kind);
        match kind {
            EntryKind::Message { message } => self.push(message),
            EntryKind::CustomMessage { content, .. } => {
                let message = UserMessage { content, timestamp: 0, idempotency_key: None };
                self.push_message(Message::User(message));
            }
            EntryKind::BranchSummary { summary, .. } => self.push_message(user_text(summary, 0)),
            // Compactions were handled by whoever walked the tree; the rest is bookkeeping.
            EntryKind::Aside { .. }
            | EntryKind::Compaction { .. }
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
                let told = match &self.zone {
                    Some(zone) => stamp(user, zone),
                    None => user,
                };
                self.push_message(Message::User(told));
                self.forget_old_turns();
            }
            // An answer that failed or was interrupted before it said anything tells the model nothing.
            Message::Assistant(answer) if answer.content.is_empty() => {}
            Message::Assistant(answer) => {
                let real = answer.usage.prompt_tokens();
                let output = answer.usage.output;
                self.push_message(Message::Assistant(answer));
                if real > 0 {
                    let real = real.saturating_add(output);
                    self.measured = Some(Measured { real, guessed: self.tokens });
                }
            }
            Message::ToolResult(result) => {
                Label::of(result.details.as_ref()).into_iter().for_each(|label| self.taint.add(label));
                self.push_message(Message::ToolResult(result));
            }
            Message::Other(_) => {}
        }
    }

    fn push_message(&mut self, message: Message) {
        self.tokens = self.tokens.saturating_add(size::of_message(&message));
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
