//! One lane per session: turns one after the other, and the only place that writes to that session.
//!
//! A lane is a queue and a task. The task lives while there is work and a little longer, so that the next
//! message finds the conversation still in memory; then it goes away and with it what it held.

mod collect;

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use homard_agent::History;
use homard_channel::Address;
use homard_config::Config;
use homard_protocol::SessionKey;
use homard_runtime::{Mutex, Tasks};
use homard_store::SessionKind;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::intake::admit::Admitted;
use crate::relay::Inner;
use crate::turns::compact::{CompactOptions, ReportSlot};
use crate::turns::request::TurnRequest;
use crate::turns::runs::Run;
use crate::turns::turn;

/// Messages that may wait in one session; one more is refused, and the sender told.
pub(crate) const MAX_WAITING: usize = 20;
/// How many times the quiet time messages wait for more at most.
const MAX_QUIETS: u32 = 10;
/// How long an idle lane keeps its conversation in memory.
const LINGER: Duration = Duration::from_secs(30);

/// A message whose turn will come.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) run: Arc<Run>,
    /// Whether the message turned out to be kept; `None` when that was known before.
    pub(crate) kept: Option<oneshot::Receiver<()>>,
    pub(crate) admitted: Admitted,
    pub(crate) request: TurnRequest,
    /// Where the report of a compaction goes, if anybody waits for it.
    pub(crate) report: Option<ReportSlot>,
    /// Runs whose messages are in this one: they end when it begins.
    pub(crate) merged: Vec<Arc<Run>>,
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
    /// A turn under way is told as well, and the message gets its own turn all the same.
    SteerToo,
    /// The same, together with others like it that wait, once nothing has come in for so long.
    Collect {
        /// Milliseconds.
        quiet_ms: u64,
    },
    /// The conversation is shortened.
    Compact(CompactOptions),
    /// It is a command that is obeyed without waiting; only ever seen in the store.
    Command,
}

impl Kind {
    /// Whether the model is asked.
    pub(crate) fn is_turn(&self) -> bool {
        match self {
            Self::Turn | Self::Steer | Self::SteerToo | Self::Collect { .. } => true,
            Self::Compact(_) | Self::Command => false,
        }
    }
}

impl Waiting {
    /// Whether another run may be waiting for this one, so that the two must not compete for one place.
    pub(crate) fn is_nested(&self) -> bool {
        self.request.options.source().is_nested()
            || SessionKind::of(self.admitted.session_key()) == SessionKind::Subagent
    }
}

#[derive(Debug)]
struct Lane {
    waiting: Mutex<VecDeque<Waiting>>,
    /// When the last message came.
    came: Mutex<Instant>,
    /// Since when quiet is waited for.
    waits_since: Mutex<Option<Instant>>,
    more: Notify,
}

impl Lane {
    fn new() -> Self {
        Self {
            waiting: Mutex::default(),
            came: Mutex::new(Instant::now()),
            waits_since: Mutex::default(),
            more: Notify::new(),
        }
    }

    fn add(&self, waiting: Waiting) {
        *self.came.lock() = Instant::now();
        self.waiting.lock().push_back(waiting);
    }

    /// What is to be done now. Who `hurries` waits for nobody.
    fn next(&self, hurries: bool, config: &Config) -> Next {
        let came = *self.came.lock();
        let mut waiting = self.waiting.lock();
        let quiet = match waiting.front().map(|first| &first.request.kind) {
            None => return Next::Nothing,
            Some(Kind::Collect { quiet_ms }) => Duration::from_millis(*quiet_ms),
            Some(Kind::Turn | Kind::Steer | Kind::SteerToo | Kind::Compact(_) | Kind::Command) => {
                Duration::ZERO
            }
        };
        let now = Instant::now();
        let mut since = self.waits_since.lock();
        // Where it never gets quiet, somebody must be answered all the same.
        let until = (came + quiet).min(*since.get_or_insert(now) + quiet * MAX_QUIETS);
        if !hurries && !quiet.is_zero() && now < until {
            return Next::Quiet(until);
        }
        *since = None;
        Next::Turn(collect::take(&mut waiting, config))
    }
}

/// What a lane does next.
enum Next {
    /// Nothing waits.
    Nothing,
    /// More may come until then.
    Quiet(Instant),
    /// These get a turn together; usually one.
    Turn(Vec<Waiting>),
}

/// All lanes that are awake.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    awake: Mutex<HashMap<SessionKey, Arc<Lane>>>,
}

impl Lanes {
    /// Whether one more message may wait in a session.
    pub(crate) fn has_room(&self, key: &SessionKey) -> bool {
        self.awake.lock().get(key).is_none_or(|lane| lane.waiting.lock().len() < MAX_WAITING)
    }

    /// Puts a message into its lane, waking one if need be.
    pub(crate) fn put(&self, inner: &Arc<Inner>, tasks: &Tasks, waiting: Waiting) {
        let key = waiting.admitted.session_key().clone();
        let mut awake = self.awake.lock();
        if let Some(lane) = awake.get(&key) {
            lane.add(waiting);
            lane.more.notify_one();
            return;
        }
        let lane = Arc::new(Lane::new());
        lane.add(waiting);
        awake.insert(key.clone(), Arc::clone(&lane));
        tasks.spawn(drive(Arc::clone(inner), key, lane));
    }

    /// How many messages wait in a session.
    pub(crate) fn waiting(&self, key: &SessionKey) -> usize {
        self.awake.lock().get(key).map_or(0, |lane| lane.waiting.lock().len())
    }

    /// Takes the oldest message of a chat platform out of a lane, because too many wait.
    pub(crate) fn take_oldest_heard(&self, key: &SessionKey) -> Option<Waiting> {
        let lane = self.awake.lock().get(key).cloned()?;
        let mut waiting = lane.waiting.lock();
        let at = waiting.iter().position(|waiting| waiting.request.options.origin.is_some())?;
        waiting.remove(at)
    }

    /// Takes a message out of its lane before its turn has come.
    pub(crate) fn withdraw(&self, run: &Arc<Run>) -> Option<Waiting> {
        let lane = self.awake.lock().get(&run.session_key).cloned()?;
        let mut waiting = lane.waiting.lock();
        let at = waiting.iter().position(|waiting| Arc::ptr_eq(&waiting.run, run))?;
        waiting.remove(at)
    }

    /// Takes the oldest message out of a lane that may go to the turn under way, whose answer goes to `answered`.
    /// One that wants its answer somewhere else waits for a turn of its own: there nobody would hear of it. With it
    /// comes its place in the lane.
    pub(crate) fn take_steerable(
        &self,
        key: &SessionKey,
        answered: Option<&Address>,
    ) -> Option<(usize, Waiting)> {
        let lane = self.awake.lock().get(key).cloned()?;
        let mut waiting = lane.waiting.lock();
        let is_heard = |waiting: &Waiting| match &waiting.request.options.reply {
            Some(reply) => answered == Some(&reply.address),
            None => true,
        };
        let steers = |waiting: &Waiting| matches!(waiting.request.kind, Kind::Steer | Kind::SteerToo);
        let at = waiting.iter().position(|waiting| steers(waiting) && is_heard(waiting))?;
        waiting.remove(at).map(|taken| (at, taken))
    }

    /// Puts back what was taken out of a lane, where it was; wakes a lane if that went away meanwhile.
    pub(crate) fn put_back(&self, inner: &Arc<Inner>, at: usize, waiting: Waiting) {
        {
            // Held until it is in: a lane does not go away between.
            let awake = self.awake.lock();
            if let Some(lane) = awake.get(waiting.admitted.session_key()) {
                let mut queue = lane.waiting.lock();
                let at = at.min(queue.len());
                queue.insert(at, waiting);
                lane.more.notify_one();
                return;
            }
        }
        self.put(inner, inner.tasks(), waiting);
    }

    /// Forgets a lane, unless something came in meanwhile.
    fn retire(&self, key: &SessionKey, lane: &Lane) -> bool {
        let mut awake = self.awake.lock();
        if lane.waiting.lock().is_empty() {
            awake.remove(key);
            true
        } else {
            false
        }
    }

    /// How many are awake.
    pub(crate) fn awake(&self) -> usize {
        self.awake.lock().len()
    }
}

/// The lane's task.
async fn drive(inner: Arc<Inner>, key: SessionKey, lane: Arc<Lane>) {
    let mut history: Option<History> = None;
    loop {
        let (stopping, holding) = (inner.stopping(), inner.holding());
        match lane.next(holding.is_cancelled(), &inner.config()) {
            Next::Turn(together) => {
                let runs: Vec<_> = together.iter().map(|waiting| Arc::clone(&waiting.run)).collect();
                let turn = AssertUnwindSafe(async {
                    if let Some(waiting) = collect::combine(&inner, together).await {
                        turn::take(&inner, waiting, &mut history).await;
                    }
                });
                if turn.catch_unwind().await.is_err() {
                    // A bug of ours; the session must go on all the same.
                    history = None;
                    for run in runs.iter().filter(|run| !run.is_over()) {
                        turn::give_up(&inner, run).await;
                    }
                }
            }
            Next::Quiet(until) => {
                tokio::select! {
                    () = lane.more.notified() => {}
                    () = tokio::time::sleep_until(until) => {}
                    () = holding.cancelled() => {}
                }
            }
            Next::Nothing => {
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
