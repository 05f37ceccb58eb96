//! Programs of others that the room deals with: those it tells something over HTTP, and the owner's that it runs.

use std::sync::Arc;

use homard_exec::{HiddenPaths, HideRecords, Launcher};
use tokio::sync::Semaphore;

use crate::deliver::Webhooks;
use crate::hooks::LastRuns;

/// How many of the owner's programs of one kind run at once; others wait.
const MAX_AT_ONCE: usize = 8;

/// Places for the owner's programs. Each kind has its own: those that only watch may take long, and nobody whose word is
/// waited for comes late because of them, or because of what strangers have rewritten.
#[derive(Debug)]
pub(crate) struct ProgramPlaces {
    /// For hooks that nobody waits for.
    pub(crate) watching: Semaphore,
    /// For hooks whose word is waited for.
    pub(crate) deciding: Semaphore,
    /// For transforms, which strangers can set going.
    pub(crate) rewriting: Semaphore,
}

impl ProgramPlaces {
    fn new() -> Self {
        let places = || Semaphore::new(MAX_AT_ONCE);
        Self { watching: places(), deciding: places(), rewriting: places() }
    }
}

/// What is needed to deal with them.
#[derive(Debug)]
pub(crate) struct WebhookParts {
    pub(crate) webhooks: Webhooks,
    /// How programs are started so that they do not outlive the gateway; directly where there is none.
    pub(crate) launcher: Option<Arc<Launcher>>,
    pub(crate) places: ProgramPlaces,
    /// What came of each hook last.
    pub(crate) last_runs: LastRuns,
}

impl WebhookParts {
    /// Hooks are the owner's own programs: nothing is hidden from them.
    pub(crate) fn new() -> Self {
        let hidden = HiddenPaths { how: HideRecords::Never, ..HiddenPaths::default() };
        Self {
            webhooks: Webhooks::default(),
            launcher: Launcher::this_program(hidden).map(Arc::new),
            places: ProgramPlaces::new(),
            last_runs: LastRuns::default(),
        }
    }
}
