//! One lane per session: turns one after the other, and the only place that writes to that session.
//!
//! A lane is one of [`KeyedWorkers`]: its task lives while there is work and a little longer, so that the next
//! message finds the conversation still in memory; then it goes away and with it what it held.

pub(super) mod collect;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use homard_agent::History;
use homard_channel::Address;
use homard_config::Config;
use homard_protocol::{SessionKey, TurnSource};
use homard_runtime::{KeyedWorkers, Tasks, Worker};
use homard_store::SessionKind;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::intake::admit::Admitted;
use crate::parts::Turns;
use crate::turns::compact::{CompactOptions, ReportSlot};
use crate::turns::request::{TurnOptions, TurnRequest};
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
pub(crate) struct WaitingTurn {
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
    Collect { quiet_ms: u64 },
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

impl WaitingTurn {
    /// Whether another run may be waiting for this one, so that the two must not compete for one place.
    pub(crate) fn is_nested(&self) -> bool {
        self.request.options.source().is_nested()
            || SessionKind::of(self.admitted.session_key()) == SessionKind::Subagent
    }
}

/// What a lane does next.
enum Next {
    Nothing,
    /// More may come until then.
    Quiet(Instant),
    /// These get a turn together; usually one.
    Turn(Vec<WaitingTurn>),
}

/// All lanes that are awake.
#[derive(Debug)]
pub(crate) struct Lanes {
    workers: KeyedWorkers<SessionKey, WaitingTurn>,
}

impl Lanes {
    pub(crate) fn new(tasks: Tasks) -> Self {
        // How many may wait is decided by who puts: what was kept by an earlier process is never refused.
        Self { workers: KeyedWorkers::new(tasks, usize::MAX, LINGER) }
    }

    /// Whether one more message may wait in a session.
    pub(crate) fn has_room(&self, key: &SessionKey) -> bool {
        self.waiting(key) < MAX_WAITING
    }

    /// Puts a message into its lane, waking one if need be.
    pub(crate) fn put(&self, turns: &Turns, waiting: WaitingTurn) {
        let key = waiting.admitted.session_key().clone();
        let put = self.workers.put(key, waiting, |lane| drive(turns.clone(), lane));
        if let Err(waiting) = put {
            tracing::error!(run = %waiting.run.id, "a lane is full; the message is answered after the next start");
        }
    }

    /// How many messages wait in a session.
    pub(crate) fn waiting(&self, key: &SessionKey) -> usize {
        self.workers.inbox(key, |waiting| waiting.len()).unwrap_or(0)
    }

    /// Takes the oldest message that a person wrote out of a lane, because too many wait.
    pub(crate) fn take_oldest_said(&self, key: &SessionKey) -> Option<WaitingTurn> {
        let is_said = |options: &TurnOptions| options.is_heard() || options.source() == TurnSource::Chat;
        self.take(key, |waiting| is_said(&waiting.request.options)).map(|(_, taken)| taken)
    }

    /// Takes a message out of its lane before its turn has come.
    pub(crate) fn withdraw(&self, run: &Arc<Run>) -> Option<WaitingTurn> {
        self.take(&run.session_key, |waiting| Arc::ptr_eq(&waiting.run, run)).map(|(_, taken)| taken)
    }

    /// Takes the oldest message out of a lane that may go to the turn under way, whose answer goes to `answered`.
    /// One that wants its answer somewhere else waits for a turn of its own: there nobody would hear of it. With it
    /// comes its place in the lane.
    pub(crate) fn take_steerable(
        &self,
        key: &SessionKey,
        answered: Option<&Address>,
    ) -> Option<(usize, WaitingTurn)> {
        self.take(key, |waiting| {
            let is_heard = match &waiting.request.options.reply {
                Some(reply) => answered == Some(&reply.address),
                None => true,
            };
            is_heard && matches!(waiting.request.kind, Kind::Steer | Kind::SteerToo)
        })
    }

    /// The first that is meant, and where it was.
    fn take(
        &self,
        key: &SessionKey,
        is_meant: impl Fn(&WaitingTurn) -> bool,
    ) -> Option<(usize, WaitingTurn)> {
        let taken = self.workers.inbox(key, |waiting| {
            let at = waiting.iter().position(is_meant)?;
            waiting.remove(at).map(|taken| (at, taken))
        });
        taken.flatten()
    }

    /// Puts back what was taken out of a lane, where it was; wakes a lane if that went away meanwhile.
    pub(crate) fn put_back(&self, turns: &Turns, at: usize, waiting: WaitingTurn) {
        let key = waiting.admitted.session_key().clone();
        self.workers.put_back(key, at, waiting, |lane| drive(turns.clone(), lane));
    }

    /// How many are awake.
    pub(crate) fn awake(&self) -> usize {
        self.workers.awake()
    }
}

/// The lane's task.
async fn drive(turns: Turns, lane: Worker<SessionKey, WaitingTurn>) {
    let inner = turns.inner();
    let mut history: Option<History> = None;
    let mut quiet_since = None;
    loop {
        let holding = inner.holding();
        match next(&lane, &mut quiet_since, holding.is_cancelled(), &inner.config()) {
            // Boxed: lanes that wait for the next message are many, and a turn takes a hundred times their room.
            Next::Turn(together) => Box::pin(take_turn(&turns, together, &mut history)).await,
            Next::Quiet(until) => {
                lane.more_until(until, holding).await;
            }
            Next::Nothing => {
                if lane.idle(inner.stopping()).await {
                    return;
                }
            }
        }
    }
}

/// What is to be done now, where quiet is waited for since then. Who `hurries` waits for nobody.
fn next(
    lane: &Worker<SessionKey, WaitingTurn>,
    quiet_since: &mut Option<Instant>,
    hurries: bool,
    config: &Config,
) -> Next {
    let came = lane.last_put();
    lane.inbox(|waiting| {
        let quiet = match waiting.front().map(|first| &first.request.kind) {
            None => return Next::Nothing,
            Some(Kind::Collect { quiet_ms }) => Duration::from_millis(*quiet_ms),
            Some(Kind::Turn | Kind::Steer | Kind::SteerToo | Kind::Compact(_) | Kind::Command) => {
                Duration::ZERO
            }
        };
        let now = Instant::now();
        // Where it never gets quiet, somebody must be answered all the same.
        let until = (came + quiet).min(*quiet_since.get_or_insert(now) + quiet * MAX_QUIETS);
        if !hurries && !quiet.is_zero() && now < until {
            return Next::Quiet(until);
        }
        *quiet_since = None;
        Next::Turn(collect::take(waiting, config))
    })
}

/// Gives these their turn. A bug of ours in it ends their runs; the session goes on all the same.
async fn take_turn(turns: &Turns, together: Vec<WaitingTurn>, history: &mut Option<History>) {
    let runs: Vec<_> = together.iter().map(|waiting| Arc::clone(&waiting.run)).collect();
    let turn = AssertUnwindSafe(async {
        if let Some(waiting) = collect::combine(turns, together).await {
            turn::take(turns, waiting, history).await;
        }
    });
    if turn.catch_unwind().await.is_err() {
        *history = None;
        for run in runs.iter().filter(|run| !run.is_over()) {
            turn::give_up(turns, run).await;
        }
    }
}
