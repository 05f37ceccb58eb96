//! When a broken connection is tried again.

use std::time::Duration;

use homard_channel::ChannelError;
use homard_runtime::{Backoff, spread};
use tokio::time::Instant;

/// The first wait.
const FIRST: Duration = Duration::from_secs(5);
/// The longest.
const LONGEST: Duration = Duration::from_secs(5 * 60);
/// How much a wait may differ, so that accounts do not all come back at once.
const JITTER: f64 = 0.1;
/// Tries in a row before the account is given up for a while.
const MAX_ATTEMPTS: u32 = 10;
/// How long an account that was given up is left alone: an outage may last a night, and nobody watches.
const REST: Duration = Duration::from_secs(60 * 60);

/// How often an account is connected again within an hour because nothing is heard of it.
pub(super) const MAX_RESTARTS: usize = 3;
/// That hour.
const RESTARTS_WITHIN: Duration = Duration::from_secs(60 * 60);

/// When an account was connected again because nothing was heard of it.
#[derive(Debug, Default)]
pub(super) struct Restarts {
    at: Vec<Instant>,
}

impl Restarts {
    /// Whether there may be one more now; it is counted, then.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        self.at.retain(|at| now.duration_since(*at) < RESTARTS_WITHIN);
        let may = self.at.len() < MAX_RESTARTS;
        if may {
            self.at.push(now);
        }
        may
    }
}

/// What to do after a connection broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// Try again after this time.
    Again(Duration),
    /// Say that it is given up, and try again after this time all the same.
    Rest(Duration),
    /// Do not try again until the owner acts.
    Stop,
}

/// What to do after the connection broke for the `attempt`th time in a row (from 1).
pub(super) fn after(error: &ChannelError, attempt: u32, chance: f64) -> After {
    match error {
        ChannelError::Refused(_) => After::Stop,
        ChannelError::Wait(time) => After::Again((*time).max(Duration::from_secs(1)).min(REST)),
        ChannelError::Permanent(_)
        | ChannelError::Unreachable(_)
        | ChannelError::Unknown(_)
        | ChannelError::TooLarge { .. } => {
            if attempt > MAX_ATTEMPTS {
                return After::Rest(REST);
            }
            let wait = Backoff::doubling(FIRST, LONGEST).after(attempt);
            After::Again(spread(wait, JITTER, chance).min(LONGEST))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{After, REST, after};
    use homard_channel::ChannelError;
    use std::time::Duration;

    #[test]
    fn waits_double_from_five_seconds_to_five_minutes_and_ten_are_enough() {
        let down = ChannelError::Unreachable("no route".into());
        let seconds = |attempt| match after(&down, attempt, 0.5) {
            After::Again(wait) => wait.as_secs(),
            other => panic!("{other:?}"),
        };
        let waits: Vec<u64> = (1..=10).map(seconds).collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
        assert_eq!(after(&down, 11, 0.5), After::Rest(REST));
        assert_eq!(after(&down, 1, 0.0), After::Again(Duration::from_millis(4_500)));
    }

    #[test]
    fn refused_credentials_are_not_tried_again() {
        assert_eq!(after(&ChannelError::Refused("bad token".into()), 1, 0.5), After::Stop);
    }

    #[test]
    fn a_platform_that_asks_to_wait_is_waited_for() {
        let wait = ChannelError::Wait(Duration::from_secs(17));
        assert_eq!(after(&wait, 3, 0.9), After::Again(Duration::from_secs(17)));
    }
}
