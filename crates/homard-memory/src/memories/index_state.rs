//! One index, those who use it, and what is known of its files.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use homard_runtime::Mutex;

use super::MemoryPlace;
use super::reader::{Reader, ReaderThread};
use crate::index::{self, Index, IndexError};
use crate::memory::Skipped;
use crate::sync::{self, Rules, Synced, Writers};
use crate::watch::{FileChanges, Watch};
use crate::{dates, words};

/// How long a look at all files holds; folders that changed are seen at once.
const LOOK_HOLDS: Duration = Duration::from_millis(1_500);
/// How long it holds where changes are heard of. Not for ever: what is written on another machine into a folder of the
/// network is not heard.
const WATCHED_HOLDS: Duration = Duration::from_mins(10);
/// How long a search waits for whoever brings the index up to date already.
const OTHERS_WITHIN: Duration = Duration::from_millis(500);

/// One index and those who use it.
#[derive(Debug, Default)]
pub(super) struct IndexState {
    pub(super) is_syncing: AtomicBool,
    pub(super) done: AtomicUsize,
    pub(super) total: AtomicUsize,
    /// Grows whenever the index changes.
    pub(super) edition: AtomicU64,
    pub(super) seen: Mutex<FolderState>,
    pub(super) ear: Mutex<ChangeWatch>,
    pub(super) reader: ReaderThread,
}

/// What is heard of changes, where anything is.
#[derive(Debug, Default)]
pub(super) struct ChangeWatch {
    pub(super) watch: Option<Watch>,
    pub(super) heard: FileChanges,
}

/// What has to be looked at to bring an index up to date.
pub(super) enum SyncScope {
    Nothing,
    Places(Vec<PathBuf>),
    Everything,
}

/// What the last look at the files found.
#[derive(Debug, Default)]
pub(super) struct FolderState {
    pub(super) at: Option<Instant>,
    pub(super) folders: Vec<(PathBuf, Option<SystemTime>)>,
    /// The index as it was written then; another one has to be filled anew.
    pub(super) index: Option<FileId>,
    /// What it is of: the owner may name another workspace, or more files, at any moment.
    pub(super) of: Option<MemoryPlace>,
    /// How often the index was found broken.
    pub(super) mended: u64,
    pub(super) skipped: Vec<Skipped>,
    pub(super) truncated: bool,
}

/// A file, whatever it is called.
pub(super) type FileId = (u64, u64);

impl ChangeWatch {
    pub(super) fn open(&mut self) -> io::Result<OwnedFd> {
        let watch = match self.watch.take() {
            Some(watch) => watch,
            None => {
                // Which folders there are is known after the next look.
                self.heard.is_unclear = true;
                Watch::open()?
            }
        };
        let bell = watch.bell()?;
        self.watch = Some(watch);
        Ok(bell)
    }

    pub(super) fn hear(&mut self) -> bool {
        self.watch.as_mut().is_some_and(|watch| watch.hear(&mut self.heard))
    }

    /// Forgets what was heard so far.
    pub(super) fn forget(&mut self) {
        self.hear();
        self.heard = FileChanges::default();
    }

    /// Listens to these folders. What came into a new one since it was looked at was not heard, so it is looked at again.
    pub(super) fn over<'f>(&mut self, folders: impl Iterator<Item = &'f Path>) {
        let Some(watch) = &mut self.watch else { return };
        match watch.over(folders) {
            Ok(are_new) => self.heard.is_unclear |= are_new,
            Err(error) => {
                tracing::info!(%error, "notes are not watched; they are looked at before each search");
                self.watch = None;
            }
        }
    }
}

/// Somebody brings an index up to date; whatever becomes of it, the next may.
struct Syncing<'s>(&'s AtomicBool);

impl<'s> Syncing<'s> {
    fn begin(is_syncing: &'s AtomicBool) -> Option<Self> {
        (!is_syncing.swap(true, Ordering::AcqRel)).then(|| Self(is_syncing))
    }
}

impl Drop for Syncing<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl IndexState {
    /// Whether no folder has changed since it was looked into.
    pub(super) fn is_fresh(&self) -> bool {
        self.seen.lock().folders.iter().all(|(folder, changed)| changed_at(folder) == *changed)
    }

    /// Waits while somebody else brings the index up to date, unless that takes long: what was written a moment ago is to be
    /// found, but nobody waits for a large index to be made.
    pub(super) fn wait_for_others(&self) {
        let began = Instant::now();
        while self.is_syncing.load(Ordering::Acquire) && began.elapsed() < OTHERS_WITHIN {
            std::thread::park_timeout(Duration::from_millis(2));
        }
    }

    /// Whether nothing changed, as far as is heard. Looks at no file of the memory, so it does not block.
    pub(super) fn is_heard_of(&self, place: &MemoryPlace) -> bool {
        let mut ear = self.ear.lock();
        ear.hear();
        let is_quiet = ear.watch.is_some() && ear.heard.is_nothing();
        drop(ear);
        is_quiet && !self.is_stale(place, WATCHED_HOLDS)
    }

    /// Whether the last look at all files does not hold any more.
    pub(super) fn is_stale(&self, place: &MemoryPlace, holds: Duration) -> bool {
        let seen = self.seen.lock();
        // An index that was deleted, or is another or of something else, is filled from the beginning.
        let is_same = |index: FileId| Some(index) == file_id(&place.index) && seen.of.as_ref() == Some(place);
        let looked = seen.at.filter(|_| seen.index.is_some_and(is_same));
        looked.is_none_or(|at| at.elapsed() >= holds)
    }

    /// What has to be looked at. What was heard is taken: whoever asks does so.
    pub(super) fn due(&self, place: &MemoryPlace) -> SyncScope {
        let is_watched = self.ear.lock().watch.is_some();
        let is_stale = self.is_stale(place, if is_watched { WATCHED_HOLDS } else { LOOK_HOLDS });
        let mut ear = self.ear.lock();
        ear.hear();
        match ear.watch {
            _ if is_stale || ear.heard.is_unclear => SyncScope::Everything,
            Some(_) if ear.heard.is_nothing() => SyncScope::Nothing,
            Some(_) => SyncScope::Places(std::mem::take(&mut ear.heard).places.into_iter().collect()),
            None if self.is_fresh() => SyncScope::Nothing,
            None => SyncScope::Everything,
        }
    }

    pub(super) fn sync(
        &self,
        place: &MemoryPlace,
        writers: &dyn Writers,
        due: impl FnOnce(&Self, &MemoryPlace) -> SyncScope,
        anew: bool,
    ) -> Result<Option<Synced>, IndexError> {
        let Some(_syncing) = Syncing::begin(&self.is_syncing) else { return Ok(None) };
        words::make_tables();
        dates::make_table();
        self.done.store(0, Ordering::Release);
        self.total.store(0, Ordering::Release);
        let synced = self.sync_what(place, writers, due(self, place), anew);
        if synced.is_err() {
            self.ear.lock().heard.is_unclear = true;
        }
        synced
    }

    pub(super) fn sync_what(
        &self,
        place: &MemoryPlace,
        writers: &dyn Writers,
        due: SyncScope,
        anew: bool,
    ) -> Result<Option<Synced>, IndexError> {
        let rules = Rules { passage_chars: place.passage_chars, writers };
        let synced = match due {
            SyncScope::Nothing => return Ok(None),
            SyncScope::Places(places) => self.bring_up_places(place, rules, &places),
            SyncScope::Everything => self.bring_up(place, rules, anew),
        };
        match synced {
            Err(error) if error.is_broken() => {
                self.mend(place, &error)?;
                self.bring_up(place, rules, anew).map(Some)
            }
            other => other.map(Some),
        }
    }

    /// Looks at a few files alone.
    pub(super) fn bring_up_places(
        &self,
        place: &MemoryPlace,
        rules: Rules<'_>,
        places: &[PathBuf],
    ) -> Result<Synced, IndexError> {
        let index = Index::open(&place.index)?;
        let synced = sync::sync_places(&index, &place.memory(), rules, places)?;
        if synced.has_changed() {
            self.edition.fetch_add(1, Ordering::AcqRel);
        }
        let mut seen = self.seen.lock();
        let told = |file: &PathBuf| file.strip_prefix(&place.workspace).unwrap_or(file).to_owned();
        let looked: Vec<PathBuf> = places.iter().map(told).collect();
        seen.skipped.retain(|known| !looked.iter().any(|path| path.as_path() == Path::new(&known.path)));
        seen.skipped.extend(synced.skipped.iter().cloned());
        Ok(synced)
    }

    pub(super) fn bring_up(
        &self,
        place: &MemoryPlace,
        rules: Rules<'_>,
        anew: bool,
    ) -> Result<Synced, IndexError> {
        let (at, mended) = (Instant::now(), self.seen.lock().mended);
        // What changes from here on is heard again; what changed before is seen.
        self.ear.lock().forget();
        let index = Index::open(&place.index)?;
        if anew {
            index.clear()?;
        }
        let progress = |done, total| {
            self.done.store(done, Ordering::Release);
            self.total.store(total, Ordering::Release);
        };
        let synced = sync::sync(&index, &place.memory(), rules, &progress)?;
        if synced.has_changed() || anew {
            self.edition.fetch_add(1, Ordering::AcqRel);
        }
        // The workspace itself is one of them: `MEMORY.md` lies there.
        let folders = || synced.folders.iter().chain([&place.workspace]);
        self.ear.lock().over(folders().map(PathBuf::as_path));
        let mut seen = self.seen.lock();
        // One that was put away meanwhile was written to in vain.
        seen.at = Some(at).filter(|_| seen.mended == mended);
        (seen.index, seen.of) = (file_id(&place.index), Some(place.clone()));
        seen.folders = folders().map(|folder| (folder.clone(), changed_at(folder))).collect();
        seen.skipped.clone_from(&synced.skipped);
        seen.truncated = synced.truncated;
        Ok(synced)
    }

    /// Puts an index away that is not what we wrote.
    pub(super) fn mend(&self, place: &MemoryPlace, error: &IndexError) -> Result<(), IndexError> {
        self.reader.close();
        self.put_away(place, error)
    }

    /// The same where nobody holds it open.
    pub(super) fn put_away(&self, place: &MemoryPlace, error: &IndexError) -> Result<(), IndexError> {
        tracing::warn!(%error, index = %place.index.display(), "the memory index is broken and is made anew");
        let mut seen = self.seen.lock();
        (seen.at, seen.mended) = (None, seen.mended + 1);
        drop(seen);
        index::put_aside(&place.index)
            .map_err(|source| IndexError::Place { path: place.index.clone(), source })
    }

    /// Has the index read, opening it where it is not.
    pub(super) fn ask<T: Clone + Send + Sync + 'static>(
        self: &Arc<Self>,
        place: &MemoryPlace,
        act: impl FnOnce(&mut Reader, u64) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, IndexError> {
        let (shelf, place) = (Arc::clone(self), place.clone());
        self.reader.ask(move |held| {
            let edition = shelf.edition.load(Ordering::Acquire);
            // One that was deleted is not asked any more.
            let file = file_id(&place.index);
            held.take_if(|reader| file.is_none() || reader.file != file);
            let reader = match held.take() {
                Some(reader) => reader,
                None => shelf.open(&place)?,
            };
            act(held.insert(reader), edition)
        })
    }

    pub(super) fn open(&self, place: &MemoryPlace) -> Result<Reader, IndexError> {
        match Reader::open(&place.index) {
            Err(error) if error.is_broken() => {
                self.put_away(place, &error)?;
                Reader::open(&place.index)
            }
            other => other,
        }
    }
}

pub(super) fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

fn changed_at(folder: &Path) -> Option<SystemTime> {
    std::fs::symlink_metadata(folder).ok()?.modified().ok()
}
