//! What the bot wrote lately.

use std::collections::VecDeque;

use homard_runtime::{Clock, Mutex};

/// How long a message counts as lately written.
const KEPT_MS: i64 = 24 * 60 * 60 * 1_000;
/// Most messages remembered.
const MOST: usize = 2_000;

/// Chats and messages, oldest first.
#[derive(Debug)]
pub(super) struct Recent {
    written: Mutex<VecDeque<(i64, i64, i64)>>,
    clock: Clock,
}

impl Recent {
    pub(super) fn new(clock: Clock) -> Self {
        Self { written: Mutex::default(), clock }
    }

    /// Notes a message as written.
    pub(super) fn note(&self, chat: i64, message: i64) {
        let mut written = self.written.lock();
        if written.len() >= MOST {
            written.pop_front();
        }
        written.push_back((chat, message, self.clock.now_ms()));
    }

    /// Whether the bot wrote a message lately.
    pub(super) fn wrote(&self, chat: i64, message: i64) -> bool {
        let since = self.clock.now_ms().saturating_sub(KEPT_MS);
        let written = self.written.lock();
        written.iter().rev().any(|known| (known.0, known.1) == (chat, message) && known.2 >= since)
    }
}
