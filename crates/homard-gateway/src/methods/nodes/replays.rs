//! Requests made with a key: the same request again waits for the first one, or gets what that got.

use crate::error::RequestError;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use homard_protocol::methods::nodes::invoke::NodeInvoked;
use homard_runtime::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long an answer can be had again.
const KEEP: Duration = Duration::from_secs(300);
/// Most requests remembered; the oldest answered one is forgotten first.
const MAX_KEPT: usize = 1_000;
/// Most bytes of answers remembered; the oldest is forgotten first.
const MAX_KEPT_BYTES: usize = 32 * 1024 * 1024;

/// What a request came to.
pub(crate) type InvokeAnswer = Result<NodeInvoked, RequestError>;
type AnswerWatch = watch::Receiver<Option<InvokeAnswer>>;

/// The requests that were made with a key.
#[derive(Debug, Default)]
pub(crate) struct Replays {
    kept: Mutex<HashMap<String, KeptRequest>>,
}

#[derive(Debug)]
struct KeptRequest {
    /// What was asked, to tell a repetition from a mistake.
    asked: u64,
    at: Instant,
    /// How large the answer is, roughly.
    size: usize,
    answer: AnswerWatch,
}

/// Whether a request is the first of its key.
pub(crate) enum Claim<'r> {
    /// It is: whoever holds this answers for all.
    First(First<'r>),
    Again(AnswerWatch),
    /// The key was used for something else.
    Different,
}

/// The right to answer a key. Dropped without an answer, the key is free again.
pub(crate) struct First<'r> {
    replays: &'r Replays,
    key: String,
    tell: watch::Sender<Option<InvokeAnswer>>,
    is_kept: bool,
}

impl Replays {
    /// Begins a request.
    pub(crate) fn begin(&self, key: String, asked: &str) -> Claim<'_> {
        let now = Instant::now();
        let mut hasher = DefaultHasher::new();
        asked.hash(&mut hasher);
        let asked = hasher.finish();
        let mut kept = self.kept.lock();
        kept.retain(|_, one| one.answer.borrow().is_none() || now.duration_since(one.at) < KEEP);
        if let Some(one) = kept.get(&key) {
            return if one.asked == asked { Claim::Again(one.answer.clone()) } else { Claim::Different };
        }
        if kept.len() >= MAX_KEPT {
            forget_oldest(&mut kept);
        }
        let (tell, answer) = watch::channel(None);
        kept.insert(key.clone(), KeptRequest { asked, at: now, size: 0, answer });
        drop(kept);
        Claim::First(First { replays: self, key, tell, is_kept: false })
    }
}

impl First<'_> {
    /// Answers all who asked. A request that reached nobody may be made again with the same key.
    pub(crate) fn answer(mut self, answer: &InvokeAnswer, reached: bool) {
        self.is_kept = reached;
        self.tell.send_replace(Some(answer.clone()));
        let mut kept = self.replays.kept.lock();
        if let Some(one) = kept.get_mut(&self.key) {
            one.at = Instant::now();
            one.size = size(answer);
        }
        while kept.values().map(|one| one.size).sum::<usize>() > MAX_KEPT_BYTES {
            if !forget_oldest(&mut kept) {
                break;
            }
        }
    }
}

/// Forgets the oldest request that was answered; tells whether there was one.
fn forget_oldest(kept: &mut HashMap<String, KeptRequest>) -> bool {
    let answered = kept.iter().filter(|(_, one)| one.answer.borrow().is_some());
    let oldest = answered.min_by_key(|(_, one)| one.at).map(|(key, _)| key.clone());
    oldest.and_then(|key| kept.remove(&key)).is_some()
}

fn size(answer: &InvokeAnswer) -> usize {
    match answer {
        Ok(done) => match &done.payload_json {
            // The same twice: as text and read.
            Some(text) => text.len().saturating_mul(2),
            None => done.payload.to_string().len(),
        },
        Err(error) => error.message().len(),
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            self.replays.kept.lock().remove(&self.key);
        }
    }
}

/// Waits for what the first request got; `None` when it was given up.
pub(crate) async fn settled(mut seen: AnswerWatch) -> Option<InvokeAnswer> {
    let answer = seen.wait_for(Option::is_some).await.ok()?;
    answer.clone()
}

#[cfg(test)]
mod tests;
