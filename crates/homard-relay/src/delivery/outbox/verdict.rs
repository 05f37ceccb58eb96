//! What becomes of a message the platform did not take.

use std::time::Duration;

use homard_channel::ChannelError;
use homard_runtime::{Backoff, spread};
use homard_store::OutboundRecord;

/// The wait after the first failure; it doubles for the quick tries.
const QUICK: Duration = Duration::from_millis(400);
/// How many quick tries there are.
const QUICK_TRIES: u32 = 3;
/// The wait after that; it doubles as well.
const SLOW: Duration = Duration::from_secs(30);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(5 * 60);
/// How much a wait may differ.
const JITTER: f64 = 0.1;
/// The longest a platform may ask us to wait.
const LONGEST_ASKED: Duration = Duration::from_secs(60 * 60);
/// How often a message that may have arrived is sent again.
const MAX_AMBIGUOUS: u32 = 3;

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is tried again after this time.
    Again {
        after: Duration,
        /// Whether the platform may have taken it all the same.
        ambiguous: bool,
    },
    /// Its conversation waits this long, and no other; it is no fault of the message.
    Wait(Duration),
    /// The account is refused: everything waits until the owner acts.
    Shut,
    /// It is given up.
    GiveUp,
}

/// Decides.
pub(super) fn verdict(row: &OutboundRecord, error: &ChannelError, chance: f64) -> Verdict {
    match error {
        ChannelError::Refused(_) => Verdict::Shut,
        ChannelError::Wait(time) => Verdict::Wait((*time).min(LONGEST_ASKED)),
        ChannelError::Permanent(_) | ChannelError::TooLarge { .. } => Verdict::GiveUp,
        ChannelError::Unreachable(_) => Verdict::Again { after: wait(row.tries, chance), ambiguous: false },
        ChannelError::Unknown(_) if row.new.repeatable => {
            Verdict::Again { after: wait(row.tries, chance), ambiguous: false }
        }
        ChannelError::Unknown(_) if row.ambiguous >= MAX_AMBIGUOUS => Verdict::GiveUp,
        ChannelError::Unknown(_) => Verdict::Again { after: wait(row.tries, chance), ambiguous: true },
    }
}

/// How long to wait after `tries` failures and one more.
fn wait(tries: u32, chance: f64) -> Duration {
    let plain = if tries < QUICK_TRIES {
        Backoff::doubling(QUICK, LONGEST).after(tries + 1)
    } else {
        Backoff::doubling(SLOW, LONGEST).after(tries - QUICK_TRIES + 1)
    };
    spread(plain, JITTER, chance)
}

#[cfg(test)]
mod tests;
