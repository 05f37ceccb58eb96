//! Handing messages of a lane to the turn that is under way in it.
//!
//! A message to be steered waits in the lane like any other. Whoever takes it out of there first has it: the turn
//! under way, between two of its calls, or the lane, when that turn is over. So it is never lost and never
//! answered twice, and a crash before it was taken leaves it waiting in the store.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_agent::{Steer, Steering, Taken};
use homard_protocol::{RunId, SessionId};
use homard_store::{SteerInto, StoreError, steered_key, steered_too_key};

use crate::parts::Turns;
use crate::turns::lane::collect::alone;
use crate::turns::lane::{Kind, WaitingTurn};
use crate::turns::outcome::{NotBegun, RunEnd, TakenOver, TurnOutcome};
use crate::turns::runs::Run;
use crate::turns::turn::{is_kept, stop_waiting};

/// The lane of one running turn.
struct Lane {
    turns: Turns,
    run: Arc<Run>,
    session_id: SessionId,
}

/// Where the turn of `run` gets its messages from.
pub(crate) fn of(turns: &Turns, run: &Arc<Run>, session_id: &SessionId) -> Steering {
    Steering::from_source(Arc::new(Lane {
        turns: turns.clone(),
        run: Arc::clone(run),
        session_id: session_id.clone(),
    }))
}

impl Steer for Lane {
    fn next(&self) -> BoxFuture<'_, Result<Option<Taken>, StoreError>> {
        async move {
            // What people say is answered by a turn of its own, whatever an agent finds that looks around.
            let is_asked = self.run.delivery.look().is_none();
            while is_asked && !self.run.cancel.is_cancelled() {
                let answered = self.run.delivery.route().map(|route| &route.address);
                let lanes = self.turns.lanes();
                let Some((at, mut waiting)) = lanes.take_steerable(&self.run.session_key, answered) else {
                    break;
                };
                if !is_kept(waiting.kept.take()).await {
                    // Known before, or not kept: whoever sent it has been told.
                    continue;
                }
                if waiting.run.cancel.is_cancelled() {
                    Box::pin(stop_waiting(&self.turns, waiting)).await;
                    continue;
                }
                // Of those that had to go for it the turn under way hears, too.
                let waiting = alone(waiting);
                // Boxed: every turn asks, and nearly none is told anything.
                return match waiting.request.kind {
                    Kind::SteerToo => Box::pin(self.tell_too(at, waiting)).await.map(Some),
                    _ => Box::pin(self.hand_over(waiting)).await.map(Some),
                };
            }
            Ok(None)
        }
        .boxed()
    }
}

impl Lane {
    /// The message of that run, to the turn under way here.
    fn steer(&self, run_id: &RunId) -> SteerInto {
        let (into, session_id) = (self.run.id.clone(), self.session_id.clone());
        SteerInto { run_id: run_id.clone(), into, session_id }
    }

    async fn hand_over(&self, waiting: WaitingTurn) -> Result<Taken, StoreError> {
        let (store, steered) = (self.turns.inner().store(), &waiting.run);
        let mut message = waiting.request.message.clone();
        // Answers after it belong to the run that took it, and whoever reads the transcript can tell.
        message.idempotency_key = Some(steered_key(&steered.id));
        match store.runs().steer(self.steer(&steered.id), message.clone()).await {
            Ok(place) => {
                let run_id = steered.id.clone();
                let by = TakenOver::Steered(self.run.id.clone());
                settle(&self.turns, steered, by, Some(&self.session_id));
                Ok(Taken { run_id, message, seq: place.seq })
            }
            Err(error) => {
                let mut waiting = waiting;
                waiting.request.kind = Kind::Turn;
                self.turns.lanes().put_back(&self.turns, 0, waiting);
                Err(error)
            }
        }
    }

    /// Tells the turn under way, and lets the message wait on for its own.
    async fn tell_too(&self, at: usize, mut waiting: WaitingTurn) -> Result<Taken, StoreError> {
        waiting.request.kind = Kind::Turn;
        let (run_id, request) = (waiting.run.id.clone(), waiting.request.to_json());
        let mut message = waiting.request.message.clone();
        message.idempotency_key = Some(steered_too_key(&run_id));
        let runs = self.turns.inner().store().runs();
        let told = runs.steer_too(self.steer(&run_id), message.clone(), request).await;
        self.turns.lanes().put_back(&self.turns, at, waiting);
        told.map(|place| Taken { run_id, message, seq: place.seq })
    }
}

/// Tells everyone that nothing more comes of a run by itself, and where its message went.
pub(crate) fn settle(turns: &Turns, moved: &Arc<Run>, by: TakenOver, session_id: Option<&SessionId>) {
    let inner = turns.inner();
    let at = inner.clock().now_ms();
    let session_id = session_id.cloned();
    let outcome = TurnOutcome::NotBegun(NotBegun::TakenOver { by, at, session_id });
    moved.narrator.end_bare();
    inner.run_ended(moved, RunEnd { outcome, reply: None, ended_at: at, look: None });
    turns.runs().remove(moved);
}

#[cfg(test)]
mod tests;
