//! The runs that are under way: who they are, what they have said, how to stop them, when they end.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use homard_protocol::{RunId, SessionKey, StopCause};
use homard_runtime::{Mutex, TRACE};
use homard_tools::{Taint, TurnSlot};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio_util::sync::CancellationToken;
use tracing::Span;

use crate::delivery::run_delivery::Delivery;
use crate::turns::narrate::Narrator;
use crate::turns::outcome::RunEnd;

/// A run under way, as others see it.
#[derive(Debug, Clone)]
pub struct RunView {
    pub run_id: RunId,
    /// What it has said so far; `None` while it waits for its turn.
    pub text: Option<String>,
    pub asked: String,
}

/// A run under way.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) id: RunId,
    pub(crate) session_key: SessionKey,
    pub(crate) asked: String,
    pub(crate) narrator: Arc<Narrator>,
    pub(crate) cancel: CancellationToken,
    progress: Mutex<Progress>,
    /// From taking the message to the end of its run, for traces.
    pub(crate) span: Span,
    /// Its way to a chat platform, if it came from one.
    pub(crate) delivery: Delivery,
    end: watch::Sender<Option<Arc<RunEnd>>>,
    /// Its place among the runs that run at once, once it has one.
    slot: std::sync::OnceLock<TurnSlot>,
    /// Whose words are in its conversation, once it has looked.
    taint: std::sync::OnceLock<Taint>,
}

/// What has happened to a run.
#[derive(Debug, Default)]
struct Progress {
    stopped_by: Option<StopCause>,
    has_begun: bool,
    /// Whether its sender waits on a connection that cannot be carried over to another process.
    is_attended: bool,
}

impl Run {
    /// Learns whose words are in the conversation.
    pub(crate) fn learn(&self, taint: &Taint) {
        self.taint.get_or_init(|| taint.clone());
    }

    /// Whether words of others are in the conversation; nobody knows of none before the turn has begun.
    pub(crate) fn has_words_of_others(&self) -> bool {
        self.taint.get().is_some_and(|taint| !taint.is_clean())
    }

    /// Takes a place.
    pub(crate) fn take_slot(&self, permit: Option<OwnedSemaphorePermit>) -> TurnSlot {
        self.slot.get_or_init(|| permit.map(TurnSlot::new).unwrap_or_default()).clone()
    }

    /// Its place.
    pub(crate) fn slot(&self) -> TurnSlot {
        self.slot.get().cloned().unwrap_or_default()
    }

    pub(crate) fn new(
        id: RunId,
        session_key: SessionKey,
        asked: String,
        narrator: Narrator,
        cancel: CancellationToken,
    ) -> Self {
        let span = tracing::info_span!(target: TRACE, parent: None, "message", "homard.run" = %id, "homard.agent" = session_key.agent_id().map(tracing::field::display));
        Self {
            span,
            id,
            session_key,
            asked,
            narrator: Arc::new(narrator),
            cancel,
            progress: Mutex::default(),
            delivery: Delivery::default(),
            end: watch::Sender::new(None),
            slot: std::sync::OnceLock::new(),
            taint: std::sync::OnceLock::new(),
        }
    }

    /// Stops the run; the first reason stands.
    pub(crate) fn stop(&self, by: StopCause) {
        self.progress.lock().stopped_by.get_or_insert(by);
        self.cancel.cancel();
    }

    /// Who stopped it.
    pub(crate) fn stopped_by(&self) -> Option<StopCause> {
        self.progress.lock().stopped_by
    }

    /// Its turn has come.
    pub(crate) fn begin(&self) {
        self.progress.lock().has_begun = true;
    }

    /// Whether its turn has come.
    pub(crate) fn has_begun(&self) -> bool {
        self.progress.lock().has_begun
    }

    /// Its sender waits on a connection that cannot be carried over to another process.
    pub(crate) fn attend(&self) {
        self.progress.lock().is_attended = true;
    }

    /// Whether its sender waits on such a connection.
    pub(crate) fn is_attended(&self) -> bool {
        self.progress.lock().is_attended
    }

    /// Tells whoever waits.
    pub(crate) fn ended(&self, end: Arc<RunEnd>) {
        self.end.send_replace(Some(end));
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.end.borrow().is_some()
    }

    /// To wait for its end.
    pub(crate) fn watch(&self) -> watch::Receiver<Option<Arc<RunEnd>>> {
        self.end.subscribe()
    }

    fn view(&self) -> RunView {
        let text = self.has_begun().then(|| self.narrator.text());
        RunView { run_id: self.id.clone(), text, asked: self.asked.clone() }
    }
}

/// All runs under way.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    known: Mutex<Known>,
}

/// The same runs twice: each is asked for by its own name and by its session's, several times in a turn.
#[derive(Debug, Default)]
struct Known {
    by_id: HashMap<RunId, Arc<Run>>,
    by_session: HashMap<SessionKey, Vec<Arc<Run>>>,
}

impl Runs {
    /// Takes a run in, unless one of its name is under way.
    pub(crate) fn reserve(&self, run: &Arc<Run>) -> bool {
        let known = &mut *self.known.lock();
        match known.by_id.entry(run.id.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(Arc::clone(run));
                known.by_session.entry(run.session_key.clone()).or_default().push(Arc::clone(run));
                true
            }
        }
    }

    /// Lets go of a run; another of the same name stays.
    pub(crate) fn remove(&self, run: &Arc<Run>) {
        let known = &mut *self.known.lock();
        if known.by_id.get(&run.id).is_some_and(|known| Arc::ptr_eq(known, run)) {
            known.by_id.remove(&run.id);
        }
        if let Entry::Occupied(mut of_session) = known.by_session.entry(run.session_key.clone()) {
            of_session.get_mut().retain(|known| !Arc::ptr_eq(known, run));
            if of_session.get().is_empty() {
                of_session.remove();
            }
        }
    }

    pub(crate) fn get(&self, id: &RunId) -> Option<Arc<Run>> {
        self.known.lock().by_id.get(id).cloned()
    }

    pub(crate) fn of_session(&self, key: &SessionKey) -> Vec<Arc<Run>> {
        self.known.lock().by_session.get(key).cloned().unwrap_or_default()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Run>> {
        self.known.lock().by_id.values().cloned().collect()
    }

    pub(crate) fn views(&self, key: &SessionKey) -> Vec<RunView> {
        self.of_session(key).iter().map(|run| run.view()).collect()
    }

    pub(crate) fn active_ids(&self, key: &SessionKey) -> Vec<RunId> {
        self.of_session(key).iter().map(|run| run.id.clone()).collect()
    }
}

#[cfg(test)]
mod tests;
