//! One lane per session: turns one after the other, and the only place that writes to that session.
//!
//! A lane is a queue and a task. The task lives while there is work and a little longer, so that the next
//! message finds the conversation still in memory; then it goes away and with it what it held.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use homard_agent::History;
use homard_protocol::{SessionKey, UserMessage};
use homard_runtime::Tasks;
use homard_store::SessionKind;
use homard_tools::Label;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, oneshot};

use crate::compact::{CompactWish, ReportSlot};
use crate::program::Program;
use crate::relay::Inner;
use crate::reply_route::ReplyRoute;
use crate::route::Routed;
use crate::runs::Run;
use crate::turn;

/// Messages that may wait in one session; one more is refused, and the sender told.
pub(crate) const MAX_WAITING: usize = 20;
/// How long an idle lane keeps its conversation in memory.
const LINGER: Duration = Duration::from_secs(30);

/// A message whose turn will come.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) run: Arc<Run>,
    /// Whether the message turned out to be kept; `None` when that was known before.
    pub(crate) kept: Option<oneshot::Receiver<()>>,
    pub(crate) routed: Routed,
    pub(crate) message: UserMessage,
    pub(crate) overrides: Overrides,
    pub(crate) kind: Kind,
    /// Where the report of a compaction goes, if anybody waits for it.
    pub(crate) report: Option<ReportSlot>,
}

/// What is to be done with a message when its turn comes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    /// The model is asked.
    #[default]
    Turn,
    /// The same, unless a turn under way takes it before.
    Steer,
    /// The conversation is shortened.
    Compact(CompactWish),
    /// It is a command that is obeyed without waiting; only ever seen in the store.
    Command,
}

impl Waiting {
    /// Whether another run may be waiting for this one, so that the two must not compete for one place.
    pub(crate) fn is_nested(&self) -> bool {
        self.overrides.nested || SessionKind::of(self.routed.session_key()) == SessionKind::Subagent
    }
}

/// What the sender asked for in this one turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Overrides {
    pub(crate) model: Option<String>,
    pub(crate) thinking: Option<String>,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) extra_system: Option<String>,
    /// Whether another run may be waiting for this one.
    pub(crate) nested: bool,
    /// Whose words the message is, where they are not the owner's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) labels: Vec<Label>,
    /// What a program wants that talks to the agent as if it were a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) program: Option<Box<Program>>,
    /// Where the answer goes beside those who watch the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reply: Option<Box<ReplyRoute>>,
    /// How often restarts cut the turn off before anything came of it.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) restarts: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// All that is kept of a message until its turn: enough to begin it after a restart.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) message: UserMessage,
    #[serde(default)]
    pub(crate) overrides: Overrides,
    #[serde(default)]
    pub(crate) kind: Kind,
}

impl Request {
    /// As it is kept.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[derive(Debug, Default)]
struct Lane {
    waiting: Mutex<VecDeque<Waiting>>,
    more: Notify,
}

/// All lanes that are awake.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    awake: Mutex<HashMap<SessionKey, Arc<Lane>>>,
}

impl Lanes {
    /// Whether one more message may wait in a session.
    pub(crate) fn has_room(&self, key: &SessionKey) -> bool {
        lock(&self.awake).get(key).is_none_or(|lane| lock(&lane.waiting).len() < MAX_WAITING)
    }

    /// Puts a message into its lane, waking one if need be.
    pub(crate) fn put(&self, inner: &Arc<Inner>, tasks: &Tasks, waiting: Waiting) {
        let key = waiting.routed.session_key().clone();
        let mut awake = lock(&self.awake);
        if let Some(lane) = awake.get(&key) {
            lock(&lane.waiting).push_back(waiting);
            lane.more.notify_one();
            return;
        }
        let lane = Arc::new(Lane::default());
        lock(&lane.waiting).push_back(waiting);
        awake.insert(key.clone(), Arc::clone(&lane));
        tasks.spawn(drive(Arc::clone(inner), key, lane));
    }

    /// Takes a message out of its lane before its turn has come.
    pub(crate) fn withdraw(&self, run: &Arc<Run>) -> Option<Waiting> {
        let lane = lock(&self.awake).get(&run.session_key).cloned()?;
        let mut waiting = lock(&lane.waiting);
        let at = waiting.iter().position(|waiting| Arc::ptr_eq(&waiting.run, run))?;
        waiting.remove(at)
    }

    /// Takes the oldest message out of a lane that may go to the turn under way.
    pub(crate) fn take_steerable(&self, key: &SessionKey) -> Option<Waiting> {
        let lane = lock(&self.awake).get(key).cloned()?;
        let mut waiting = lock(&lane.waiting);
        let at = waiting.iter().position(|waiting| waiting.kind == Kind::Steer)?;
        waiting.remove(at)
    }

    /// Puts back what was taken out of a lane whose turn is still under way.
    pub(crate) fn put_back(&self, waiting: Waiting) {
        let lane = lock(&self.awake).get(waiting.routed.session_key()).cloned();
        if let Some(lane) = lane {
            lock(&lane.waiting).push_front(waiting);
            lane.more.notify_one();
        }
    }

    /// Forgets a lane, unless something came in meanwhile.
    fn retire(&self, key: &SessionKey, lane: &Lane) -> bool {
        let mut awake = lock(&self.awake);
        if lock(&lane.waiting).is_empty() {
            awake.remove(key);
            true
        } else {
            false
        }
    }

    /// How many are awake.
    pub(crate) fn awake(&self) -> usize {
        lock(&self.awake).len()
    }
}

/// The lane's task.
async fn drive(inner: Arc<Inner>, key: SessionKey, lane: Arc<Lane>) {
    let mut history: Option<History> = None;
    loop {
        let next = lock(&lane.waiting).pop_front();
        match next {
            Some(waiting) => {
                let run = Arc::clone(&waiting.run);
                let turn = AssertUnwindSafe(turn::take(&inner, waiting, &mut history));
                if turn.catch_unwind().await.is_err() {
                    // A bug of ours; the session must go on all the same.
                    history = None;
                    turn::give_up(&inner, &run).await;
                }
            }
            None => {
                let stopping = inner.stopping();
                let idle = tokio::select! {
                    () = lane.more.notified() => false,
                    () = tokio::time::sleep(LINGER) => true,
                    () = stopping.cancelled() => true,
                };
                if idle && inner.lanes().retire(&key, &lane) {
                    return;
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
