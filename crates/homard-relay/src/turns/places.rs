//! How many runs go on at once.

use std::sync::Arc;

use arc_swap::ArcSwap;
use homard_config::Config;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::turns::lane::WaitingTurn;

/// Places beside the others, for the owner alone: others who take all of them do not keep the owner waiting.
const OWNERS_PLACES: usize = 1;

/// The places among the runs that run at once.
pub(crate) struct Places {
    usual: ArcSwap<Capacity>,
    /// For runs that others may wait for: subagents, and messages between conversations.
    nested: ArcSwap<Capacity>,
    owners: Arc<Semaphore>,
}

/// Places, and how many they are.
struct Capacity {
    permits: usize,
    free: Arc<Semaphore>,
}

impl Capacity {
    fn new(permits: usize) -> Self {
        Self { permits, free: Arc::new(Semaphore::new(permits)) }
    }
}

impl Places {
    pub(crate) fn new(config: &Config) -> Self {
        let (usual, nested) = wanted(config);
        Self {
            usual: ArcSwap::from_pointee(Capacity::new(usual)),
            nested: ArcSwap::from_pointee(Capacity::new(nested)),
            owners: Arc::new(Semaphore::new(OWNERS_PLACES)),
        }
    }

    /// As many as the owner wants now. Runs under way keep theirs.
    pub(crate) fn resize(&self, config: &Config) {
        let (usual, nested) = wanted(config);
        for (places, wanted) in [(&self.usual, usual), (&self.nested, nested)] {
            if places.load().permits != wanted {
                places.store(Arc::new(Capacity::new(wanted)));
            }
        }
    }

    /// A place for a message whose turn has come.
    pub(crate) async fn take(&self, waiting: &WaitingTurn) -> Option<OwnedSemaphorePermit> {
        if waiting.is_nested() {
            let nested = Arc::clone(&self.nested.load().free);
            return nested.acquire_owned().await.ok();
        }
        let usual = Arc::clone(&self.usual.load().free);
        if !waiting.admitted.standing().is_owner {
            return usual.acquire_owned().await.ok();
        }
        tokio::select! {
            biased;
            place = usual.acquire_owned() => place.ok(),
            place = Arc::clone(&self.owners).acquire_owned() => place.ok(),
        }
    }
}

/// How many runs, and how many nested ones, the owner wants at once.
fn wanted(config: &Config) -> (usize, usize) {
    let defaults = &config.agents.defaults;
    (defaults.max_concurrent.max(1), defaults.subagents.max_concurrent.max(1))
}
