//! What is said when nothing answered: every road once, in a few words, and the most useful reason.

use homard_llm::{FailReason, LlmError};
use homard_runtime::Clip;

/// Longest piece kept of one road's message, in characters.
const MAX_PIECE: usize = 160;
/// Most roads named.
const MAX_ROADS: usize = 8;

/// One road that led nowhere.
#[derive(Debug, Clone)]
pub(super) struct FailedCandidate {
    pub(super) name: String,
    pub(super) error: LlmError,
    /// How often it was taken.
    pub(super) times: u32,
}

/// Remembers a failure of a road that was taken `times` more: once, or not at all.
pub(super) fn remember(roads: &mut Vec<FailedCandidate>, name: String, error: &LlmError, times: u32) {
    match roads.iter_mut().find(|road| road.name == name) {
        Some(road) => {
            road.error = error.clone();
            road.times += times;
        }
        None => roads.push(FailedCandidate { name, error: error.clone(), times }),
    }
}

/// One error for all of them. Its reason, and with it the advice a person is given, is that of the failure
/// somebody can do most about.
pub(super) fn sum(roads: &[FailedCandidate]) -> LlmError {
    let Some(best) = roads.iter().min_by_key(|road| rank(road.error.reason)) else {
        return LlmError::new(FailReason::Unknown, "there was no model to ask");
    };
    if let [only] = roads {
        let mut error = only.error.clone();
        if only.times > 1 {
            error.message = format!("{} (asked {} times)", error.message, only.times);
        }
        return error;
    }
    let said: Vec<String> = roads.iter().take(MAX_ROADS).map(told).collect();
    let more = roads.len().saturating_sub(MAX_ROADS);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    LlmError {
        message: format!("no model answered: {}{more}", said.join("; ")),
        retry_after: roads.iter().filter_map(|road| road.error.retry_after).min(),
        ..best.error.clone()
    }
}

fn told(road: &FailedCandidate) -> String {
    let FailedCandidate { name, error, times } = road;
    let piece = error.message.ellipsis_after(MAX_PIECE);
    let often = if *times > 1 { format!(", {times} times") } else { String::new() };
    format!("{name}: {}{often} ({piece})", error.reason.as_str())
}

/// What a person can act on first.
fn rank(reason: FailReason) -> u8 {
    match reason {
        FailReason::Billing => 0,
        FailReason::Auth => 1,
        FailReason::ModelNotFound => 2,
        FailReason::ContentFilter | FailReason::Refusal => 3,
        FailReason::Format | FailReason::Repetition => 4,
        FailReason::RateLimit => 5,
        FailReason::Overloaded | FailReason::Loading => 6,
        FailReason::Timeout => 7,
        FailReason::ContextOverflow | FailReason::Budget | FailReason::Aborted | FailReason::Unknown => 8,
    }
}

#[cfg(test)]
mod tests;
