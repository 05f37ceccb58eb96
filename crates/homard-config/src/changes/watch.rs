//! Noticing edits of the file while the gateway runs.
//!
//! The files are looked at twice a second instead of asking the system for notices: the state directory holds
//! the database too, whose every write would be a notice, and a look costs less than one of those. An edit is
//! read once it has been quiet for `gateway.reload.debounceMs`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use homard_runtime::{CollectOrdered as _, OrCancel, OrLog, is_far, off_thread};
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
        let mut way = self.way().await;
        let mut known = self.look(way).await;
        if self.is_outdated().await {
            // Edited after it was read and before it was watched: the first look is to find it changed.
            known.clear();
        }
        while tokio::time::sleep(LOOK_EVERY).or_cancel(&cancel).await.is_ok() {
            let mut now = self.look(way).await;
            if now == known {
                continue;
            }
            now = match self.settled(now, way).or_cancel(&cancel).await {
                Ok(now) => now,
                Err(_cancelled) => return,
            };
            let handle = self.clone();
            off_thread(move || handle.reload()).await.or_log("a changed configuration was not read");
            // Includes may have come or gone with the edit; what was just read is known.
            way = self.way().await;
            let after = self.look(way).await;
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
    async fn settled(&self, mut seen: Look, way: Way) -> Look {
        let quiet = self.current().gateway.reload.debounce;
        let mut since = Instant::now();
        while since.elapsed() < quiet {
            tokio::time::sleep(quiet.saturating_sub(since.elapsed()).min(LOOK_EVERY)).await;
            let now = self.look(way).await;
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
        }
        seen
    }

    /// How to look from now on.
    async fn way(&self) -> Way {
        let files = self.watched();
        let is_any_far = move || files.iter().filter_map(|file| file.parent()).any(is_far);
        match off_thread(is_any_far).await {
            Ok(false) => Way::Here,
            Ok(true) | Err(_) => Way::OffThread,
        }
    }

    async fn look(&self, way: Way) -> Look {
        let files = self.watched();
        match way {
            Way::Here => look_at(files),
            Way::OffThread => off_thread(move || look_at(files)).await.unwrap_or_default(),
        }
    }

    /// The file, where it was read from, and what it includes.
    fn watched(&self) -> Vec<PathBuf> {
        let snapshot = self.snapshot();
        let own = [self.source().paths.config_path.clone(), snapshot.path.clone()];
        own.into_iter().chain(snapshot.included.iter().cloned()).collect()
    }
}

/// Who reads the dates.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// Whoever watches: another thread costs more than that, and four questions a second would keep every thread alive that
    /// was ever needed for something that blocks.
    Here,
    /// Another thread all the same, where a server has one of the files: it may be silent, and everybody with it.
    OffThread,
}

fn look_at(files: Vec<PathBuf>) -> Look {
    let stamp = |path: &PathBuf| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    files.into_iter().map(|path| (path.clone(), stamp(&path))).collect_map()
}
