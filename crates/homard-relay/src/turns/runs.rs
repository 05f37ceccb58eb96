//! The runs that are under way: who they are, what they have said, how to stop them, when they end.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use homard_agent::Directive;
use homard_llm::Attempt;
use homard_protocol::{RunId, SessionKey, ToolCall, Usage};
use homard_runtime::TRACE;
use homard_store::RunStatus;
use homard_tools::{Taint, TurnSlot};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio_util::sync::CancellationToken;
use tracing::Span;

use crate::delivery::run_delivery::Delivery;
use crate::turns::narrate::Narrator;
use crate::turns::source::StopCause;

/// How a run ended, for whoever waits.
#[derive(Debug, Clone)]
pub struct RunEnd {
    /// How.
    pub status: RunStatus,
    /// What was said; `None` when there is nothing to show.
    pub reply: Option<String>,
    /// What went wrong.
    pub error: Option<String>,
    /// Why the model stopped, or who stopped it.
    pub stop_reason: Option<String>,
    /// When it began.
    pub started_at: Option<i64>,
    /// When it ended.
    pub ended_at: i64,
    /// The transcript.
    pub session_id: Option<String>,
    /// Who thought.
    pub provider: String,
    /// With what.
    pub model: String,
    /// At what price.
    pub usage: Usage,
    /// What was tried in vain on the way.
    pub attempts: Vec<Attempt>,
    /// How the reply is to be delivered, as the model wishes.
    pub wishes: Vec<Directive>,
    /// Calls of tools that are the asking program's to run: the run ended because of them.
    pub calls: Vec<ToolCall>,
}

/// A run under way, as others see it.
#[derive(Debug, Clone)]
pub struct RunView {
    /// The run.
    pub run_id: RunId,
    /// What it has said so far; `None` while it waits for its turn.
    pub text: Option<String>,
    /// What was asked.
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
    stopped_by: Mutex<Option<StopCause>>,
    began: Mutex<bool>,
    attended: AtomicBool,
    /// From taking the message to the end of its run, for traces.
    pub(crate) span: Span,
    /// Its way to a chat platform, if it came from one.
    pub(crate) delivery: Delivery,
    end: watch::Sender<Option<RunEnd>>,
    /// Its place among the runs that run at once, once it has one.
    slot: std::sync::OnceLock<TurnSlot>,
    /// Whose words are in its conversation, once it has looked.
    taint: std::sync::OnceLock<Taint>,
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
            stopped_by: Mutex::default(),
            began: Mutex::new(false),
            attended: AtomicBool::new(false),
            delivery: Delivery::default(),
            end: watch::Sender::new(None),
            slot: std::sync::OnceLock::new(),
            taint: std::sync::OnceLock::new(),
        }
    }

    /// Stops the run; the first reason stands.
    pub(crate) fn stop(&self, by: StopCause) {
        lock(&self.stopped_by).get_or_insert(by);
        self.cancel.cancel();
    }

    /// Who stopped it.
    pub(crate) fn stopped_by(&self) -> Option<StopCause> {
        *lock(&self.stopped_by)
    }

    /// Its turn has come.
    pub(crate) fn begin(&self) {
        *lock(&self.began) = true;
    }

    /// Whether its turn has come.
    pub(crate) fn has_begun(&self) -> bool {
        *lock(&self.began)
    }

    /// Its sender waits on a connection that cannot be carried over to another process.
    pub(crate) fn attend(&self) {
        self.attended.store(true, Ordering::Relaxed);
    }

    /// Whether its sender waits on such a connection.
    pub(crate) fn is_attended(&self) -> bool {
        self.attended.load(Ordering::Relaxed)
    }

    /// Tells whoever waits.
    pub(crate) fn ended(&self, end: RunEnd) {
        self.end.send_replace(Some(end));
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.end.borrow().is_some()
    }

    /// To wait for its end.
    pub(crate) fn watch(&self) -> watch::Receiver<Option<RunEnd>> {
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
    by_id: Mutex<HashMap<RunId, Arc<Run>>>,
}

impl Runs {
    /// Takes a run in, unless one of its name is under way.
    pub(crate) fn reserve(&self, run: &Arc<Run>) -> bool {
        match lock(&self.by_id).entry(run.id.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(Arc::clone(run));
                true
            }
        }
    }

    /// Lets go of a run; another of the same name stays.
    pub(crate) fn remove(&self, run: &Arc<Run>) {
        let mut by_id = lock(&self.by_id);
        if by_id.get(&run.id).is_some_and(|known| Arc::ptr_eq(known, run)) {
            by_id.remove(&run.id);
        }
    }

    pub(crate) fn get(&self, id: &RunId) -> Option<Arc<Run>> {
        lock(&self.by_id).get(id).cloned()
    }

    pub(crate) fn of_session(&self, key: &SessionKey) -> Vec<Arc<Run>> {
        lock(&self.by_id).values().filter(|run| run.session_key == *key).cloned().collect()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Run>> {
        lock(&self.by_id).values().cloned().collect()
    }

    pub(crate) fn views(&self, key: &SessionKey) -> Vec<RunView> {
        self.of_session(key).iter().map(|run| run.view()).collect()
    }

    pub(crate) fn active_ids(&self, key: &SessionKey) -> Vec<RunId> {
        self.of_session(key).iter().map(|run| run.id.clone()).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
