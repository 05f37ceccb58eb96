//! All memories of the house, by where their indexes are: one writer each, a reader that is kept while questions come and
//! let go when they stop, and what is known about its state.

use std::collections::{BTreeSet, HashMap};
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
use crate::sync::{self, Rules, Synced, Writers};
use crate::transcripts::{self, Said, Sessions};
use crate::vectors::{self, Matrix, Unseen};
use crate::watch::{Heard, Watch};

/// How long a look at all files holds; folders that changed are seen at once.
const LOOK_HOLDS: Duration = Duration::from_millis(1_500);
/// How long it holds where changes are heard of. Not for ever: what is written on another machine into a folder of the
/// network is not heard.
const WATCHED_HOLDS: Duration = Duration::from_mins(10);
/// How long a search waits for whoever brings the index up to date already.
const OTHERS_WITHIN: Duration = Duration::from_millis(500);
/// How long vectors that were read hold at most while the index changes, and how many times as long as reading them took.
const READ_HOLDS: Duration = Duration::from_secs(10);
const READ_SHARE: u32 = 20;
/// How much less than others a thread gets that gives way.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;
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
    /// Which conversations are searched besides the notes.
    pub sessions: Sessions<'q>,
    /// From which "last May" is seen.
    pub today: Date,
    /// The model and the vector it made of the words, where there is one.
    pub vector: Option<(&'q str, &'q [f32])>,
    /// Whether the index is brought up to date before.
    pub catches_up: bool,
}

impl<'q> MemoryQuestion<'q> {
    /// Words alone, asked of notes alone that are brought up to date.
    #[must_use]
    pub fn plain(words: &'q str, today: Date) -> Self {
        Self { words, sessions: Sessions::None, today, vector: None, catches_up: true }
    }
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
#[derive(Clone)]
pub struct Memories {
    writers: Arc<dyn Writers>,
    shelves: Arc<Mutex<HashMap<PathBuf, Arc<Shelf>>>>,
    /// The model that was asked last.
    model: Arc<Mutex<Option<Kept>>>,
}

/// A model while it is asked.
#[derive(Debug)]
struct Kept {
    path: PathBuf,
    mark: String,
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
    /// The index as it was written then; another one has to be filled anew.
    index: Option<FileId>,
    /// How often the index was found broken.
    mended: u64,
    skipped: Vec<Skipped>,
    truncated: bool,
}

/// A file, whatever it is called.
type FileId = (u64, u64);

/// The index as questions are put to it.
#[derive(Debug)]
struct Reader {
    index: Index,
    file: Option<FileId>,
    vectors: Option<Vectors>,
    used: Instant,
}

/// The vectors of one model at one edition.
#[derive(Debug)]
struct Vectors {
    model: String,
    edition: u64,
    matrix: Matrix,
    read: Instant,
    took: Duration,
}

impl Vectors {
    /// Whether they are those that are wanted. While an index changes all the time, what was just read of a large one holds
    /// for a moment: reading it takes longer than searching it.
    fn are(&self, model: &str, edition: u64) -> bool {
        let holds = (self.took * READ_SHARE).min(READ_HOLDS);
        self.model == model && (self.edition == edition || self.read.elapsed() < holds)
    }
}

impl Default for Memories {
    fn default() -> Self {
        Self::knowing(Arc::new(()))
    }
}

impl std::fmt::Debug for Memories {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memories")
    }
}

impl Memories {
    /// Memories that tell what agents wrote from what the owner did.
    #[must_use]
    pub fn knowing(writers: Arc<dyn Writers>) -> Self {
        Self { writers, shelves: Arc::default(), model: Arc::default() }
    }

    fn sync_shelf(
        &self,
        place: &MemoryPlace,
        due: impl FnOnce(&Shelf, &Path) -> Due,
        anew: bool,
    ) -> Result<Option<Synced>, IndexError> {
        self.shelf(place).sync(place, &*self.writers, due, anew)
    }

    fn shelf(&self, place: &MemoryPlace) -> Arc<Shelf> {
        Arc::clone(self.shelves.lock().entry(place.index.clone()).or_default())
    }

    /// Brings an index up to date. Somebody who does so already is not waited for.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn sync(&self, place: &MemoryPlace) -> Result<Option<Synced>, IndexError> {
        self.sync_shelf(place, |_, _| Due::Everything, false)
    }

    /// The same by looking only at what may have changed since the last time. `None` when nothing has, too.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn catch_up(&self, place: &MemoryPlace) -> Result<Option<Synced>, IndexError> {
        self.sync_shelf(place, Shelf::due, false)
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
        self.sync_shelf(place, |_, _| Due::Everything, true)
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
            self.sync_shelf(place, Shelf::due, false)?;
        }
        match shelf.ask(place, |reader, edition| reader.search(question, picking, edition)) {
            Err(error) if error.is_broken() => {
                shelf.mend(place, &error)?;
                self.sync_shelf(place, |_, _| Due::Everything, false)?;
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
            was_broken: seen.mended > 0,
        })
    }

    /// Parts of passages that have no vector of this model yet, so many at most, beginning after one.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn unseen(
        &self,
        place: &MemoryPlace,
        model: &str,
        after: &str,
        most: usize,
    ) -> Result<Vec<Unseen>, IndexError> {
        self.shelf(place).ask(place, |reader, _| vectors::missing(&reader.index, model, after, most))
    }

    /// Keeps vectors of parts of passages, by their hashes.
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
    /// The conversations in an index, and how far each is in it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn transcripts(&self, place: &MemoryPlace) -> Result<Vec<transcripts::Kept>, IndexError> {
        self.shelf(place).ask(place, |reader, _| transcripts::kept(&reader.index))
    }

    /// Adds what was said in a conversation since the last time; `to` is the last place that is known of.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn add_transcript(
        &self,
        place: &MemoryPlace,
        session_id: &str,
        said: &[Said],
        to: i64,
    ) -> Result<(), IndexError> {
        let shelf = self.shelf(place);
        transcripts::add(&Index::open(&place.index)?, session_id, said, to, place.passage_chars)?;
        shelf.edition.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Forgets one conversation.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn forget_transcript(&self, place: &MemoryPlace, session_id: &str) -> Result<(), IndexError> {
        transcripts::forget(&Index::open(&place.index)?, session_id)?;
        self.shelf(place).edition.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Forgets all conversations but these. Returns how many were forgotten.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn keep_transcripts(&self, place: &MemoryPlace, ids: &BTreeSet<String>) -> Result<usize, IndexError> {
        let shelf = self.shelf(place);
        let gone = transcripts::keep_only(&Index::open(&place.index)?, ids)?;
        if gone > 0 {
            shelf.edition.fetch_add(1, Ordering::AcqRel);
        }
        Ok(gone)
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

    /// What tells a model file from another that is put in its place: its size and when it was written. Vectors of two
    /// models cannot be compared.
    #[must_use]
    pub fn local_mark(path: &Path) -> String {
        crate::local_model::mark(path)
    }

    fn model_at(&self, path: &Path) -> Result<Arc<LocalModel>, LocalModelError> {
        let mark = crate::local_model::mark(path);
        let mut kept = self.model.lock();
        if let Some(kept) = kept.as_mut().filter(|kept| kept.path == path && kept.mark == mark) {
            kept.used = Instant::now();
            return Ok(Arc::clone(&kept.model));
        }
        let model = Arc::new(LocalModel::open(path)?);
        let was_empty = kept.is_none();
        *kept = Some(Kept { path: path.to_owned(), mark, model: Arc::clone(&model), used: Instant::now() });
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
        if let Some((model, vector)) = question.vector {
            if !self.vectors.as_ref().is_some_and(|held| held.are(model, edition)) {
                let read = Instant::now();
                let matrix = Matrix::load(&self.index, model)?;
                self.vectors =
                    Some(Vectors { model: model.to_owned(), edition, matrix, read, took: read.elapsed() });
            }
            self.forget_other_lengths(model, vector.len())?;
        }
        let asked = Asked {
            words: question.words,
            today: question.today,
            sessions: question.sessions,
            vector: question.vector.map(|(_, vector)| vector),
        };
        let matrix = self.vectors.as_ref().map(|held| &held.matrix).filter(|matrix| !matrix.is_empty());
        search::search(&self.index, asked, picking, matrix)
    }

    /// A model whose vectors have another length now is another model: those there are say nothing any more.
    fn forget_other_lengths(&mut self, model: &str, length: usize) -> Result<(), IndexError> {
        let was = self
            .vectors
            .as_ref()
            .map(|held| &held.matrix)
            .filter(|matrix| !matrix.is_empty())
            .map(Matrix::dims);
        if let Some(was) = was.filter(|was| *was != length) {
            tracing::warn!(
                model,
                was,
                is = length,
                "a model makes vectors of another length; they are made anew"
            );
            vectors::forget(&self.index, model)?;
            self.vectors = None;
        }
        Ok(())
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
    fn due(&self, index: &Path) -> Due {
        let seen = self.seen.lock();
        // An index that was deleted, or is another, is filled from the beginning.
        let looked = seen.at.filter(|_| seen.index.is_some() && seen.index == file_id(index));
        drop(seen);
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
        writers: &dyn Writers,
        due: impl FnOnce(&Self, &Path) -> Due,
        anew: bool,
    ) -> Result<Option<Synced>, IndexError> {
        let Some(_syncing) = Syncing::begin(&self.is_syncing) else { return Ok(None) };
        self.done.store(0, Ordering::Release);
        self.total.store(0, Ordering::Release);
        let synced = self.sync_what(place, writers, due(self, &place.index), anew);
        if synced.is_err() {
            self.ear.lock().heard.is_unclear = true;
        }
        synced
    }

    fn sync_what(
        &self,
        place: &MemoryPlace,
        writers: &dyn Writers,
        due: Due,
        anew: bool,
    ) -> Result<Option<Synced>, IndexError> {
        let rules = Rules { passage_chars: place.passage_chars, writers };
        let synced = match due {
            Due::Nothing => return Ok(None),
            Due::Places(places) => self.bring_up_places(place, rules, &places),
            Due::Everything => self.bring_up(place, rules, anew),
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
    fn bring_up_places(
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

    fn bring_up(&self, place: &MemoryPlace, rules: Rules<'_>, anew: bool) -> Result<Synced, IndexError> {
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
        seen.index = file_id(&place.index);
        seen.folders = folders().map(|folder| (folder.clone(), changed_at(folder))).collect();
        seen.skipped.clone_from(&synced.skipped);
        seen.truncated = synced.truncated;
        Ok(synced)
    }

    /// Puts an index away that is not what we wrote.
    fn mend(&self, place: &MemoryPlace, error: &IndexError) -> Result<(), IndexError> {
        tracing::warn!(%error, index = %place.index.display(), "the memory index is broken and is made anew");
        self.reader.lock().take();
        let mut seen = self.seen.lock();
        (seen.at, seen.mended) = (None, seen.mended + 1);
        drop(seen);
        index::put_aside(&place.index)
            .map_err(|source| IndexError::Place { path: place.index.clone(), source })
    }

    /// Uses the reader, opening it where it is not.
    fn ask<T>(
        self: &Arc<Self>,
        place: &MemoryPlace,
        act: impl FnOnce(&mut Reader, u64) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let edition = self.edition.load(Ordering::Acquire);
        let mut held = self.reader.lock();
        // One that was deleted is not asked any more.
        let file = file_id(&place.index);
        held.take_if(|reader| file.is_none() || reader.file != file);
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
            let file = file_id(&place.index);
            *held = Some(Reader { index, file, vectors: None, used: Instant::now() });
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

/// Has the thread that asks give way to all others: what it makes can wait. On Linux priorities are of threads.
pub fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::debug!(%error, "notes are indexed with the same priority as everything else");
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

fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

fn changed_at(folder: &Path) -> Option<SystemTime> {
    std::fs::symlink_metadata(folder).ok()?.modified().ok()
}

#[cfg(test)]
mod tests;
