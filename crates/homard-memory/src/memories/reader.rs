//! Whoever puts questions to an index: one thread for each, begun by the first question and over when nobody has asked for
//! a while.
//!
//! Everything that is held for questions (the open file with its pages, vectors) is taken from the system by this thread
//! alone and given back by it when it ends. Asked from whichever thread is free, the same pages lie in between what all of
//! those threads hold, and most of them stay with the program for good. For the same reason an answer is copied by those
//! who asked, and the original stays here until the next question.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Weak, mpsc};
use std::time::{Duration, Instant};

use homard_runtime::Mutex;

use super::MemoryQuestion;
use super::index_state::{FileId, file_id};
use crate::index::{Index, IndexError};
use crate::search::{self, EmbeddedQuestion, FoundPassage, PickRules};
use crate::vectors::{self, Matrix};

/// How long an index is kept open after the last question.
pub(super) const KEPT_OPEN: Duration = Duration::from_secs(60);
/// How long vectors that were read hold at most while the index changes, and how many times as long as reading them took.
const READ_HOLDS: Duration = Duration::from_secs(10);
const READ_SHARE: u32 = 20;

/// The door to the thread. Nothing runs and nothing is held until somebody asks.
#[derive(Debug, Default)]
pub(super) struct ReaderThread {
    questions: Arc<Mutex<Option<mpsc::Sender<Question>>>>,
}

/// What is done with the index; what comes back is let go by the thread before it does something else.
type Question = Box<dyn FnOnce(&mut Option<Reader>) -> Option<Box<dyn Any + Send>> + Send>;

impl ReaderThread {
    /// Has the thread do something with the index, and waits for it.
    pub(super) fn ask<T: Clone + Send + Sync + 'static>(
        &self,
        act: impl FnOnce(&mut Option<Reader>) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, IndexError> {
        let (tell, told) = sync_channel(1);
        self.put(Box::new(move |reader| answer(act(reader), &tell)))?;
        let answer: Arc<T> = told.recv().map_err(|_gone| IndexError::ReaderEnded)??;
        Ok(T::clone(&answer))
    }

    /// Lets go of the index, where it is open.
    pub(super) fn close(&self) {
        // Nobody reads it where no thread runs.
        if self.questions.lock().is_some() {
            let closed = self.ask(|reader| {
                reader.take();
                Ok(())
            });
            if let Err(error) = closed {
                tracing::debug!(%error, "a memory index was not closed by hand");
            }
        }
    }

    fn put(&self, question: Question) -> Result<(), IndexError> {
        let mut questions = self.questions.lock();
        let question = match questions.as_ref() {
            // It takes no more only where it ended in the middle of something.
            Some(thread) => match thread.send(question) {
                Ok(()) => return Ok(()),
                Err(unsent) => unsent.0,
            },
            None => question,
        };
        let (thread, rest) = channel();
        let door = Arc::downgrade(&self.questions);
        std::thread::Builder::new()
            .name("memory-read".to_owned())
            .spawn(move || serve(&rest, &door))
            .map_err(IndexError::NoThread)?;
        // Its other end is held by the thread that was just begun.
        let sent = thread.send(question).map_err(|_gone| IndexError::ReaderEnded);
        *questions = Some(thread);
        sent
    }
}

/// Hands an answer over, and keeps it.
fn answer<T: Send + Sync + 'static>(
    found: Result<T, IndexError>,
    tell: &SyncSender<Result<Arc<T>, IndexError>>,
) -> Option<Box<dyn Any + Send>> {
    let found = found.map(Arc::new);
    let kept = found.as_ref().ok().map(|found| Box::new(Arc::clone(found)) as Box<dyn Any + Send>);
    // Whoever asked may have gone.
    drop(tell.send(found));
    kept
}

/// Answers until nobody has asked for a while.
fn serve(questions: &Receiver<Question>, door: &Weak<Mutex<Option<mpsc::Sender<Question>>>>) {
    let (mut reader, mut answered): (Option<Reader>, Option<Box<dyn Any + Send>>) = (None, None);
    loop {
        let question = match questions.recv_timeout(KEPT_OPEN) {
            Ok(question) => question,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let Some(door) = door.upgrade() else { return };
                let mut door = door.lock();
                // Whoever asked until now is answered, whoever asks from now on begins another thread.
                let Ok(question) = questions.try_recv() else {
                    door.take();
                    return;
                };
                question
            }
        };
        drop(answered.take());
        // A fault is told to whoever asked, by nothing being answered.
        answered = catch_unwind(AssertUnwindSafe(|| question(&mut reader))).unwrap_or_default();
    }
}

/// The index as questions are put to it.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) index: Index,
    pub(super) file: Option<FileId>,
    vectors: Option<Vectors>,
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

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Self, IndexError> {
        let index = Index::open_to_ask(path)?;
        Ok(Self { index, file: file_id(path), vectors: None })
    }

    pub(super) fn search(
        &mut self,
        question: &MemoryQuestion<'_>,
        picking: &PickRules,
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
        let asked = EmbeddedQuestion {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_answers_all_and_a_fault_spoils_one_question_alone() {
        let reader = ReaderThread::default();
        let who = |reader: &ReaderThread| reader.ask(|_| Ok(std::thread::current().id())).unwrap();
        let first = who(&reader);
        assert_ne!(first, std::thread::current().id());
        let failed = reader.ask::<u8>(|_| panic!("on purpose"));
        assert!(matches!(failed, Err(IndexError::ReaderEnded)), "{failed:?}");
        reader.close();
        assert_eq!(who(&reader), first);
    }
}
