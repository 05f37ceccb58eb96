//! All memories of the house, by where their indexes are: one writer each, a reader that is kept while questions come and
//! let go when they stop, and what is known about its state.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use homard_runtime::Mutex;
use jiff::civil::Date;

use crate::index::{self, Index, IndexError, IndexSize};
use crate::local_model::{LocalModel, LocalModelError};
use crate::memory::{Memory, Skipped};
use crate::search::{self, Asked, FoundPassage, Picking};
use crate::sync::{self, Synced};
use crate::vectors::{self, Matrix, Unseen};
use crate::watch::{Heard, Watch};

/// How long a look at all files holds; folders that changed are seen at once.
const LOOK_HOLDS: Duration = Duration::from_millis(1_500);
/// How long it holds where changes are heard of. Not for ever: what is written on another machine into a folder of the
/// network is not heard.
const WATCHED_HOLDS: Duration = Duration::from_mins(10);
/// How long a search waits for whoever brings the index up to date already.
const OTHERS_WITHIN: Duration = Duration::from_millis(500);
/// How long an index is kept open after the last question.
const KEPT_OPEN: Duration = Duration::from_secs(60);
/// Longest passage unless the owner says otherwise, in characters.
const PASSAGE_CHARS: usize = 1_600;

/// Where one agent's memory is, and its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryPlace {
    pub workspace: PathBuf,
    /// Files and folders that are searched besides.
    pub extra: Vec<PathBuf>,
    pub index: PathBuf,
    /// Longest passage, in characters.
    pub passage_chars: usize,
}

impl MemoryPlace {
    /// The memory of a workspace with nothing besides.
    #[must_use]
    pub fn new(workspace: PathBuf, index: PathBuf) -> Self {
        Self { workspace, extra: Vec::new(), index, passage_chars: PASSAGE_CHARS }
    }

    /// Its files.
    #[must_use]
    pub fn memory(&self) -> Memory {
        Memory::new(self.workspace.clone(), self.extra.clone())
    }
}

/// What is asked of a memory.
#[derive(Debug, Clone)]
pub struct MemoryQuestion<'q> {
    pub words: &'q str,
    /// From which "last May" is seen.
    pub today: Date,
    /// The model and the vector it made of the words, where there is one.
    pub vector: Option<(&'q str, &'q [f32])>,
    /// Whether the index is brought up to date before.
    pub catches_up: bool,
}

/// How a memory stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    pub size: IndexSize,
    /// Bytes of the index.
    pub bytes: u64,
    /// Files done and all files, while the index is being brought up to date.
    pub progress: Option<(usize, usize)>,
    pub skipped: Vec<Skipped>,
    /// Whether there are more files than are looked at.
    pub truncated: bool,
    /// Whether the index was found broken and made anew since the program began.
    pub was_broken: bool,
}

/// The memories. Clone-cheap: clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Memories {
    shelves: Arc<Mutex<HashMap<PathBuf, Arc<Shelf>>>>,
    /// The model that was asked last.
    model: Arc<Mutex<Option<Kept>>>,
}

/// A model while it is asked.
#[derive(Debug)]
struct Kept {
    path: PathBuf,
    model: Arc<LocalModel>,
    used: Instant,
}

/// One index and those who use it.
#[derive(Debug, Default)]
struct Shelf {
    is_syncing: AtomicBool,
    done: AtomicUsize,
    total: AtomicUsize,
    /// Grows whenever the index changes.
    edition: AtomicU64,
    seen: Mutex<Seen>,
    ear: Mutex<Ear>,
    reader: Mutex<Option<Reader>>,
}

/// What is heard of changes, where anything is.
#[derive(Debug, Default)]
struct Ear {
    watch: Option<Watch>,
    heard: Heard,
}

/// What has to be looked at to bring an index up to date.
enum Due {
    Nothing,
    Places(Vec<PathBuf>),
    Everything,
}

/// What the last look at the files found.
#[derive(Debug, Default)]
struct Seen {
    at: Option<Instant>,
    folders: Vec<(PathBuf, Option<SystemTime>)>,
    skipped: Vec<Skipped>,
    truncated: bool,
    was_broken: bool,
}

/// The index as questions are put to it.
#[derive(Debug)]
struct Reader {
    index: Index,
    /// The vectors of one model at one edition.
    matrix: Option<(String, u64, Matrix)>,
    used: Instant,
}

impl Memories {
    fn shelf(&self, place: &MemoryPlace) -> Arc<Shelf> {
        Arc::clone(self.shelves.lock().entry(place.index.clone()).or_default())
    }

    /// Brings an index up to date. Somebody who does so already is not waited for.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn sync(&self, place: &MemoryPlace) -> Result<Option<Synced>, IndexError> {
        self.shelf(place).sync(place, |_| Due::Everything, false)
    }

    /// The same by looking only at what may have changed since the last time. `None` when nothing has, too.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn catch_up(&self, place: &MemoryPlace) -> Result<Option<Synced>, IndexError> {
        self.shelf(place).sync(place, Shelf::due, false)
    }

    /// Has the system tell which files change, from now on. What is returned can be read from when there is something to
    /// catch up with; [`Memories::catch_up`] takes it.
    ///
    /// # Errors
    /// When the system does not; the files are then looked at as before.
    pub fn watch(&self, place: &MemoryPlace) -> io::Result<OwnedFd> {
        self.shelf(place).ear.lock().open()
    }

    /// Stops being told.
    pub fn unwatch(&self, place: &MemoryPlace) {
        *self.shelf(place).ear.lock() = Ear::default();
    }

    /// Takes what there is to hear; whether there was anything.
    #[must_use]
    pub fn hears(&self, place: &MemoryPlace) -> bool {
        self.shelf(place).ear.lock().hear()
    }

    /// Makes an index anew from the files.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn rebuild(&self, place: &MemoryPlace) -> Result<Option<Synced>, IndexError> {
        self.shelf(place).sync(place, |_| Due::Everything, true)
    }

    /// The passages that fit a question best, in an index that is up to date or being brought there.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn search(
        &self,
        place: &MemoryPlace,
        question: &MemoryQuestion<'_>,
        picking: &Picking,
    ) -> Result<Vec<FoundPassage>, IndexError> {
        let shelf = self.shelf(place);
        if question.catches_up {
            shelf.wait_for_others();
            shelf.sync(place, Shelf::due, false)?;
        }
        match shelf.ask(place, |reader, edition| reader.search(question, picking, edition)) {
            Err(error) if error.is_broken() => {
                shelf.mend(place, &error)?;
                shelf.sync(place, |_| Due::Everything, false)?;
                shelf.ask(place, |reader, edition| reader.search(question, picking, edition))
            }
            other => other,
        }
    }

    /// How it stands, without bringing it up to date.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn standing(&self, place: &MemoryPlace) -> Result<Standing, IndexError> {
        let shelf = self.shelf(place);
        let size = shelf.ask(place, |reader, _| reader.index.size())?;
        let bytes = std::fs::metadata(&place.index).map_or(0, |meta| meta.len());
        let is_syncing = shelf.is_syncing.load(Ordering::Acquire);
        let progress = (shelf.done.load(Ordering::Acquire), shelf.total.load(Ordering::Acquire));
        let seen = shelf.seen.lock();
        Ok(Standing {
            size,
            bytes,
            progress: is_syncing.then_some(progress),
            skipped: seen.skipped.clone(),
            truncated: seen.truncated,
            was_broken: seen.was_broken,
        })
    }

    /// Passages that have no vector of this model yet, so many at most.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn unseen(&self, place: &MemoryPlace, model: &str, most: usize) -> Result<Vec<Unseen>, IndexError> {
        self.shelf(place).ask(place, |reader, _| vectors::missing(&reader.index, model, most))
    }

    /// Keeps vectors of passages, by their hashes.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn keep_vectors(
        &self,
        place: &MemoryPlace,
        model: &str,
        made: &[(String, Vec<f32>)],
    ) -> Result<(), IndexError> {
        let shelf = self.shelf(place);
        shelf.ask(place, |reader, _| vectors::keep(&reader.index, model, made))?;
        shelf.edition.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Forgets vectors of other models, and of passages that are gone.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn sweep_vectors(&self, place: &MemoryPlace, models: &[String]) -> Result<(), IndexError> {
        self.shelf(place).ask(place, |reader, _| vectors::sweep(&reader.index, models))
    }
}

impl Memories {
    /// Vectors of texts, made by a model file. It is read when it is first asked and let go when nobody does any more.
    ///
    /// # Errors
    /// When the file is no model that can be used.
    pub fn local_vectors(&self, path: &Path, texts: &[String]) -> Result<Vec<Vec<f32>>, LocalModelError> {
        let model = self.model_at(path)?;
        Ok(texts.iter().map(|text| model.vector(text)).collect())
    }

    fn model_at(&self, path: &Path) -> Result<Arc<LocalModel>, LocalModelError> {
        let mut kept = self.model.lock();
        if let Some(kept) = kept.as_mut().filter(|kept| kept.path == path) {
            kept.used = Instant::now();
            return Ok(Arc::clone(&kept.model));
        }
        let model = Arc::new(LocalModel::open(path)?);
        let was_empty = kept.is_none();
        *kept = Some(Kept { path: path.to_owned(), model: Arc::clone(&model), used: Instant::now() });
        if was_empty {
            let kept = Arc::downgrade(&self.model);
            let_go_later(move || {
                let Some(kept) = kept.upgrade() else { return true };
                let mut kept = kept.lock();
                let is_idle = kept.as_ref().is_none_or(|kept| kept.used.elapsed() >= KEPT_OPEN);
                if is_idle {
                    kept.take();
                }
                is_idle
            });
        }
        Ok(model)
    }
}

impl Reader {
    fn search(
        &mut self,
        question: &MemoryQuestion<'_>,
        picking: &Picking,
        edition: u64,
    ) -> Result<Vec<FoundPassage>, IndexError> {
        if let Some((model, _)) = question.vector {
            let is_held = self.matrix.as_ref().is_some_and(|(held, at, _)| held == model && *at == edition);
            if !is_held {
                self.matrix = Some((model.to_owned(), edition, Matrix::load(&self.index, model)?));
            }
        }
        let asked = Asked {
            words: question.words,
            today: question.today,
            vector: question.vector.map(|(_, vector)| vector),
        };
        let matrix = self.matrix.as_ref().map(|(_, _, matrix)| matrix).filter(|matrix| !matrix.is_empty());
        search::search(&self.index, asked, picking, matrix)
    }
}

impl Ear {
    fn open(&mut self) -> io::Result<OwnedFd> {
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

    fn hear(&mut self) -> bool {
        self.watch.as_mut().is_some_and(|watch| watch.hear(&mut self.heard))
    }

    /// Forgets what was heard so far.
    fn forget(&mut self) {
        self.hear();
        self.heard = Heard::default();
    }

    /// Listens to these folders. What came into a new one since it was looked at was not heard, so it is looked at again.
    fn over<'f>(&mut self, folders: impl Iterator<Item = &'f Path>) {
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

impl Shelf {
    /// Whether no folder has changed since it was looked into.
    fn is_fresh(&self) -> bool {
        self.seen.lock().folders.iter().all(|(folder, changed)| changed_at(folder) == *changed)
    }

    /// Waits while somebody else brings the index up to date, unless that takes long: what was written a moment ago is to be
    /// found, but nobody waits for a large index to be made.
    fn wait_for_others(&self) {
        let began = Instant::now();
        while self.is_syncing.load(Ordering::Acquire) && began.elapsed() < OTHERS_WITHIN {
            std::thread::park_timeout(Duration::from_millis(2));
        }
    }

    /// What has to be looked at. What was heard is taken: whoever asks does so.
    fn due(&self) -> Due {
        let looked = self.seen.lock().at;
        let mut ear = self.ear.lock();
        ear.hear();
        let holds = if ear.watch.is_some() { WATCHED_HOLDS } else { LOOK_HOLDS };
        let is_stale = looked.is_none_or(|at| at.elapsed() >= holds);
        match ear.watch {
            _ if is_stale || ear.heard.is_unclear => Due::Everything,
            Some(_) if ear.heard.is_nothing() => Due::Nothing,
            Some(_) => Due::Places(std::mem::take(&mut ear.heard).places.into_iter().collect()),
            None if self.is_fresh() => Due::Nothing,
            None => Due::Everything,
        }
    }

    fn sync(
        &self,
        place: &MemoryPlace,
        due: impl FnOnce(&Self) -> Due,
        anew: bool,
    ) -> Result<Option<Synced>, IndexError> {
        if self.is_syncing.swap(true, Ordering::AcqRel) {
            return Ok(None);
        }
        self.done.store(0, Ordering::Release);
        self.total.store(0, Ordering::Release);
        let synced = self.sync_what(place, due(self), anew);
        self.is_syncing.store(false, Ordering::Release);
        if synced.is_err() {
            self.ear.lock().heard.is_unclear = true;
        }
        synced
    }

    fn sync_what(&self, place: &MemoryPlace, due: Due, anew: bool) -> Result<Option<Synced>, IndexError> {
        let synced = match due {
            Due::Nothing => return Ok(None),
            Due::Places(places) => self.bring_up_places(place, &places),
            Due::Everything => self.bring_up(place, anew),
        };
        match synced {
            Err(error) if error.is_broken() => {
                self.mend(place, &error)?;
                self.bring_up(place, anew).map(Some)
            }
            other => other.map(Some),
        }
    }

    /// Looks at a few files alone.
    fn bring_up_places(&self, place: &MemoryPlace, places: &[PathBuf]) -> Result<Synced, IndexError> {
        let index = Index::open(&place.index)?;
        let synced = sync::sync_places(&index, &place.memory(), place.passage_chars, places)?;
        if synced.has_changed() {
            self.edition.fetch_add(1, Ordering::AcqRel);
        }
        let mut seen = self.seen.lock();
        for skipped in &synced.skipped {
            seen.skipped.retain(|known| known.path != skipped.path);
            seen.skipped.push(skipped.clone());
        }
        Ok(synced)
    }

    fn bring_up(&self, place: &MemoryPlace, anew: bool) -> Result<Synced, IndexError> {
        let at = Instant::now();
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
        let synced = sync::sync(&index, &place.memory(), place.passage_chars, &progress)?;
        if synced.has_changed() || anew {
            self.edition.fetch_add(1, Ordering::AcqRel);
        }
        // The workspace itself is one of them: `MEMORY.md` lies there.
        let folders = || synced.folders.iter().chain([&place.workspace]);
        self.ear.lock().over(folders().map(PathBuf::as_path));
        let mut seen = self.seen.lock();
        seen.at = Some(at);
        seen.folders = folders().map(|folder| (folder.clone(), changed_at(folder))).collect();
        seen.skipped.clone_from(&synced.skipped);
        seen.truncated = synced.truncated;
        Ok(synced)
    }

    /// Puts an index away that is not what we wrote.
    fn mend(&self, place: &MemoryPlace, error: &IndexError) -> Result<(), IndexError> {
        tracing::warn!(%error, index = %place.index.display(), "the memory index is broken and is made anew");
        self.reader.lock().take();
        self.seen.lock().at = None;
        self.seen.lock().was_broken = true;
        index::delete(&place.index).map_err(|source| IndexError::Place { path: place.index.clone(), source })
    }

    /// Uses the reader, opening it where it is not.
    fn ask<T>(
        self: &Arc<Self>,
        place: &MemoryPlace,
        act: impl FnOnce(&mut Reader, u64) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let edition = self.edition.load(Ordering::Acquire);
        let mut held = self.reader.lock();
        if held.is_none() {
            let index = match Index::open(&place.index) {
                Err(error) if error.is_broken() => {
                    drop(held);
                    self.mend(place, &error)?;
                    held = self.reader.lock();
                    Index::open(&place.index)?
                }
                other => other?,
            };
            *held = Some(Reader { index, matrix: None, used: Instant::now() });
            self.let_go_later();
        }
        let Some(reader) = held.as_mut() else { return Err(rusqlite::Error::InvalidQuery.into()) };
        reader.used = Instant::now();
        act(reader, edition)
    }

    /// Lets the reader go once nobody asks any more.
    fn let_go_later(self: &Arc<Self>) {
        let shelf = Arc::downgrade(self);
        let_go_later(move || {
            let Some(shelf) = shelf.upgrade() else { return true };
            let mut held = shelf.reader.lock();
            let is_idle = held.as_ref().is_none_or(|reader| reader.used.elapsed() >= KEPT_OPEN);
            if is_idle {
                held.take();
            }
            is_idle
        });
    }
}

/// Asks again and again whether something could be let go, until it was. The thread ends with it.
fn let_go_later(mut try_it: impl FnMut() -> bool + Send + 'static) {
    let waiting = move || {
        loop {
            std::thread::park_timeout(KEPT_OPEN);
            if try_it() {
                return;
            }
        }
    };
    let begun =
        std::thread::Builder::new().name("memory-rest".to_owned()).stack_size(64 * 1024).spawn(waiting);
    if let Err(error) = begun {
        tracing::debug!(%error, "what memory holds stays until the end");
    }
}

fn changed_at(folder: &Path) -> Option<SystemTime> {
    std::fs::symlink_metadata(folder).ok()?.modified().ok()
}

#[cfg(test)]
mod tests;
