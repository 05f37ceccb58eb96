//! Noticing edits of the file while the gateway runs.
//!
//! The files are looked at twice a second instead of asking the system for notices: the state directory holds
//! the database too, whose every write would be a notice, and a look costs less than one of those. An edit is
//! read once it has been quiet for `gateway.reload.debounceMs`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use homard_runtime::{CollectOrdered as _, OrCancel, OrLog, off_thread};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::changes::handle::ConfigHandle;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What a look sees of each file; `None` where there is none.
type Look = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

impl ConfigHandle {
    /// Watches the file and its includes until cancelled, and reloads after each edit.
    pub async fn run_watcher(self, cancel: CancellationToken) {
        let mut known = self.look();
        if self.is_outdated().await {
            // Edited after it was read and before it was watched: the first look is to find it changed.
            known.clear();
        }
        while tokio::time::sleep(LOOK_EVERY).or_cancel(&cancel).await.is_ok() {
            let mut now = self.look();
            if now == known {
                continue;
            }
            now = match self.settled(now).or_cancel(&cancel).await {
                Ok(now) => now,
                Err(_cancelled) => return,
            };
            let handle = self.clone();
            off_thread(move || handle.reload()).await.or_log("a changed configuration was not read");
            // Includes may have come or gone with the edit; what was just read is known.
            let after = self.look();
            let same = now.iter().all(|(path, stamp)| after.get(path).is_none_or(|later| later == stamp));
            known = if same { after } else { now };
        }
    }

    /// Whether the file says something else than what was read of it.
    async fn is_outdated(&self) -> bool {
        let snapshot = self.snapshot();
        tokio::fs::read_to_string(&snapshot.path).await.ok() != snapshot.raw
    }

    /// Waits until the files have been quiet for the configured time.
    async fn settled(&self, mut seen: Look) -> Look {
        let quiet = self.current().gateway.reload.debounce;
        let mut since = Instant::now();
        while since.elapsed() < quiet {
            tokio::time::sleep(quiet.saturating_sub(since.elapsed()).min(LOOK_EVERY)).await;
            let now = self.look();
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
        }
        seen
    }

    /// The dates are read here: another thread costs more than that, and four questions a second would keep every thread
    /// alive that was ever needed for something that blocks.
    fn look(&self) -> Look {
        let snapshot = self.snapshot();
        let own = [self.source().paths.config_path.clone(), snapshot.path.clone()];
        let stamp = |path: &PathBuf| {
            let metadata = std::fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        };
        own.into_iter()
            .chain(snapshot.included.iter().cloned())
            .map(|path| (path.clone(), stamp(&path)))
            .collect_map()
    }
}
