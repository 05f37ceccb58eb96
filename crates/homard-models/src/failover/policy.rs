//! The numbers of patience: how often, how long, how far apart.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use homard_runtime::{Backoff, chance};

/// How long one call may take with all its attempts and pauses. The run has a limit of its own; connecting,
/// the first byte and silences have theirs in `homard-llm`.
pub const CALL_LIMIT: Duration = Duration::from_secs(600);
/// Most repeats of what was already tried, when providers are overloaded or out of reach.
pub const MAX_RETRIES: u32 = 8;
/// Most repeats when all that is wrong is that we ask too often.
pub const MAX_RATE_LIMIT_RETRIES: u32 = 10;
/// Longest sum of all pauses of one call; a provider that wants a longer one is given up on.
pub const MAX_WAIT: Duration = Duration::from_secs(90);
/// The first pause, about; each one after is twice as long.
pub const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause we choose ourselves.
pub const MAX_PAUSE: Duration = Duration::from_secs(30);
/// How soon a cooldown must end for the first choice to be asked before its end.
pub const PROBE_BEFORE: Duration = Duration::from_secs(120);
/// How long between two such questions.
pub const PROBE_EVERY: Duration = Duration::from_secs(30);

/// How patient a caller is; tests make it hasty.
#[derive(Debug, Clone)]
pub struct FailoverPolicy {
    pub call_limit: Duration,
    pub max_retries: u32,
    pub max_rate_limit_retries: u32,
    pub max_wait: Duration,
    pub first_pause: Duration,
    pub max_pause: Duration,
    /// Spreads pauses, so that many who failed together do not come back together.
    pub jitter: Jitter,
}

impl Default for FailoverPolicy {
    fn default() -> Self {
        Self {
            call_limit: CALL_LIMIT,
            max_retries: MAX_RETRIES,
            max_rate_limit_retries: MAX_RATE_LIMIT_RETRIES,
            max_wait: MAX_WAIT,
            first_pause: FIRST_PAUSE,
            max_pause: MAX_PAUSE,
            jitter: Jitter::default(),
        }
    }
}

impl FailoverPolicy {
    /// How long to pause after so many failures of one road: between half and all of a length that doubles.
    #[must_use]
    pub fn pause(&self, failures: u32) -> Duration {
        let whole = Backoff::doubling(self.first_pause, self.max_pause).after(failures);
        whole.mul_f64(0.5 + self.jitter.next() / 2.0)
    }
}

/// A source of numbers from 0 up to 1.
#[derive(Clone)]
pub struct Jitter(Arc<dyn Fn() -> f64 + Send + Sync>);

impl Jitter {
    /// Numbers from elsewhere; what is not between 0 and 1 is brought there.
    pub fn new(source: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    fn next(&self) -> f64 {
        let number = (self.0)();
        if number.is_nan() { 0.0 } else { number.clamp(0.0, 1.0) }
    }
}

impl Default for Jitter {
    fn default() -> Self {
        Self::new(chance)
    }
}

impl fmt::Debug for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Jitter")
    }
}

#[cfg(test)]
mod tests;
