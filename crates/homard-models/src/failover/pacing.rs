//! Who may be asked again, and when: what all runs of a gateway share beside the profiles' cooldowns.
//!
//! A cooldown is our own caution and may be tested early, seldom; a provider's wish to be left alone is not
//! ours to test. Both are kept here in memory only: after a restart a question too many does no harm.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use homard_runtime::{Mutex, Timestamp, millis_i64};

use super::policy::PROBE_EVERY;

/// Most credentials remembered; the ones longest past are forgotten first.
const MAX_KNOWN: usize = 1_024;

/// The shared memory. Clone-cheap; one per gateway.
#[derive(Debug, Clone, Default)]
pub struct Pacing {
    known: Arc<Mutex<BTreeMap<String, KnownLimits>>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct KnownLimits {
    /// When it was last asked although it was cooling.
    probed: Option<Timestamp>,
    /// Until when its provider asked to be left alone.
    rests_until: Timestamp,
}

impl Pacing {
    /// The earliest moment a cooling credential may be asked.
    pub(super) fn earliest(&self, credential: &str, now: Timestamp) -> Timestamp {
        let known = self.known.lock();
        let Some(known) = known.get(credential) else { return now };
        let next = known.probed.map_or(now, |at| at.saturating_add(millis_i64(PROBE_EVERY)));
        next.max(known.rests_until).max(now)
    }

    /// Until when a credential's provider asked to be left alone; `now` when it did not.
    pub(super) fn wish(&self, credential: &str, now: Timestamp) -> Timestamp {
        let known = self.known.lock();
        known.get(credential).map_or(now, |known| known.rests_until.max(now))
    }

    /// A cooling credential is being asked.
    pub(super) fn probing(&self, credential: &str, now: Timestamp) {
        self.change(credential, now, |known| known.probed = Some(now));
    }

    /// A provider asked to be left alone.
    pub(super) fn rest(&self, credential: &str, wait: Duration, now: Timestamp) {
        let until = now.saturating_add(millis_i64(wait));
        self.change(credential, now, |known| known.rests_until = known.rests_until.max(until));
    }

    fn change(&self, credential: &str, now: Timestamp, change: impl FnOnce(&mut KnownLimits)) {
        let mut known = self.known.lock();
        if known.len() >= MAX_KNOWN && !known.contains_key(credential) {
            let past = |known: &KnownLimits| known.rests_until <= now;
            known.retain(|_, known| !past(known));
            if known.len() >= MAX_KNOWN {
                drop(known.pop_first());
            }
        }
        change(known.entry(credential.to_owned()).or_default());
    }
}
