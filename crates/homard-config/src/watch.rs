//! Noticing edits of the file while the gateway runs.
//!
//! Directories are watched rather than files, because editors replace files; only names that belong to the
//! configuration count, because the state directory is busy. An edit is read once it has been quiet for
//! `gateway.reload.debounceMs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use homard_runtime::OrCancel;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::handle::ConfigHandle;
use crate::paths::create_private_dir;

/// Why edits cannot be noticed.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The system's file notices are not available.
    #[error("could not start watching the configuration")]
    Start(#[source] notify::Error),
    /// The directory cannot be watched.
    #[error("could not watch `{dir}`")]
    Directory {
        /// Which directory.
        dir: PathBuf,
        /// Why.
        #[source]
        source: notify::Error,
    },
    /// The state directory could not be made.
    #[error("could not create `{dir}`")]
    Create {
        /// Which directory.
        dir: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// Files whose edits count; shared with the notice callback.
type Files = Arc<Mutex<BTreeSet<PathBuf>>>;

impl ConfigHandle {
    /// Watches the file and its includes until cancelled, and reloads after each edit.
    ///
    /// # Errors
    /// When the system cannot watch files.
    pub async fn run_watcher(self, cancel: CancellationToken) -> Result<(), WatchError> {
        // One place is enough: a notice that finds it taken belongs to an edit that is about to be read.
        let (tx, mut rx) = mpsc::channel::<()>(1);
        let files = Files::default();
        let mut watcher = start(&files, tx)?;
        let mut directories = BTreeSet::new();
        loop {
            self.watch_all(&mut watcher, &files, &mut directories)?;
            let Ok(Some(())) = rx.recv().or_cancel(&cancel).await else { return Ok(()) };
            let quiet = self.current().gateway.reload.debounce;
            while let Ok(notice) = tokio::time::timeout(quiet, rx.recv().or_cancel(&cancel)).await {
                let Ok(Some(())) = notice else { return Ok(()) };
            }
            self.reload();
        }
    }

    /// Watches every directory that holds a file of the configuration; includes may have come since.
    fn watch_all(
        &self,
        watcher: &mut RecommendedWatcher,
        files: &Files,
        directories: &mut BTreeSet<PathBuf>,
    ) -> Result<(), WatchError> {
        let snapshot = self.snapshot();
        let own = [self.source().paths.config_path.clone(), snapshot.path.clone()];
        let wanted: BTreeSet<PathBuf> = own.into_iter().chain(snapshot.included.iter().cloned()).collect();
        for dir in wanted.iter().filter_map(|file| file.parent()) {
            if directories.insert(dir.to_path_buf()) {
                create_private_dir(dir)
                    .map_err(|source| WatchError::Create { dir: dir.to_path_buf(), source })?;
                let watched = watcher.watch(dir, RecursiveMode::NonRecursive);
                watched.map_err(|source| WatchError::Directory { dir: dir.to_path_buf(), source })?;
            }
        }
        *files.lock().unwrap_or_else(PoisonError::into_inner) = wanted;
        Ok(())
    }
}

fn start(files: &Files, tx: mpsc::Sender<()>) -> Result<RecommendedWatcher, WatchError> {
    let files = Arc::clone(files);
    let on_event = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        // Reading the file is a notice too; ours would wake us for ever.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        let files = files.lock().unwrap_or_else(PoisonError::into_inner);
        if event.paths.iter().any(|path| concerns(path, &files)) {
            let waiting_already = tx.try_send(()).is_err();
            tracing::trace!(waiting_already, "a file of the configuration changed");
        }
    };
    notify::recommended_watcher(on_event).map_err(WatchError::Start)
}

fn concerns(path: &Path, files: &BTreeSet<PathBuf>) -> bool {
    files.contains(path) || files.iter().any(|file| file.file_name() == path.file_name())
}
