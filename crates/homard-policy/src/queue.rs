//! How messages wait while a turn is under way: modes, debounce, caps and what is dropped.

use std::time::Duration;

use homard_config::config::messages::Queue;
use homard_protocol::{ChannelId, Word};
use homard_runtime::{Arrange as _, brief};
use serde::{Deserialize, Serialize};

pub use homard_config::config::messages::{QueueDrop, QueueMode};

/// Longest line that is kept of a dropped message, in characters.
pub const MAX_DROPPED_LINE: usize = 160;
/// Stands above messages that are told together.
pub(crate) const TOGETHER: &str = "[Queued messages while agent was busy]";
/// Most messages that may wait, whatever anybody asks for.
const MAX_CAP: usize = 1_000;
/// Longest quiet time, whatever anybody asks for.
const MAX_DEBOUNCE: Duration = Duration::from_secs(600);

/// How messages of one conversation wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePolicy {
    /// What happens to them.
    pub mode: QueueMode,
    /// Quiet time before they are taken.
    pub debounce: Duration,
    pub cap: usize,
    /// What happens to the rest.
    pub drop: QueueDrop,
}

/// What somebody wants otherwise: for one message, or kept with a session. What is `None` stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueOptions {
    /// What happens to messages.
    pub mode: Option<QueueMode>,
    /// Quiet time before they are taken.
    pub debounce: Option<Duration>,
    pub cap: Option<usize>,
    /// What happens to the rest.
    pub drop: Option<QueueDrop>,
}

impl QueueOptions {
    /// Reads what a session keeps; words nobody knows count as nothing.
    #[must_use]
    pub fn kept(
        mode: Option<&Word<QueueMode>>,
        debounce_ms: Option<u64>,
        cap: Option<u64>,
        drop: Option<&Word<QueueDrop>>,
    ) -> Self {
        Self {
            mode: mode.and_then(|mode| mode.read(QueueMode::parse)),
            debounce: debounce_ms.map(Duration::from_millis),
            cap: cap.and_then(|cap| usize::try_from(cap).ok()),
            drop: drop.and_then(|drop| drop.read(QueueDrop::parse)),
        }
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl QueuePolicy {
    /// Decides: what the message says, else the session, else the platform's setting, else the general one.
    #[must_use]
    pub fn decide(
        settings: &Queue,
        channel: Option<&ChannelId>,
        session: &QueueOptions,
        inline: &QueueOptions,
    ) -> Self {
        let by_channel = channel.and_then(|channel| settings.by_channel.get(channel).copied());
        let quiet = channel.and_then(|channel| settings.debounce_by_channel.get(channel).copied());
        let mode = inline.mode.or(session.mode).or(by_channel).or(settings.mode);
        let debounce = inline.debounce.or(session.debounce).or(quiet).unwrap_or(settings.debounce);
        let cap = inline.cap.or(session.cap).unwrap_or(settings.cap);
        Self {
            mode: mode.unwrap_or_default(),
            debounce: debounce.min(MAX_DEBOUNCE),
            cap: cap.clamp(1, MAX_CAP),
            drop: inline.drop.or(session.drop).unwrap_or(settings.drop),
        }
    }
}

/// What is to be done so that one more message may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MakeRoom {
    Enough,
    /// The oldest ones go, this many; `noted` says that one line of each is kept.
    GiveUpOldest {
        count: usize,
        /// Whether a line of each is kept.
        noted: bool,
    },
    /// The new one is not taken.
    RefuseNew,
}

/// What is to be done so that one more message may wait beside `waiting` others.
#[must_use]
pub fn make_room(policy: &QueuePolicy, waiting: usize) -> MakeRoom {
    if waiting < policy.cap {
        return MakeRoom::Enough;
    }
    let count = waiting.saturating_add(1).saturating_sub(policy.cap);
    match policy.drop {
        QueueDrop::New => MakeRoom::RefuseNew,
        QueueDrop::Old => MakeRoom::GiveUpOldest { count, noted: false },
        QueueDrop::Summarize => MakeRoom::GiveUpOldest { count, noted: true },
    }
}

/// What is remembered of messages that were given up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Overflow {
    pub dropped: u64,
    /// A line of each of the latest.
    pub lines: Vec<String>,
    /// When each of them was written, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<i64>,
}

impl Overflow {
    /// Remembers one that was given up, written at `at`; at most `cap` lines are kept.
    pub fn note(&mut self, prompt: &str, at: i64, cap: usize) {
        let lines = vec![brief(prompt, MAX_DROPPED_LINE)];
        self.join(&Self { dropped: 1, lines, times: vec![at] }, cap);
    }

    /// Remembers what another does as well, in the order in which it was written; at most `cap` lines are kept.
    pub fn join(&mut self, other: &Self, cap: usize) {
        self.dropped = self.dropped.saturating_add(other.dropped);
        // Lines an earlier version kept have no times: they are the oldest.
        let timed = |one: &Self| -> Vec<(i64, String)> {
            let times = one.times.iter().copied().chain(std::iter::repeat(0));
            times.zip(one.lines.iter().cloned()).collect()
        };
        let mut all = timed(self);
        all.extend(timed(other));
        all.arrange_by_key(|(at, _)| *at);
        all.drain(..all.len().saturating_sub(cap.max(1)));
        (self.times, self.lines) = all.into_iter().unzip();
    }

    /// What the model is told of them; `None` when there are none.
    #[must_use]
    pub fn prompt(&self) -> Option<String> {
        let plural = if self.dropped == 1 { "" } else { "s" };
        let head = format!("[Queue overflow] Dropped {} message{plural} due to cap.", self.dropped);
        if self.dropped == 0 {
            return None;
        }
        if self.lines.is_empty() {
            return Some(head);
        }
        let lines: Vec<String> = self.lines.iter().map(|line| format!("- {line}")).collect();
        Some(format!("{head}\nSummary:\n{}", lines.join("\n")))
    }
}

/// How messages that waited are told together, oldest first, with what is remembered of those that had to go.
#[must_use]
pub fn combine(prompts: &[String], overflow: &Overflow) -> String {
    let summary = overflow.prompt();
    if let ([only], None) = (prompts, &summary) {
        return only.clone();
    }
    let mut blocks = vec![TOGETHER.to_owned()];
    blocks.extend(summary);
    for (at, prompt) in prompts.iter().enumerate() {
        blocks.push(format!("---\nQueued #{}\n{}", at.saturating_add(1), prompt.trim()));
    }
    blocks.join("\n\n")
}

#[cfg(test)]
mod tests;
