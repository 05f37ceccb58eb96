//! One worker per conversation: a queue and a task that gathers and takes its messages one after the other, so that
//! their order stays while conversations do not wait for each other. A worker goes away when it is empty.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use homard_channel::InboundEvent;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::{KeyedWorkers, Roused, Tasks, Worker};
use homard_store::InboxId;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::gather::{Complete, Gathering, Item};
use crate::parts::Intake;

/// Messages that may wait in one conversation.
const MAX_WAITING: usize = 1_000;

/// Something kept, on its way.
pub(super) enum QueuedEvent {
    Message(Item<OwnedSemaphorePermit>),
    Notice { id: InboxId, heard: Box<InboundEvent>, permit: OwnedSemaphorePermit },
}

impl QueuedEvent {
    pub(super) fn new(id: InboxId, heard: InboundEvent, permit: OwnedSemaphorePermit) -> Self {
        match heard {
            InboundEvent::Message(message) => Self::Message(Item { id, message, held: permit }),
            InboundEvent::Event(_) | InboundEvent::Moved { .. } => {
                Self::Notice { id, heard: Box::new(heard), permit }
            }
        }
    }
}

/// Which conversation: platform, account, place, thread.
pub(super) type Place = (ChannelId, AccountId, String, String);

/// All workers in which something goes on.
pub(super) struct ConversationWorkers {
    workers: KeyedWorkers<Place, QueuedEvent>,
}

impl ConversationWorkers {
    pub(super) fn new(tasks: Tasks) -> Self {
        Self { workers: KeyedWorkers::new(tasks, MAX_WAITING, Duration::ZERO) }
    }

    /// Puts something into its worker; gives it back when that is full.
    pub(super) fn put(
        &self,
        intake: &Intake,
        place: Place,
        event: QueuedEvent,
    ) -> Result<(), Box<QueuedEvent>> {
        self.workers.put(place, event, |worker| work(intake.clone(), worker)).map_err(Box::new)
    }
}

pub(super) fn place_of(heard: &InboundEvent) -> Place {
    let (channel, account) = heard.ears();
    let conversation = match heard {
        InboundEvent::Message(message) => &message.conversation,
        InboundEvent::Event(event) => &event.conversation,
        InboundEvent::Moved { from, .. } => {
            return (channel.clone(), account.clone(), from.to_string(), String::new());
        }
    };
    let peer = conversation.peer().map(ToString::to_string).unwrap_or_default();
    let thread = conversation.thread().map(ToString::to_string).unwrap_or_default();
    (channel.clone(), account.clone(), peer, thread)
}

/// The worker's task.
async fn work(intake: Intake, worker: Worker<Place, QueuedEvent>) {
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
async fn take(intake: &Intake, gathering: &mut Gathering<OwnedSemaphorePermit>, event: QueuedEvent) {
    match event {
        QueuedEvent::Message(kept) => {
            let pace = intake.pace_of(&kept.message);
            finish(intake, gathering.add(kept, pace, Instant::now())).await;
        }
        QueuedEvent::Notice { id, heard, permit } => {
            finish(intake, gathering.all()).await;
            guarded(intake.notice(id, *heard), intake, vec![id]).await;
            drop(permit);
        }
    }
}

async fn finish(relay: &Intake, complete: Vec<Complete<OwnedSemaphorePermit>>) {
    for complete in complete {
        match complete {
            Complete::Bundle(bundle) => {
                let ids = bundle.ids();
                guarded(relay.walk(bundle), relay, ids).await;
            }
            Complete::TooMany(item) => relay.close(vec![item.id], "an album with too many parts").await,
        }
    }
}

/// A bug of ours in one message must neither stop the conversation nor come back after every restart.
async fn guarded(work: impl Future<Output = ()>, relay: &Intake, ids: Vec<InboxId>) {
    if AssertUnwindSafe(work).catch_unwind().await.is_err() {
        tracing::error!("taking a message ended unexpectedly; it is left out");
        relay.close(ids, "a bug in Homard").await;
    }
}
