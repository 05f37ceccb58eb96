//! Devices that asked to do more while they are connected, and wait to hear what was decided.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use homard_protocol::DeviceId;
use homard_protocol::events::PairDecision;
use homard_runtime::Mutex;
use tokio::sync::watch;

/// How long a decision is remembered for a client that asks late.
const REMEMBERED: Duration = Duration::from_secs(15 * 60);
/// Most requests remembered; when full, the oldest is forgotten.
const MAX_REMEMBERED: usize = 256;

/// What was decided, as soon as it was.
pub(crate) type Decision = watch::Receiver<Option<PairDecision>>;

#[derive(Debug)]
struct Waiting {
    device: DeviceId,
    since: Instant,
    decision: watch::Sender<Option<PairDecision>>,
}

/// Requests to do more, by their id.
#[derive(Debug, Default)]
pub(crate) struct ScopeUpgrades {
    waiting: Mutex<HashMap<String, Waiting>>,
}

impl ScopeUpgrades {
    /// Remembers that a device asked.
    pub(crate) fn asked(&self, request_id: &str, device: &DeviceId, now: Instant) {
        let mut waiting = self.waiting.lock();
        waiting.retain(|_, one| now.duration_since(one.since) < REMEMBERED);
        if waiting.len() >= MAX_REMEMBERED
            && let Some(oldest) = waiting.iter().min_by_key(|(_, one)| one.since).map(|(id, _)| id.clone())
        {
            waiting.remove(&oldest);
        }
        let one = || Waiting { device: device.clone(), since: now, decision: watch::Sender::new(None) };
        waiting.entry(request_id.to_owned()).or_insert_with(one);
    }

    /// Notes what was decided about any request; those nobody asked for here are none of our business.
    pub(crate) fn decided(&self, request_id: &str, decision: PairDecision) {
        if let Some(one) = self.waiting.lock().get(request_id) {
            one.decision.send_replace(Some(decision));
        }
    }

    /// What will be decided, for the device that asked.
    pub(crate) fn decision(&self, request_id: &str, device: &DeviceId) -> Option<Decision> {
        let waiting = self.waiting.lock();
        let one = waiting.get(request_id).filter(|one| one.device == *device)?;
        Some(one.decision.subscribe())
    }
}

#[cfg(test)]
mod tests;
