//! One lane per session: turns one after the other, and the only place that writes to that session.
//!
//! A lane is a queue and a task. The task lives while there is work and a little longer, so that the next
//! message finds the conversation still in memory; then it goes away and with it what it held.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use homard_agent::History;
use homard_protocol::{SessionKey, UserMessage};
use homard_runtime::Tasks;
use tokio::sync::{Notify, oneshot};

use crate::relay::Inner;
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
}

/// What the sender asked for in this one turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Overrides {
    pub(crate) model: Option<String>,
    pub(crate) thinking: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) extra_system: Option<String>,
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
            Some(waiting) => turn::take(&inner, waiting, &mut history).await,
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
