//! `agents.defaults.compaction`: how a conversation that outgrows its context is summarised.

use std::time::Duration;

use crate::raw::turns as raw;

const DEFAULT_RESERVE_TOKENS: u64 = 16_384;
const DEFAULT_RESERVE_FLOOR: u64 = 20_000;
const DEFAULT_KEEP_RECENT_TOKENS: u64 = 20_000;
const DEFAULT_MAX_HISTORY_SHARE: f64 = 0.5;
/// The least and the greatest share that can be meant.
const HISTORY_SHARES: std::ops::RangeInclusive<f64> = 0.1..=0.9;
const DEFAULT_TIMEOUT_SECONDS: u64 = 300;
const DEFAULT_FLUSH_TOKENS: u64 = 4_000;

/// Decided `agents.defaults.compaction`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// Summarise before the model refuses; when it refuses, it is done anyway.
    pub enabled: bool,
    /// Whether a long conversation is summarised piece by piece, and not in one call.
    pub in_pieces: bool,
    /// Tokens kept free for the answer, the floor applied.
    pub reserve_tokens: u64,
    /// Newest tokens kept word for word.
    pub keep_recent_tokens: u64,
    /// Largest part of the context kept word for word, in hundredths.
    pub max_history_percent: u64,
    /// Longest time one compaction may take.
    pub timeout: Duration,
    /// Writing notes before it; `None` when that is off.
    pub memory_flush: Option<MemoryFlush>,
}

/// Decided `agents.defaults.compaction.memoryFlush`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFlush {
    /// How close to the limit it happens, in tokens.
    pub soft_threshold_tokens: u64,
    /// What the agent is asked; `None` means the built-in words.
    pub prompt: Option<String>,
    pub system_prompt: Option<String>,
}

impl Compaction {
    pub(in crate::config) fn resolve(raw: &raw::Compaction) -> Self {
        let reserve = raw.reserve_tokens.unwrap_or(DEFAULT_RESERVE_TOKENS);
        let share = raw.max_history_share.unwrap_or(DEFAULT_MAX_HISTORY_SHARE);
        Self {
            enabled: raw.enabled.unwrap_or(true),
            in_pieces: raw.mode.as_deref() != Some("default"),
            reserve_tokens: reserve.max(raw.reserve_tokens_floor.unwrap_or(DEFAULT_RESERVE_FLOOR)),
            keep_recent_tokens: raw.keep_recent_tokens.unwrap_or(DEFAULT_KEEP_RECENT_TOKENS),
            max_history_percent: percent(share),
            timeout: Duration::from_secs(raw.timeout_seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS).max(1)),
            memory_flush: memory_flush(raw.memory_flush.clone().unwrap_or_default()),
        }
    }
}

fn memory_flush(raw: raw::MemoryFlush) -> Option<MemoryFlush> {
    raw.enabled.unwrap_or(true).then(|| MemoryFlush {
        soft_threshold_tokens: raw.soft_threshold_tokens.unwrap_or(DEFAULT_FLUSH_TOKENS),
        prompt: raw.prompt.filter(|prompt| !prompt.trim().is_empty()),
        system_prompt: raw.system_prompt.filter(|prompt| !prompt.trim().is_empty()),
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share is clamped to a tenth and nine tenths before"
)]
fn percent(share: f64) -> u64 {
    (share.clamp(*HISTORY_SHARES.start(), *HISTORY_SHARES.end()) * 100.0).round() as u64
}

#[cfg(test)]
mod tests;
