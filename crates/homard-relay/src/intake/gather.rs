//! Messages that belong together: what somebody types in quick succession, the pictures of an album, a long text that
//! the platform cut in pieces.
//!
//! Pure but for the time it is told: [`Gathering::add`] and [`Gathering::due`] answer with what is complete, in order.

use std::collections::VecDeque;
use std::time::Duration;

use homard_channel::{Attachment, Inbound, Sender};
use homard_store::InboxId;
use tokio::sync::OwnedSemaphorePermit;
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

/// Something that was heard and is kept, on its way.
#[derive(Debug)]
pub(super) struct KeptEvent<E> {
    pub(super) id: InboxId,
    pub(super) event: E,
    /// Its place among what is under way; let go of when it is done with.
    pub(super) permit: Option<OwnedSemaphorePermit>,
}

/// A message, and perhaps a part of one.
type Part = KeptEvent<Box<Inbound>>;

/// Messages that are one.
#[derive(Debug)]
pub(super) struct Bundle {
    parts: Vec<Part>,
    join: &'static str,
}

/// Why messages wait for more.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WaitReason {
    Typing,
    Album(String),
    Pieces,
}

#[derive(Debug)]
struct Bucket {
    why: WaitReason,
    parts: Vec<Part>,
    chars: usize,
    due: Instant,
    limit: Option<Instant>,
}

/// What waits in one conversation.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    buckets: Vec<Bucket>,
    cut: VecDeque<String>,
}

/// How a message is to be treated.
#[derive(Debug, Clone, Copy)]
pub(super) struct GatherRule {
    /// Quiet time before a message is taken; zero means none.
    pub(super) quiet: Duration,
    /// Whether it waits for nothing: a command.
    pub(super) hurries: bool,
}

impl Gathering {
    /// When something is next complete.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.buckets.iter().map(|bucket| bucket.due).min()
    }

    /// What is complete by now, in the order it began.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Bundle> {
        self.release(|bucket| bucket.due <= now)
    }

    /// Everything, complete or not.
    pub(super) fn all(&mut self) -> Vec<Bundle> {
        self.release(|_| true)
    }

    /// Takes a message; answers with what is complete because of it.
    ///
    /// # Errors
    /// With the message, where it is one too many of an album: nothing comes of it.
    pub(super) fn add(&mut self, part: Part, pace: GatherRule, now: Instant) -> Result<Vec<Bundle>, Part> {
        match part.event.details.part_of.clone() {
            Some(word) => self.add_to_album(word, part, now),
            None => Ok(self.add_text(part, pace, now)),
        }
    }

    fn add_text(&mut self, part: Part, pace: GatherRule, now: Instant) -> Vec<Bundle> {
        if pace.hurries || !part.event.details.files.is_empty() {
            return self.alone(part);
        }
        let chars = part.event.text.chars().count();
        if let Some(at) =
            self.buckets.iter().position(|b| b.why == WaitReason::Pieces && b.is_of(&part.event))
        {
            return self.add_piece(at, part, pace, now);
        }
        if chars >= PIECE_CHARS {
            let done = self.release(|bucket| bucket.is_of(&part.event));
            let due = now + PIECE_QUIET;
            self.buckets.push(Bucket { why: WaitReason::Pieces, parts: vec![part], chars, due, limit: None });
            return done;
        }
        if pace.quiet.is_zero() {
            return self.alone(part);
        }
        let due = now + pace.quiet;
        let Some(bucket) =
            self.buckets.iter_mut().find(|b| b.why == WaitReason::Typing && b.is_of(&part.event))
        else {
            let done = self.release(|bucket| bucket.is_of(&part.event));
            self.buckets.push(Bucket { why: WaitReason::Typing, parts: vec![part], chars, due, limit: None });
            return done;
        };
        bucket.parts.push(part);
        bucket.due = due;
        self.release(|bucket| bucket.why == WaitReason::Typing && bucket.parts.len() >= MAX_PARTS)
    }

    fn alone(&mut self, part: Part) -> Vec<Bundle> {
        let mut done = self.release(|bucket| bucket.is_of(&part.event));
        done.push(Bundle { parts: vec![part], join: "" });
        done
    }

    fn add_to_album(&mut self, word: String, part: Part, now: Instant) -> Result<Vec<Bundle>, Part> {
        if self.cut.contains(&word) {
            return Err(part);
        }
        let why = WaitReason::Album(word.clone());
        // An adapter that knows the pieces of a long text marks them as it does an album.
        let is_piece = is_text(&part) && part.event.text.chars().count() >= PIECE_CHARS;
        let quiet = if is_piece { PIECE_QUIET } else { ALBUM_QUIET };
        let Some(bucket) = self.buckets.iter_mut().find(|b| b.why == why && b.is_of(&part.event)) else {
            let done = self.release(|bucket| bucket.is_of(&part.event));
            let (due, limit) = (now + quiet, Some(now + ALBUM_LIMIT));
            self.buckets.push(Bucket { why, parts: vec![part], chars: 0, due, limit });
            return Ok(done);
        };
        if bucket.parts.len() >= MAX_PARTS {
            if self.cut.len() >= MAX_CUT {
                self.cut.pop_front();
            }
            tracing::warn!(most = MAX_PARTS, "an album has too many parts; the others are left out");
            self.cut.push_back(word);
            return Err(part);
        }
        bucket.parts.push(part);
        bucket.due = bucket.limit.map_or(now + quiet, |limit| limit.min(now + quiet));
        Ok(Vec::new())
    }

    /// Adds the next piece of a long text, if it is one.
    fn add_piece(&mut self, at: usize, part: Part, pace: GatherRule, now: Instant) -> Vec<Bundle> {
        let Some(bucket) = self.buckets.get_mut(at) else { return self.alone(part) };
        let chars = part.event.text.chars().count();
        let follows =
            bucket.parts.last().is_some_and(|last| follows(&last.event.message_id, &part.event.message_id));
        let fits = bucket.parts.len() < MAX_PIECES && bucket.chars + chars <= MAX_PIECED_CHARS;
        if !(follows && fits) {
            let mut done = self.release(|bucket| bucket.is_of(&part.event));
            done.extend(self.add_text(part, pace, now));
            return done;
        }
        bucket.parts.push(part);
        bucket.chars += chars;
        // A short piece is the last one.
        bucket.due = if chars >= PIECE_CHARS { now + PIECE_QUIET } else { now };
        self.due(now)
    }

    fn release(&mut self, is_done: impl Fn(&Bucket) -> bool) -> Vec<Bundle> {
        let mut done = Vec::new();
        for bucket in std::mem::take(&mut self.buckets) {
            if is_done(&bucket) {
                let join = match bucket.why {
                    WaitReason::Pieces => "",
                    WaitReason::Album(_) if bucket.parts.iter().all(is_text) => "",
                    WaitReason::Album(_) | WaitReason::Typing => "\n",
                };
                done.push(Bundle { parts: bucket.parts, join });
            } else {
                self.buckets.push(bucket);
            }
        }
        done
    }
}

impl Bucket {
    /// Whether it is of who said `message`. Where a name can be taken over, what else they are known by tells.
    fn is_of(&self, message: &Inbound) -> bool {
        self.parts.first().is_some_and(|part| {
            same_person(&part.event.sender, &message.sender)
                && part.event.details.also_known_as == message.details.also_known_as
        })
    }
}

fn is_text(part: &Part) -> bool {
    part.event.details.files.is_empty() && part.event.images.is_empty()
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

impl Bundle {
    /// Its rows in the inbox.
    pub(super) fn ids(&self) -> Vec<InboxId> {
        self.parts.iter().map(|part| part.id).collect()
    }

    /// The one message they are.
    pub(super) fn message(&self) -> Option<Inbound> {
        let (last, before) = self.parts.split_last()?;
        let mut message = Inbound::clone(&last.event);
        if before.is_empty() {
            return Some(message);
        }
        let texts = self.parts.iter().map(|part| part.event.text.as_str());
        let texts: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
        message.text = texts.join(self.join);
        message.images = self.parts.iter().flat_map(|part| part.event.images.clone()).collect();
        let files = self.parts.iter().flat_map(|part| &part.event.details.files);
        let files: Vec<Attachment> = files.take(MAX_FILES).cloned().collect();
        let details = &mut message.details;
        details.files = files;
        details.part_of = None;
        for part in before {
            let earlier = &part.event.details;
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
