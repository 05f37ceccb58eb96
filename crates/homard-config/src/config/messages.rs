//! `messages`: how messages look, wait and are acknowledged.

pub mod delivery;

use std::collections::BTreeMap;
use std::time::Duration;

use homard_protocol::ChannelId;
use homard_runtime::CollectOrdered as _;

use super::Resolve;
use crate::raw::agents as raw_agents;
use crate::raw::session as raw;

pub use homard_protocol::session_words::{QueueDrop, QueueMode};

const DEFAULT_QUEUE_DEBOUNCE_MS: u64 = 1_000;
const DEFAULT_QUEUE_CAP: u64 = 20;
/// More than a queue ever holds, whatever the file says.
const MAX_QUEUE_CAP: u64 = 1_000;
const DEFAULT_HISTORY_LIMIT: u64 = 50;
/// More than a group's context ever holds, whatever the file says.
const MAX_HISTORY_LIMIT: u64 = 1_000;
/// Longest quiet time that is waited for; a longer one would look like a dead assistant.
const MAX_DEBOUNCE: Duration = Duration::from_secs(600);

/// Decided `messages.queue`.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    /// What happens to messages; `None` when the file says nothing.
    pub mode: Option<QueueMode>,
    /// The same, per platform.
    pub by_channel: BTreeMap<ChannelId, QueueMode>,
    /// Quiet time before they are taken.
    pub debounce: Duration,
    /// The same, per platform.
    pub debounce_by_channel: BTreeMap<ChannelId, Duration>,
    /// Most messages that wait.
    pub cap: usize,
    /// What happens to the rest.
    pub drop: QueueDrop,
}

/// Decided `messages.inbound`: how long is waited for a second half of a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inbound {
    /// Quiet time; zero means none.
    debounce: Duration,
    /// The same, per platform.
    by_channel: BTreeMap<ChannelId, Duration>,
}

impl Inbound {
    /// How long messages of a platform wait for more.
    #[must_use]
    pub fn debounce_on(&self, channel: &ChannelId) -> Duration {
        self.by_channel.get(channel).copied().unwrap_or(self.debounce)
    }
}

/// `groupChat`: behaviour in groups, of an agent or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupChat {
    /// Patterns that count as a mention; `None` when the file says nothing, empty when it says "none".
    pub mention_patterns: Option<Vec<String>>,
    /// Messages of context kept; `None` when the file says nothing.
    pub history_limit: Option<usize>,
}

impl GroupChat {
    pub(super) fn resolve(raw: raw_agents::GroupChat) -> Self {
        let limit = raw.history_limit.map(|limit| limit.min(MAX_HISTORY_LIMIT));
        Self {
            mention_patterns: raw.mention_patterns,
            history_limit: limit.and_then(|limit| usize::try_from(limit).ok()),
        }
    }

    /// Messages of context kept.
    #[must_use]
    pub fn history(&self) -> usize {
        self.history_limit.unwrap_or(usize::try_from(DEFAULT_HISTORY_LIMIT).unwrap_or(0))
    }
}

/// Decided `messages`, except for how answers are shown ([`Delivery`](self::delivery::Delivery)).
#[derive(Debug, Clone, PartialEq)]
pub struct Messages {
    /// Behaviour in groups, for agents that say nothing themselves.
    pub group_chat: GroupChat,
    /// Messages while a turn is under way.
    pub queue: Queue,
    /// Messages in quick succession.
    pub inbound: Inbound,
}

impl Messages {
    pub(super) fn resolve(raw: raw::Messages, cx: &mut Resolve<'_>) -> Self {
        let inbound = raw.inbound.unwrap_or_default();
        let by_channel = per_channel(inbound.by_channel, "messages.inbound.byChannel", cx);
        Self {
            group_chat: GroupChat::resolve(raw.group_chat.unwrap_or_default()),
            queue: Queue::resolve(raw.queue.unwrap_or_default(), cx),
            inbound: Inbound {
                debounce: quiet(inbound.debounce_ms.unwrap_or(0)),
                by_channel: by_channel.into_iter().map(|(id, ms)| (id, quiet(ms))).collect_map(),
            },
        }
    }
}

impl Queue {
    fn resolve(raw: raw::Queue, cx: &mut Resolve<'_>) -> Self {
        let path = "messages.queue.byChannel";
        let mut by_channel = BTreeMap::new();
        for (id, word) in per_channel(raw.by_channel, path, cx) {
            match QueueMode::parse(&word) {
                Some(mode) => drop(by_channel.insert(id, mode)),
                None => cx.issue(format!("{path}.{id}"), format!("`{word}` is no queue mode")),
            }
        }
        let debounces = per_channel(raw.debounce_ms_by_channel, "messages.queue.debounceMsByChannel", cx);
        let cap = raw.cap.unwrap_or(DEFAULT_QUEUE_CAP).clamp(1, MAX_QUEUE_CAP);
        Self {
            mode: raw.mode.as_deref().and_then(QueueMode::parse),
            by_channel,
            debounce: quiet(raw.debounce_ms.unwrap_or(DEFAULT_QUEUE_DEBOUNCE_MS)),
            debounce_by_channel: debounces.into_iter().map(|(id, ms)| (id, quiet(ms))).collect_map(),
            cap: usize::try_from(cap).unwrap_or(1),
            drop: raw.drop.as_deref().and_then(QueueDrop::parse).unwrap_or_default(),
        }
    }
}

fn quiet(ms: u64) -> Duration {
    Duration::from_millis(ms).min(MAX_DEBOUNCE)
}

fn per_channel<T>(
    written: Option<BTreeMap<String, T>>,
    path: &str,
    cx: &mut Resolve<'_>,
) -> BTreeMap<ChannelId, T> {
    let mut decided = BTreeMap::new();
    for (id, value) in written.unwrap_or_default() {
        match ChannelId::parse(&id.trim().to_lowercase()) {
            Ok(id) => drop(decided.insert(id, value)),
            Err(error) => cx.issue(format!("{path}.{id}"), error.to_string()),
        }
    }
    decided
}

#[cfg(test)]
mod tests;
