//! One worker per conversation: a queue and a task that gathers and takes its messages one after the other, so that
//! their order stays while conversations do not wait for each other. A worker goes away when it is empty.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use homard_channel::InboundEvent;
use homard_runtime::{KeyedWorkers, Roused, Tasks, Worker};
use homard_store::InboxId;
use tokio::time::Instant;

use super::chat_place::ChatPlace;
use super::gather::{Bundle, Gathering, KeptEvent};
use crate::parts::Intake;

/// Messages that may wait in one conversation.
const MAX_WAITING: usize = 1_000;

/// All workers in which something goes on.
pub(super) struct ConversationWorkers {
    workers: KeyedWorkers<ChatPlace, KeptEvent<InboundEvent>>,
}

impl ConversationWorkers {
    pub(super) fn new(tasks: Tasks) -> Self {
        Self { workers: KeyedWorkers::new(tasks, MAX_WAITING, Duration::ZERO) }
    }

    /// Puts something into its worker; gives it back when that is full.
    pub(super) fn put(
        &self,
        intake: &Intake,
        kept: KeptEvent<InboundEvent>,
    ) -> Result<(), Box<KeptEvent<InboundEvent>>> {
        let place = ChatPlace::of_event(&kept.event);
        self.workers.put(place, kept, |worker| work(intake.clone(), worker)).map_err(Box::new)
    }
}

/// The worker's task.
async fn work(intake: Intake, worker: Worker<ChatPlace, KeptEvent<InboundEvent>>) {
    let stopping = intake.inner().stopping();
    let mut gathering = Gathering::default();
    loop {
        if let Some(event) = worker.pop() {
            take(&intake, &mut gathering, event).await;
            continue;
        }
        finish(&intake, gathering.due(Instant::now())).await;
        let is_over = match gathering.next_due() {
            None => worker.idle(stopping).await,
            // What is not complete stays in the inbox and is taken up after the next start.
            Some(due) => worker.more_until(due, stopping).await == Roused::Stop,
        };
        if is_over {
            return;
        }
    }
}

/// Adds a message to what is gathered; what happened besides is told after the messages before it.
async fn take(intake: &Intake, gathering: &mut Gathering, kept: KeptEvent<InboundEvent>) {
    let KeptEvent { id, event, permit } = kept;
    match event {
        InboundEvent::Message(event) => {
            let pace = intake.pace_of(&event);
            match gathering.add(KeptEvent { id, event, permit }, pace, Instant::now()) {
                Ok(complete) => finish(intake, complete).await,
                Err(part) => intake.close(vec![part.id], "an album with too many parts").await,
            }
        }
        notice @ (InboundEvent::Event(_) | InboundEvent::Moved { .. }) => {
            finish(intake, gathering.all()).await;
            guarded(intake.notice(id, notice), intake, vec![id]).await;
        }
    }
}

async fn finish(intake: &Intake, complete: Vec<Bundle>) {
    for bundle in complete {
        let ids = bundle.ids();
        guarded(intake.take_bundle(bundle), intake, ids).await;
    }
}

/// A bug of ours in one message must neither stop the conversation nor come back after every restart.
async fn guarded(work: impl Future<Output = ()>, intake: &Intake, ids: Vec<InboxId>) {
    if AssertUnwindSafe(work).catch_unwind().await.is_err() {
        tracing::error!("taking a message ended unexpectedly; it is left out");
        intake.close(ids, "a bug in Homard").await;
    }
}
