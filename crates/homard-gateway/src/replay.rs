//! Calls that were made before: a repeated one gets the answer of the first, and starts nothing.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use homard_runtime::Mutex;
use http::StatusCode;
use serde_json::Value;
use tokio::sync::watch;

/// How long an answer is remembered.
pub(crate) const REMEMBERED: Duration = Duration::from_secs(5 * 60);
/// Answers remembered at most; the oldest are forgotten first.
pub(crate) const MAX_REMEMBERED: usize = 1_000;

/// What a call was answered.
pub(crate) type KeptAnswer = (StatusCode, Value);

/// The calls that were made, by key.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    made: Mutex<HashMap<String, Made>>,
}

#[derive(Debug)]
struct Made {
    at: Instant,
    answer: watch::Receiver<Option<KeptAnswer>>,
}

/// Whose turn it is.
#[derive(Debug)]
pub(crate) enum Turn {
    /// Nobody made this call: make it, and say what came of it.
    First(watch::Sender<Option<KeptAnswer>>),
    /// Somebody did, or is about to.
    Again(watch::Receiver<Option<KeptAnswer>>),
}

impl Replay {
    /// Takes the place of a call, or finds who did.
    pub(crate) fn enter(&self, key: &str, now: Instant) -> Turn {
        let mut made = self.made.lock();
        made.retain(|_, one| now.saturating_duration_since(one.at) < REMEMBERED && one.is_worth_keeping());
        if let Some(one) = made.get(key) {
            return Turn::Again(one.answer.clone());
        }
        while made.len() >= MAX_REMEMBERED {
            let oldest = made.iter().min_by_key(|(_, one)| one.at).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { break };
            made.remove(&oldest);
        }
        let (sender, answer) = watch::channel(None);
        made.insert(key.to_owned(), Made { at: now, answer });
        Turn::First(sender)
    }
}

impl Made {
    /// A call that came to nothing may be tried again: it was refused, or its maker is gone.
    fn is_worth_keeping(&self) -> bool {
        match &*self.answer.borrow() {
            Some((status, _)) => status.is_success(),
            None => self.answer.has_changed().is_ok(),
        }
    }
}

/// Waits for the answer of a call somebody else makes; `None` when they are gone without one.
pub(crate) async fn wait(mut answer: watch::Receiver<Option<KeptAnswer>>) -> Option<KeptAnswer> {
    answer.wait_for(Option::is_some).await.ok()?.clone()
}

#[cfg(test)]
mod tests;
