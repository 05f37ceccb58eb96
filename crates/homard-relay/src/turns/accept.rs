//! Taking a message: it is admitted, finds its place, is kept, and waits for its turn.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_channel::Inbound;
use homard_protocol::{RunId, SessionKey, TurnSource};
use homard_store::{Accepted as Stored, NewRun, RunRecord, StoreError};
use homard_tools::{HookRefusal, Label};
use tokio::sync::oneshot;

use crate::hook_points;
use crate::intake::admit::{Admitted, Refused, admit};
use crate::intake::route::{Route, Unroutable};
use crate::parts::Turns;
use crate::trail;
use crate::turn_setup::taint;
use crate::turns::lane::{MAX_WAITING, WaitingTurn};
use crate::turns::listen::Listener;
use crate::turns::narrate::{Narrator, Subject};
use crate::turns::queue::Queue;
use crate::turns::request::{TurnOptions, TurnRequest};
use crate::turns::runs::Run;

/// What became of a message.
#[derive(Debug)]
pub enum Accepted {
    /// It is kept and will be answered.
    Started { run_id: RunId, session_key: SessionKey },
    /// The same message is being answered already.
    InFlight { run_id: RunId, session_key: SessionKey },
    /// The same message was answered before.
    Finished(Box<RunRecord>),
    /// It was a command and is obeyed.
    Answered { run_id: RunId, session_key: SessionKey },
}

/// Why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The sender may not speak.
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Unroutable(#[from] Unroutable),
    /// The message id cannot name a run.
    #[error("the idempotency key cannot be used")]
    BadKey(#[source] homard_protocol::IdError),
    /// Too many wait already.
    #[error("{0} messages are waiting in this session already; wait for an answer or stop the run")]
    Full(usize),
    /// The owner wants no answers there.
    #[error("send blocked by session policy: answers are turned off here (/send, session.sendPolicy)")]
    NotAnswered,
    /// The gateway is going down.
    #[error("the gateway is stopping and takes no new messages")]
    Stopping,
    /// A run of that name is known already, so there is nothing to listen to.
    #[error("a run of this name is known already; use another")]
    Repeated,
    /// A filter of the house did not let it in.
    #[error("not taken: {0}")]
    HeldBack(#[from] HookRefusal),
    /// It could not be kept, so it was not taken.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Turns {
    /// Takes a message: obeys it if it is a command and may be one, else keeps it and lets it wait for its turn as
    /// `queue` says. Returns once it is kept. This is the one way in for all that is not heard on a chat platform,
    /// and those go on from the same place once they are admitted.
    ///
    /// # Errors
    /// When the sender may not speak, the message belongs nowhere, too many wait, or it cannot be kept.
    pub fn accept(
        &self,
        message: Inbound,
        options: TurnOptions,
        queue: Queue,
    ) -> BoxFuture<'_, Result<Accepted, AcceptError>> {
        async move {
            let (mut admitted, mut options) = (self.admit(message, &options)?, options);
            if options.source() == TurnSource::Chat && !options.is_plain_text {
                if let Some(accepted) = self.commands().obey(&mut admitted, &mut options).await? {
                    return Ok(accepted);
                }
                admitted = self.setup().call_skill(admitted).await;
            }
            match queue {
                Queue::Told(asked) => self.queue_told(admitted, options, asked).await,
                queue => self.enqueue(admitted, options, queue, None).await,
            }
        }
        .boxed()
    }

    /// Lets an operator's message speak where it belongs.
    pub(crate) fn admit(&self, message: Inbound, options: &TurnOptions) -> Result<Admitted, AcceptError> {
        if self.inner().stopping().is_cancelled() {
            return Err(AcceptError::Stopping);
        }
        let route = Route::named(&self.inner().config(), &message)?;
        Ok(admit(message, route, options.without_admin)?)
    }

    /// Keeps a message and lets it wait; who wants to listen to its run hears it from the beginning.
    pub(crate) fn enqueue(
        &self,
        admitted: Admitted,
        mut options: TurnOptions,
        queue: Queue,
        listening: Option<oneshot::Sender<Listener>>,
    ) -> BoxFuture<'_, Result<Accepted, AcceptError>> {
        async move {
            let run_id = run_id(&admitted)?;
            if self.inner().stopping().is_cancelled() {
                return Err(AcceptError::Stopping);
            }
            let key = admitted.session_key().clone();
            // Before the room is looked at: a repeated request is not one more.
            if self.runs().get(&run_id).is_some() {
                return Ok(Accepted::InFlight { run_id, session_key: key });
            }
            let is_heard = options.is_heard();
            // How many of what people write may wait has been decided with it.
            if !is_heard && options.source() != TurnSource::Chat && !self.lanes().has_room(&key) {
                return Err(AcceptError::Full(MAX_WAITING));
            }
            let admitted = match queue {
                Queue::Compact(..) => admitted,
                _ => hook_points::message_in(self.inner(), admitted).await?,
            };
            options.labels.extend(taint::labels(admitted.message(), admitted.standing().is_owner));
            options.labels.extend(options.without_admin.then(Label::of_client_without_admin));
            // What a turn under way knows about whose words it works with was decided when it began.
            let queue = if options.labels.is_empty() { queue } else { queue.waiting() };
            let kind = self.kind_of(&queue, &key);
            let report = queue.report();
            let mut request = TurnRequest::new(&admitted, options, kind);
            request.message = taint::without_secrets(request.message, &self.inner().guards().secrets);
            let run = self.run_of(&admitted, run_id.clone(), &request);
            if request.options.source().is_attended() {
                run.attend();
            }
            if !self.runs().reserve(&run) {
                return Ok(Accepted::InFlight { run_id, session_key: key });
            }
            if listening.is_some_and(|listening| listening.send(Listener::to(&run)).is_err()) {
                tracing::debug!(run = %run_id, "nobody listens to the run any more");
            }
            let waiting = WaitingTurn { run, kept: None, admitted, request, report, merged: Vec::new() };
            if is_heard {
                // The conversation's worker does not hang up.
                return keep(self, waiting).await;
            }
            // Whoever asked may hang up meanwhile: that leaves neither a run nobody ends nor a message nobody answers.
            let (tell, told) = oneshot::channel();
            let turns = self.clone();
            self.inner().tasks().spawn(async move {
                let _hung_up = tell.send(keep(&turns, waiting).await);
            });
            told.await.unwrap_or(Err(AcceptError::Stopping))
        }
        .boxed()
    }

    /// A run for a message that has found its place.
    pub(crate) fn run_of(&self, admitted: &Admitted, run_id: RunId, request: &TurnRequest) -> Arc<Run> {
        let inner = self.inner();
        let key = admitted.session_key().clone();
        let subject = Subject {
            run: run_id.clone(),
            run_text: Arc::from(run_id.as_str()),
            session_key: Arc::from(key.to_string()),
            agent: Some(Arc::from(admitted.agent().as_str())),
            is_heartbeat: request.options.source() == TurnSource::Heartbeat,
        };
        let narrator = Narrator::new(subject, inner.bus().clone(), inner.clock().clone());
        let cancel = inner.tasks().token().child_token();
        Arc::new(Run::new(run_id, key, request.message.content.text(), narrator, cancel))
    }

    /// Lets a message that was kept by an earlier process wait for its turn.
    pub(crate) fn resume_kept(&self, admitted: Admitted, run_id: RunId, request: TurnRequest) {
        let run = self.run_of(&admitted, run_id, &request);
        if self.runs().reserve(&run) {
            let waiting =
                WaitingTurn { run, kept: None, admitted, request, report: None, merged: Vec::new() };
            self.lanes().put(self, waiting);
        }
    }
}

/// Keeps a message whose run is reserved, and lets it wait.
async fn keep(turns: &Turns, mut waiting: WaitingTurn) -> Result<Accepted, AcceptError> {
    let run = Arc::clone(&waiting.run);
    // The lane may begin at once: its first write is behind this one and shares its commit. It tells
    // nobody anything before it knows that the message is kept.
    let (is_kept, kept) = oneshot::channel();
    let new = new_run(&waiting.admitted, &run.id, &waiting.request);
    let (is_heard, source) = (waiting.request.options.is_heard(), waiting.request.options.source());
    let stored = match turns.inner().store().runs().post(new).await {
        Ok(stored) => stored,
        Err(error) => {
            turns.runs().remove(&run);
            return Err(error.into());
        }
    };
    waiting.kept = Some(kept);
    turns.lanes().put(turns, waiting);
    let duplicate = match stored.await {
        Ok(Stored::New) => None,
        Ok(Stored::Duplicate(record)) => Some(Ok(known(record))),
        Err(error) => Some(Err(error.into())),
    };
    if let Some(answer) = duplicate {
        turns.lanes().withdraw(&run);
        turns.runs().remove(&run);
        return answer;
    }
    if !is_heard {
        trail::accepted(&run, source);
    }
    if is_kept.send(()).is_err() {
        tracing::debug!(run = %run.id, "the lane is gone; the message is answered after the next start");
    }
    Ok(Accepted::Started { run_id: run.id.clone(), session_key: run.session_key.clone() })
}

/// The run a message becomes.
pub(crate) fn run_id(admitted: &Admitted) -> Result<RunId, AcceptError> {
    RunId::parse(admitted.run()).map_err(AcceptError::BadKey)
}

/// A run as it is kept.
pub(crate) fn new_run(admitted: &Admitted, run_id: &RunId, request: &TurnRequest) -> NewRun {
    NewRun {
        run_id: run_id.clone(),
        session_key: admitted.session_key().clone(),
        agent_id: admitted.agent().clone(),
        source: request.options.source().into(),
        message: request.to_json(),
        inbox: request.options.inbox.clone(),
    }
}

/// What is said of a message that came before.
pub(crate) fn known(record: Box<RunRecord>) -> Accepted {
    if record.status.is_finished() {
        return Accepted::Finished(record);
    }
    let RunRecord { run_id, session_key, .. } = *record;
    Accepted::InFlight { run_id, session_key }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use homard_channel::Inbound;
    use homard_protocol::{AgentId, RunId, SessionKey};
    use homard_store::RunStatus;
    use serde_json::json;

    use crate::fixture::World;
    use crate::turn_setup::program::Program;
    use crate::turns::queue::Queue;
    use crate::turns::request::TurnOptions;
    use homard_protocol::TurnSource;

    fn message(id: &str) -> Inbound {
        Inbound::from_operator(SessionKey::main(AgentId::main()), id.to_owned(), "hello".to_owned(), 1)
    }

    async fn status(world: &World, id: &str) -> RunStatus {
        let run = RunId::parse(id).unwrap();
        loop {
            if let Some(record) = world.store.runs().get(&run).await.unwrap()
                && record.status.is_finished()
            {
                return record.status;
            }
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn who_hangs_up_while_a_message_is_taken_leaves_it_to_be_answered() {
        let world = World::new(json!({}));
        world.talker.says("hi");
        let turns = world.relay.turns();
        let taking = turns.accept(message("r1"), TurnOptions::of(TurnSource::Hook), Queue::Wait);
        assert!(taking.now_or_never().is_none(), "it is being kept");
        assert_eq!(status(&world, "r1").await, RunStatus::Ok);
        while turns.active_count() > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_program_that_hangs_up_meanwhile_is_not_answered() {
        let world = World::new(json!({}));
        let turns = world.relay.turns();
        let options = TurnOptions::of(TurnSource::HttpChat);
        let taking = turns.accept_program(message("r1"), Program::default(), options);
        assert!(taking.now_or_never().is_none(), "it is being kept");
        assert_eq!(status(&world, "r1").await, RunStatus::Aborted);
        assert!(world.talker.asked().is_empty());
    }

    #[tokio::test]
    async fn what_was_answered_before_interrupts_nobody() {
        let world = World::new(json!({"messages": {"queue": {"mode": "interrupt"}}}));
        let turns = world.relay.turns();
        let send = |id| turns.accept(message(id), TurnOptions::of(TurnSource::Chat), Queue::by_word(None));
        world.talker.says("one");
        send("r1").await.unwrap();
        assert_eq!(status(&world, "r1").await, RunStatus::Ok);
        let say = world.talker.next();
        send("r2").await.unwrap();
        world.begun(&RunId::parse("r2").unwrap()).await;
        send("r1").await.unwrap();
        say.send("two".to_owned()).await.unwrap();
        drop(say);
        assert_eq!(status(&world, "r2").await, RunStatus::Ok);
    }
}
