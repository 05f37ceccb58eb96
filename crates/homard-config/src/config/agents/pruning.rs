//! `agents.defaults.contextPruning`: forgetting old tool results while a conversation goes on.

use std::time::Duration;

use crate::raw::turns as raw;

const DEFAULT_TTL: Duration = Duration::from_secs(5 * 60);
const DEFAULT_KEEP_LAST: u64 = 3;
const DEFAULT_SOFT_RATIO: f64 = 0.3;
const DEFAULT_HARD_RATIO: f64 = 0.5;
const DEFAULT_MIN_PRUNABLE: u64 = 50_000;
const DEFAULT_SOFT_MAX: u64 = 4_000;
const DEFAULT_SOFT_PART: u64 = 1_500;
const DEFAULT_PLACEHOLDER: &str = "[Old tool result content cleared]";

/// Decided `agents.defaults.contextPruning`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextPruning {
    /// Whether it is on; `None` when the owner says neither.
    pub enabled: Option<bool>,
    /// How long a provider remembers a conversation; `None` when the owner does not say.
    pub ttl: Option<Duration>,
    /// Which results, and what is left of them.
    pub results: ResultPruning,
}

/// Which old tool results are shortened or removed, and what is left of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultPruning {
    /// Newest answers whose tool results stay.
    pub keep_last_assistants: usize,
    /// Part of the context that must be in use before results are shortened, in hundredths.
    pub soft_percent: u64,
    /// Part of the context that must be in use before results are removed, in hundredths.
    pub hard_percent: u64,
    /// Results are removed only where there are so many bytes of them.
    pub min_prunable: usize,
    /// Results longer than this are shortened, in bytes.
    pub soft_max: usize,
    /// What is left of their beginning, in bytes.
    pub soft_head: usize,
    /// What is left of their end, in bytes.
    pub soft_tail: usize,
    /// What stands in place of a removed result; `None` removes none.
    pub placeholder: Option<String>,
    /// Tools whose results may be pruned; empty means all.
    pub allow: Vec<String>,
    /// Tools whose results may not.
    pub deny: Vec<String>,
}

impl ContextPruning {
    /// How long a provider remembers a conversation where nobody says.
    pub const DEFAULT_TTL: Duration = DEFAULT_TTL;

    pub(in crate::config) fn resolve(raw: raw::ContextPruning) -> Self {
        Self {
            enabled: raw.mode.as_deref().map(|mode| mode == "cache-ttl"),
            ttl: raw.ttl.as_deref().and_then(duration),
            results: ResultPruning::resolve(raw),
        }
    }
}

impl Default for ResultPruning {
    fn default() -> Self {
        Self::resolve(raw::ContextPruning::default())
    }
}

impl ResultPruning {
    fn resolve(raw: raw::ContextPruning) -> Self {
        let size = |written: Option<u64>, default: u64| {
            usize::try_from(written.unwrap_or(default)).unwrap_or(usize::MAX)
        };
        let (soft, hard) = (raw.soft_trim.unwrap_or_default(), raw.hard_clear.unwrap_or_default());
        let tools = raw.tools.unwrap_or_default();
        let placeholder = hard.placeholder.unwrap_or_else(|| DEFAULT_PLACEHOLDER.to_owned());
        Self {
            keep_last_assistants: size(raw.keep_last_assistants, DEFAULT_KEEP_LAST),
            soft_percent: percent(raw.soft_trim_ratio.unwrap_or(DEFAULT_SOFT_RATIO)),
            hard_percent: percent(raw.hard_clear_ratio.unwrap_or(DEFAULT_HARD_RATIO)),
            min_prunable: size(raw.min_prunable_tool_chars, DEFAULT_MIN_PRUNABLE),
            soft_max: size(soft.max_chars, DEFAULT_SOFT_MAX),
            soft_head: size(soft.head_chars, DEFAULT_SOFT_PART),
            soft_tail: size(soft.tail_chars, DEFAULT_SOFT_PART),
            placeholder: hard.enabled.unwrap_or(true).then_some(placeholder),
            allow: tools.allow.unwrap_or_default(),
            deny: tools.deny.unwrap_or_default(),
        }
    }
}

/// Reads `500ms`, `30s`, `5m`, `1h`, `2d`; a bare number is minutes.
pub(in crate::config) fn duration(text: &str) -> Option<Duration> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let millis = match unit.trim() {
        "ms" => 1,
        "s" => 1_000,
        "" | "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    Some(Duration::from_millis(number.checked_mul(millis)?))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share is clamped to nought and one before"
)]
fn percent(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u64
}

#[cfg(test)]
mod tests;
