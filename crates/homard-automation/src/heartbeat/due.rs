//! Which agent looks around when: the moments of each are a grid that begins somewhere else for every agent, so that a
//! restart neither brings one forward nor makes up for those that were missed, and several agents do not wake at once.

use std::collections::BTreeMap;

use homard_config::Config;
use homard_protocol::AgentId;
use homard_runtime::{Timestamp, millis_i64};

use crate::schedule::offset_of;

/// When agents look around next.
#[derive(Debug, Default)]
pub(crate) struct Beats {
    agents: BTreeMap<AgentId, Beat>,
}

#[derive(Debug, Clone, Copy)]
struct Beat {
    every: i64,
    next: Timestamp,
}

impl Beats {
    /// Takes over what the owner wants; whoever is to go on as before keeps its next moment.
    pub(crate) fn take_over(&mut self, config: &Config, now: Timestamp) {
        let wanted = config.agents.list.iter().filter_map(|agent| {
            let every = agent.heartbeat.as_ref()?.every?;
            Some((agent.id.clone(), millis_i64(every).max(1)))
        });
        let mut old = std::mem::take(&mut self.agents);
        for (agent, every) in wanted {
            // A moment further ahead than the interval is one the clock was set back from.
            let kept = old.remove(&agent).filter(|beat| beat.every == every && beat.next - now <= every);
            let beat = kept.unwrap_or_else(|| Beat { every, next: after(&agent, every, now) });
            self.agents.insert(agent, beat);
        }
    }

    /// The next moment at which anybody is due; `None` when nobody ever is.
    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.agents.values().map(|beat| beat.next).min()
    }

    /// Who is due. However many moments have passed, each agent is due once.
    pub(crate) fn take_due(&mut self, now: Timestamp) -> Vec<AgentId> {
        let mut due = Vec::new();
        for (agent, beat) in &mut self.agents {
            if beat.next <= now {
                beat.next = after(agent, beat.every, now);
                due.push(agent.clone());
            }
        }
        due
    }

    /// An agent could not look now; it is due again at `at`, or at its next moment if that is sooner.
    pub(crate) fn put_off(&mut self, agent: &AgentId, at: Timestamp) {
        if let Some(beat) = self.agents.get_mut(agent) {
            beat.next = beat.next.min(at);
        }
    }
}

/// The first moment of an agent's grid after `now`.
fn after(agent: &AgentId, every: i64, now: Timestamp) -> Timestamp {
    let phase = offset_of(agent.as_str(), every.unsigned_abs());
    let passed = now.saturating_sub(phase).div_euclid(every);
    passed.saturating_add(1).saturating_mul(every).saturating_add(phase)
}
