//! Messages that belong together: what somebody types in quick succession, the pictures of an album, a long text that
//! the platform cut in pieces.
//!
//! Pure but for the time it is told: [`Gathering::add`] and [`Gathering::due`] answer with what is complete, in order.

use std::collections::VecDeque;
use std::time::Duration;

use homard_channel::{Attachment, Inbound, Sender};
use homard_store::InboxId;
use tokio::time::Instant;

/// Quiet time after which an album is complete.
const ALBUM_QUIET: Duration = Duration::from_millis(500);
/// Longest time an album is waited for in all.
const ALBUM_LIMIT: Duration = Duration::from_secs(5);
/// A text so long is taken for a piece of a longer one, in characters.
const PIECE_CHARS: usize = 4_000;
/// How long the next piece is waited for.
const PIECE_QUIET: Duration = Duration::from_millis(1_500);
/// Most pieces of one text.
const MAX_PIECES: usize = 12;
/// Longest text that is put together, in characters.
const MAX_PIECED_CHARS: usize = 50_000;
/// Most messages that become one.
const MAX_PARTS: usize = 50;
/// Most files of one message.
const MAX_FILES: usize = 20;
/// Albums that were cut and whose other parts may still come.
const MAX_CUT: usize = 16;

/// A message that is kept.
#[derive(Debug)]
pub(super) struct Item<T> {
    pub(super) id: InboxId,
    pub(super) message: Box<Inbound>,
    /// Let go of when the message is done with.
    #[expect(dead_code, reason = "it is held, and nothing else")]
    pub(super) held: T,
}

/// What is complete.
#[derive(Debug)]
pub(super) enum Complete<T> {
    /// These are one message.
    Bundle(Bundle<T>),
    /// Nothing comes of this one.
    TooMany(Item<T>),
}

/// Messages that are one.
#[derive(Debug)]
pub(super) struct Bundle<T> {
    parts: Vec<Item<T>>,
    join: &'static str,
}

/// Why messages wait for more.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Why {
    Typing,
    Album(String),
    Pieces,
}

#[derive(Debug)]
struct Bucket<T> {
    why: Why,
    parts: Vec<Item<T>>,
    chars: usize,
    due: Instant,
    limit: Option<Instant>,
}

/// What waits in one conversation.
#[derive(Debug)]
pub(super) struct Gathering<T> {
    buckets: Vec<Bucket<T>>,
    cut: VecDeque<String>,
}

impl<T> Default for Gathering<T> {
    fn default() -> Self {
        Self { buckets: Vec::new(), cut: VecDeque::new() }
    }
}

/// How a message is to be treated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Quiet time before a message is taken; zero means none.
    pub(super) quiet: Duration,
    /// Whether it waits for nothing: a command.
    pub(super) hurries: bool,
}

impl<T> Gathering<T> {
    /// When something is next complete.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.buckets.iter().map(|bucket| bucket.due).min()
    }

    /// What is complete by now, in the order it began.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Complete<T>> {
        self.release(|bucket| bucket.due <= now)
    }

    /// Everything, complete or not.
    pub(super) fn all(&mut self) -> Vec<Complete<T>> {
        self.release(|_| true)
    }

    /// Takes a message; answers with what is complete because of it.
    pub(super) fn add(&mut self, item: Item<T>, pace: Pace, now: Instant) -> Vec<Complete<T>> {
        let said = item.message.clone();
        if let Some(word) = item.message.details.part_of.clone() {
            return self.add_to_album(word, item, now);
        }
        if pace.hurries || !item.message.details.files.is_empty() {
            return self.alone(item);
        }
        let chars = item.message.text.chars().count();
        if let Some(at) = self.buckets.iter().position(|b| b.why == Why::Pieces && b.is_of(&said)) {
            return self.add_piece(at, item, pace, now);
        }
        if chars >= PIECE_CHARS {
            let done = self.release(|bucket| bucket.is_of(&said));
            let due = now + PIECE_QUIET;
            self.buckets.push(Bucket { why: Why::Pieces, parts: vec![item], chars, due, limit: None });
            return done;
        }
        if pace.quiet.is_zero() {
            return self.alone(item);
        }
        let due = now + pace.quiet;
        let Some(bucket) = self.buckets.iter_mut().find(|b| b.why == Why::Typing && b.is_of(&said)) else {
            let done = self.release(|bucket| bucket.is_of(&said));
            self.buckets.push(Bucket { why: Why::Typing, parts: vec![item], chars, due, limit: None });
            return done;
        };
        bucket.parts.push(item);
        bucket.due = due;
        self.release(|bucket| bucket.why == Why::Typing && bucket.parts.len() >= MAX_PARTS)
    }

    fn alone(&mut self, item: Item<T>) -> Vec<Complete<T>> {
        let mut done = self.release(|bucket| bucket.is_of(&item.message));
        done.push(Complete::Bundle(Bundle { parts: vec![item], join: "" }));
        done
    }

    fn add_to_album(&mut self, word: String, item: Item<T>, now: Instant) -> Vec<Complete<T>> {
        if self.cut.contains(&word) {
            return vec![Complete::TooMany(item)];
        }
        let why = Why::Album(word.clone());
        // An adapter that knows the pieces of a long text marks them as it does an album.
        let is_piece = is_text(&item) && item.message.text.chars().count() >= PIECE_CHARS;
        let quiet = if is_piece { PIECE_QUIET } else { ALBUM_QUIET };
        let Some(bucket) = self.buckets.iter_mut().find(|b| b.why == why && b.is_of(&item.message)) else {
            let done = self.release(|bucket| bucket.is_of(&item.message));
            let (due, limit) = (now + quiet, Some(now + ALBUM_LIMIT));
            self.buckets.push(Bucket { why, parts: vec![item], chars: 0, due, limit });
            return done;
        };
        if bucket.parts.len() >= MAX_PARTS {
            if self.cut.len() >= MAX_CUT {
                self.cut.pop_front();
            }
            tracing::warn!(most = MAX_PARTS, "an album has too many parts; the others are left out");
            self.cut.push_back(word);
            return vec![Complete::TooMany(item)];
        }
        bucket.parts.push(item);
        bucket.due = bucket.limit.map_or(now + quiet, |limit| limit.min(now + quiet));
        Vec::new()
    }

    /// Adds the next piece of a long text, if it is one.
    fn add_piece(&mut self, at: usize, item: Item<T>, pace: Pace, now: Instant) -> Vec<Complete<T>> {
        let Some(bucket) = self.buckets.get_mut(at) else { return self.alone(item) };
        let chars = item.message.text.chars().count();
        let follows = bucket
            .parts
            .last()
            .is_some_and(|last| follows(&last.message.message_id, &item.message.message_id));
        let fits = bucket.parts.len() < MAX_PIECES && bucket.chars + chars <= MAX_PIECED_CHARS;
        if !(follows && fits) {
            let mut done = self.release(|bucket| bucket.is_of(&item.message));
            done.extend(self.add(item, pace, now));
            return done;
        }
        bucket.parts.push(item);
        bucket.chars += chars;
        // A short piece is the last one.
        bucket.due = if chars >= PIECE_CHARS { now + PIECE_QUIET } else { now };
        self.due(now)
    }

    fn release(&mut self, is_done: impl Fn(&Bucket<T>) -> bool) -> Vec<Complete<T>> {
        let mut done = Vec::new();
        for bucket in std::mem::take(&mut self.buckets) {
            if is_done(&bucket) {
                let join = match bucket.why {
                    Why::Pieces => "",
                    Why::Album(_) if bucket.parts.iter().all(is_text) => "",
                    Why::Album(_) | Why::Typing => "\n",
                };
                done.push(Complete::Bundle(Bundle { parts: bucket.parts, join }));
            } else {
                self.buckets.push(bucket);
            }
        }
        done
    }
}

impl<T> Bucket<T> {
    /// Whether it is of who said `message`. Where a name can be taken over, what else they are known by tells.
    fn is_of(&self, message: &Inbound) -> bool {
        self.parts.first().is_some_and(|part| {
            same_person(&part.message.sender, &message.sender)
                && part.message.details.also_known_as == message.details.also_known_as
        })
    }
}

fn is_text<T>(item: &Item<T>) -> bool {
    item.message.details.files.is_empty() && item.message.images.is_empty()
}

fn same_person(one: &Sender, other: &Sender) -> bool {
    match (one, other) {
        (Sender::Peer { id: one, .. }, Sender::Peer { id: other, .. }) => one == other,
        (Sender::Operator, Sender::Operator) => true,
        (Sender::Peer { .. }, Sender::Operator) | (Sender::Operator, Sender::Peer { .. }) => false,
    }
}

/// Whether one message may be the platform's next after another. Where ids are no numbers nobody can tell.
fn follows(one: &str, next: &str) -> bool {
    match (one.parse::<i64>(), next.parse::<i64>()) {
        (Ok(one), Ok(next)) => one.checked_add(1) == Some(next),
        _ => true,
    }
}

impl<T> Bundle<T> {
    /// Its rows in the inbox.
    pub(super) fn ids(&self) -> Vec<InboxId> {
        self.parts.iter().map(|part| part.id).collect()
    }

    /// The one message they are.
    pub(super) fn message(&self) -> Option<Inbound> {
        let (last, before) = self.parts.split_last()?;
        let mut message = Inbound::clone(&last.message);
        if before.is_empty() {
            return Some(message);
        }
        let texts = self.parts.iter().map(|part| part.message.text.as_str());
        let texts: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
        message.text = texts.join(self.join);
        message.images = self.parts.iter().flat_map(|part| part.message.images.clone()).collect();
        let files = self.parts.iter().flat_map(|part| &part.message.details.files);
        let files: Vec<Attachment> = files.take(MAX_FILES).cloned().collect();
        let details = &mut message.details;
        details.files = files;
        details.part_of = None;
        for part in before {
            let earlier = &part.message.details;
            if earlier.mentions_us == Some(true) {
                details.mentions_us = Some(true);
            }
            if details.reply_to.is_none() {
                details.reply_to.clone_from(&earlier.reply_to);
            }
            if details.forwarded_from.is_none() {
                details.forwarded_from.clone_from(&earlier.forwarded_from);
            }
            if details.carries.is_none() {
                details.carries.clone_from(&earlier.carries);
            }
        }
        Some(message)
    }
}

#[cfg(test)]
mod tests;
