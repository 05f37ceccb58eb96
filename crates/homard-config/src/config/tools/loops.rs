//! `tools.loopDetection`: when a model goes in circles.

use serde_json::Value;

use crate::raw::tools as raw;

const DEFAULT_HISTORY: u64 = 30;
const DEFAULT_WARNING: u64 = 10;
const DEFAULT_CRITICAL: u64 = 20;
const DEFAULT_BREAKER: u64 = 30;
/// The least any of them can be: the second time something happens it is a repeat.
const LEAST: usize = 2;

/// Decided `tools.loopDetection`. The plain rule (the same call with the same result) always holds; `enabled`
/// turns on the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopDetection {
    /// Calls looked back at.
    pub history: usize,
    /// Repeats before the model is told.
    pub warning: usize,
    /// Repeats before the call is refused; more than before it is told.
    pub critical: usize,
    /// Repeats before the run ends; more than before the call is refused.
    pub breaker: usize,
    /// What is looked for beside that.
    pub detectors: LoopDetectors,
}

/// What is looked for where the owner turned it on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoopDetectors {
    /// The same call, whatever came back: the model is told.
    pub generic_repeat: bool,
    /// Looking at a process that does not change.
    pub known_poll_no_progress: bool,
    /// Two calls in turn, neither with another result.
    pub ping_pong: bool,
}

impl Default for LoopDetection {
    fn default() -> Self {
        Self::resolve(&raw::LoopDetection::default())
    }
}

impl LoopDetection {
    pub(in crate::config) fn resolve(raw: &raw::LoopDetection) -> Self {
        let size = |written: Option<u64>, default: u64, least: usize| {
            usize::try_from(written.unwrap_or(default)).unwrap_or(usize::MAX).max(least)
        };
        let warning = size(raw.warning_threshold, DEFAULT_WARNING, LEAST);
        let critical = size(raw.critical_threshold, DEFAULT_CRITICAL, warning.saturating_add(1));
        let is_on = |name: &str| {
            let named = raw.detectors.as_ref().and_then(|all| all.get(name)).and_then(Value::as_bool);
            raw.enabled == Some(true) && named.unwrap_or(true)
        };
        Self {
            history: size(raw.history_size, DEFAULT_HISTORY, LEAST),
            warning,
            critical,
            breaker: size(raw.global_circuit_breaker_threshold, DEFAULT_BREAKER, critical.saturating_add(1)),
            detectors: LoopDetectors {
                generic_repeat: is_on("genericRepeat"),
                known_poll_no_progress: is_on("knownPollNoProgress"),
                ping_pong: is_on("pingPong"),
            },
        }
    }
}

#[cfg(test)]
mod tests;
