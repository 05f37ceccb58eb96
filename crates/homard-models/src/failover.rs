//! From one failed call to the next attempt.
//!
//! A [`Caller`] looks like any provider to the agent, and asks on its behalf: the wanted model with each
//! credential that is not cooling, with less thinking where a provider rejects the level, then the models of
//! the chain, then again after a pause. Every attempt is paid from the budget before it is made, and every one
//! that failed is told as a [`StreamEvent::Attempt`], so a run's record says what was tried and why.
//!
//! An answer that has begun to reach the person is never begun again: its failure ends the call and what had
//! arrived is kept.
//!
//! Reading order: `attempts` is the order of things, `candidates` who is asked for a model, `attempt` one question from
//! credential to bill; `step`, `thinking`, `policy` and `summary` are the rules, pure and by table.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use homard_llm::{Attempt, Models, Provider, Request, Resolved, StreamEvent, ThinkingLevel};
use homard_protocol::{ModelId, ProviderId};
use homard_runtime::{Clock, Mutex};
use tokio_util::sync::CancellationToken;

mod attempt;
mod attempts;
mod candidates;
mod emit;
mod meter;
mod pacing;
mod policy;
mod step;
mod summary;
mod thinking;

pub(crate) use meter::target as call_target;
pub use meter::{CallRecord, Meter, OpenedCall};
pub use pacing::Pacing;
pub use policy::{
    CALL_LIMIT, FIRST_PAUSE, FailoverPolicy, Jitter, MAX_PAUSE, MAX_RATE_LIMIT_RETRIES, MAX_RETRIES,
    MAX_WAIT, PROBE_BEFORE, PROBE_EVERY,
};

use crate::auth::{Profiles, ProviderAuth};
use crate::budget::{Ledger, Spender};
use attempts::AttemptLoop;

/// Most failed attempts a run's record keeps.
const MAX_KEPT_ATTEMPTS: usize = 200;

/// What a caller is made of.
pub struct CallerParts {
    /// The models to ask, the wanted one first.
    pub chain: Vec<Resolved>,
    /// What providers can be called with. A provider that is not in here is called with nothing.
    pub auth: Arc<BTreeMap<ProviderId, ProviderAuth>>,
    pub profiles: Profiles,
    /// What may be spent.
    pub ledger: Ledger,
    pub spender: Spender,
    /// The credential the conversation keeps to.
    pub pinned: Option<Pinned>,
    /// Where calls are counted.
    pub meter: Arc<dyn Meter>,
    /// When credentials that cool may be asked early; shared by all runs.
    pub pacing: Pacing,
    /// What time it is.
    pub clock: Clock,
    /// How patient to be.
    pub policy: FailoverPolicy,
}

impl fmt::Debug for CallerParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallerParts")
            .field("chain", &self.chain)
            .field("pinned", &self.pinned)
            .finish_non_exhaustive()
    }
}

/// A credential a conversation keeps to, so that the provider's cache is met again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    pub id: String,
    /// Whether a person chose it: then no other is used for its provider, and trouble leads to another model.
    pub by_user: bool,
}

/// Who answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Winner {
    pub provider: ProviderId,
    pub model: ModelId,
    pub profile: Option<String>,
}

/// Asks models on behalf of one run. Within a run it keeps to whoever answered last.
#[derive(Debug)]
pub struct Caller {
    id: ProviderId,
    parts: Arc<CallerParts>,
    memory: Memory,
}

/// What a run has learnt. Clone-cheap.
#[derive(Debug, Clone, Default)]
struct Memory(Arc<Mutex<Learnt>>);

#[derive(Debug, Default)]
struct Learnt {
    winner: Option<Winner>,
    /// Which model of the chain answered last.
    at: Option<usize>,
    /// The thinking levels models were found to accept.
    thinking: BTreeMap<usize, ThinkingLevel>,
    attempts: Vec<Attempt>,
}

impl Memory {
    fn failed(&self, attempt: Attempt) {
        let mut learnt = self.0.lock();
        if learnt.attempts.len() < MAX_KEPT_ATTEMPTS {
            learnt.attempts.push(attempt);
        }
    }
}

impl Caller {
    /// A caller for one run; nothing is asked yet.
    #[must_use]
    pub fn new(parts: CallerParts) -> Self {
        let first = parts.chain.first().map(|first| first.provider.id().clone());
        let id = first.unwrap_or_else(|| Models::demo().provider);
        Self { id, parts: Arc::new(parts), memory: Memory::default() }
    }

    /// Who answered last in this run; a conversation keeps to their credential.
    #[must_use]
    pub fn winner(&self) -> Option<Winner> {
        self.memory.0.lock().winner.clone()
    }

    /// What failed in this run so far, in order.
    #[must_use]
    pub fn attempts(&self) -> Vec<Attempt> {
        self.memory.0.lock().attempts.clone()
    }
}

impl Provider for Caller {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let (parts, memory) = (Arc::clone(&self.parts), self.memory.clone());
        emit::emit(move |out| AttemptLoop::new(parts, memory, request, out, cancel).run())
    }
}

#[cfg(test)]
mod tests;
