//! All memories of the house, by where their indexes are: one writer each, a reader that is kept while questions come and
//! let go when they stop, and what is known about its state.

mod index_state;
mod reader;

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use homard_runtime::Mutex;
use jiff::civil::Date;

use crate::index::{Index, IndexError, IndexSize};
use crate::local_model::{LocalModel, LocalModelError};
use crate::memory::{Memory, Skipped};
use crate::search::{FoundPassage, PickRules};
use crate::sync::{Synced, Writers};
use crate::transcripts::{self, Sessions, SpokenMessage};
use crate::vectors::{self, MissingVector};
use index_state::{ChangeWatch, IndexState, SyncScope};
use reader::KEPT_OPEN;

/// How much less than others a thread gets that gives way.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;
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

/// A question with nothing borrowed, as another thread is asked.
struct OwnedQuestion {
    words: String,
    sessions: OwnedSessions,
    today: Date,
    vector: Option<(String, Vec<f32>)>,
    catches_up: bool,
}

/// The conversations of such a question.
enum OwnedSessions {
    None,
    All,
    Only(Arc<BTreeSet<String>>),
}

impl OwnedQuestion {
    fn of(question: &MemoryQuestion<'_>) -> Self {
        let MemoryQuestion { words, sessions, today, vector, catches_up } = *question;
        let sessions = match sessions {
            Sessions::None => OwnedSessions::None,
            Sessions::All => OwnedSessions::All,
            Sessions::Only(ids) => OwnedSessions::Only(Arc::clone(ids)),
        };
        let vector = vector.map(|(model, vector)| (model.to_owned(), vector.to_vec()));
        Self { words: words.to_owned(), sessions, today, vector, catches_up }
    }

    fn question(&self) -> MemoryQuestion<'_> {
        MemoryQuestion {
            words: &self.words,
            sessions: match &self.sessions {
                OwnedSessions::None => Sessions::None,
                OwnedSessions::All => Sessions::All,
                OwnedSessions::Only(ids) => Sessions::Only(ids),
            },
            today: self.today,
            vector: self.vector.as_ref().map(|(model, vector)| (model.as_str(), vector.as_slice())),
            catches_up: self.catches_up,
        }
    }
}

/// How a memory stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryStatus {
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
    shelves: Arc<Mutex<HashMap<PathBuf, Arc<IndexState>>>>,
    /// The model that was asked last.
    model: Arc<Mutex<Option<LoadedModel>>>,
}

/// A model while it is asked.
#[derive(Debug)]
struct LoadedModel {
    path: PathBuf,
    mark: String,
    model: Arc<LocalModel>,
    used: Instant,
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
        due: impl FnOnce(&IndexState, &MemoryPlace) -> SyncScope,
        anew: bool,
    ) -> Result<Option<Synced>, IndexError> {
        self.shelf(place).sync(place, &*self.writers, due, anew)
    }

    fn shelf(&self, place: &MemoryPlace) -> Arc<IndexState> {
        Arc::clone(self.shelves.lock().entry(place.index.clone()).or_default())
    }

    /// Brings an index up to date. Somebody who does so already is not waited for.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn sync(&self, place: &MemoryPlace) -> Result<Option<Synced>, IndexError> {
        self.sync_shelf(place, |_, _| SyncScope::Everything, false)
    }

    /// The same by looking only at what may have changed since the last time. `None` when nothing has, too.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn catch_up(&self, place: &MemoryPlace) -> Result<Option<Synced>, IndexError> {
        self.sync_shelf(place, IndexState::due, false)
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
        *self.shelf(place).ear.lock() = ChangeWatch::default();
    }

    /// Takes what there is to hear; whether there was anything.
    #[must_use]
    pub fn hears(&self, place: &MemoryPlace) -> bool {
        self.shelf(place).ear.lock().hear()
    }

    /// Whether an index has all there is, as far as is heard. Does not block.
    #[must_use]
    pub fn is_current(&self, place: &MemoryPlace) -> bool {
        self.shelf(place).is_heard_of(place)
    }

    /// Whether there is nothing to catch up with, as far as is heard, or somebody does so already. Does not block.
    #[must_use]
    pub fn needs_no_look(&self, place: &MemoryPlace) -> bool {
        let shelf = self.shelf(place);
        shelf.is_syncing.load(Ordering::Acquire) || shelf.is_heard_of(place)
    }

    /// Makes an index anew from the files.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn rebuild(&self, place: &MemoryPlace) -> Result<Option<Synced>, IndexError> {
        self.sync_shelf(place, |_, _| SyncScope::Everything, true)
    }

    /// The passages that fit a question best, in an index that is up to date or being brought there.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn search(
        &self,
        place: &MemoryPlace,
        question: &MemoryQuestion<'_>,
        picking: &PickRules,
    ) -> Result<Vec<FoundPassage>, IndexError> {
        let shelf = self.shelf(place);
        if question.catches_up {
            shelf.wait_for_others();
            self.sync_shelf(place, IndexState::due, false)?;
        }
        let find = || {
            let (asked, picking) = (OwnedQuestion::of(question), picking.clone());
            shelf.ask(place, move |reader, edition| reader.search(&asked.question(), &picking, edition))
        };
        match find() {
            Err(error) if error.is_broken() => {
                shelf.mend(place, &error)?;
                self.sync_shelf(place, |_, _| SyncScope::Everything, false)?;
                find()
            }
            other => other,
        }
    }

    /// How it stands, without bringing it up to date.
    ///
    /// # Errors
    /// When the index can be neither used nor made anew.
    pub fn standing(&self, place: &MemoryPlace) -> Result<MemoryStatus, IndexError> {
        let shelf = self.shelf(place);
        let size = shelf.ask(place, |reader, _| reader.index.size())?;
        let bytes = std::fs::metadata(&place.index).map_or(0, |meta| meta.len());
        let is_syncing = shelf.is_syncing.load(Ordering::Acquire);
        let progress = (shelf.done.load(Ordering::Acquire), shelf.total.load(Ordering::Acquire));
        let seen = shelf.seen.lock();
        Ok(MemoryStatus {
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
    ) -> Result<Vec<MissingVector>, IndexError> {
        let (model, after) = (model.to_owned(), after.to_owned());
        self.shelf(place).ask(place, move |reader, _| vectors::missing(&reader.index, &model, &after, most))
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
        let (shelf, model, made) = (self.shelf(place), model.to_owned(), made.to_vec());
        shelf.ask(place, move |reader, _| vectors::keep(&reader.index, &model, &made))?;
        shelf.edition.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Forgets vectors of other models, and of passages that are gone.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn sweep_vectors(&self, place: &MemoryPlace, models: &[String]) -> Result<(), IndexError> {
        let models = models.to_vec();
        self.shelf(place).ask(place, move |reader, _| vectors::sweep(&reader.index, &models))
    }
}

impl Memories {
    /// The conversations in an index, and how far each is in it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn transcripts(&self, place: &MemoryPlace) -> Result<Vec<transcripts::TranscriptMark>, IndexError> {
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
        said: &[SpokenMessage],
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
        *kept = Some(LoadedModel {
            path: path.to_owned(),
            mark,
            model: Arc::clone(&model),
            used: Instant::now(),
        });
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

#[cfg(test)]
mod tests;
