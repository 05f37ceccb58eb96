//! Programs of others that the room deals with: those it tells something over HTTP, and the owner's that it runs.

use std::sync::Arc;

use homard_exec::{Hidden, HideRecords, Launcher};
use tokio::sync::Semaphore;

use crate::deliver::Webhooks;
use crate::hooks::LastRuns;

/// How many of the owner's programs run at once; others wait.
const MAX_AT_ONCE: usize = 8;

/// What is needed to deal with them.
#[derive(Debug)]
pub(crate) struct Outside {
    pub(crate) webhooks: Webhooks,
    /// How programs are started so that they do not outlive the gateway; directly where there is none.
    pub(crate) launcher: Option<Arc<Launcher>>,
    /// One for each that runs.
    pub(crate) running: Semaphore,
    /// What came of each hook last.
    pub(crate) last_runs: LastRuns,
}

impl Outside {
    /// Hooks are the owner's own programs: nothing is hidden from them.
    pub(crate) fn new() -> Self {
        let hidden = Hidden { how: HideRecords::Never, ..Hidden::default() };
        Self {
            webhooks: Webhooks::default(),
            launcher: Launcher::this_program(hidden).map(Arc::new),
            running: Semaphore::new(MAX_AT_ONCE),
            last_runs: LastRuns::default(),
        }
    }
}
