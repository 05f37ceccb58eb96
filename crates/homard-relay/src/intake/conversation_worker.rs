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
pub(super) struct QueuedEvent {
    pub(super) id: InboxId,
    pub(super) heard: InboundEvent,
    pub(super) permit: OwnedSemaphorePermit,
}

/// Which conversation: platform, account, place, thread.
type Place = (ChannelId, AccountId, String, String);

/// All workers in which something goes on.
pub(super) struct ConversationWorkers {
    workers: KeyedWorkers<Place, QueuedEvent>,
}

impl ConversationWorkers {
    pub(super) fn new(tasks: Tasks) -> Self {
        Self { workers: KeyedWorkers::new(tasks, MAX_WAITING, Duration::ZERO) }
    }

    /// Puts something into its worker; gives it back when that is full.
    pub(super) fn put(&self, intake: &Intake, event: QueuedEvent) -> Result<(), Box<QueuedEvent>> {
        let put = self.workers.put(place_of(&event.heard), event, |worker| work(intake.clone(), worker));
        put.map_err(Box::new)
    }
}

fn place_of(heard: &InboundEvent) -> Place {
    let (channel, account) = heard.ears();
    let conversation = match heard {
        InboundEvent::Message(message) => Some(&message.conversation),
        InboundEvent::Event(event) => Some(&event.conversation),
        InboundEvent::Moved { .. } => None,
    };
    let peer = conversation.and_then(|place| place.peer()).map(ToString::to_string);
    let thread = conversation.and_then(|place| place.thread()).map(ToString::to_string);
    let peer = match heard {
        InboundEvent::Moved { from, .. } => from.to_string(),
        InboundEvent::Message(_) | InboundEvent::Event(_) => peer.unwrap_or_default(),
    };
    (channel.clone(), account.clone(), peer, thread.unwrap_or_default())
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
    let QueuedEvent { id, heard, permit } = event;
    match heard {
        InboundEvent::Message(message) => {
            let pace = intake.pace_of(&message);
            let item = Item { id, message, held: permit };
            finish(intake, gathering.add(item, pace, Instant::now())).await;
        }
        other @ (InboundEvent::Event(_) | InboundEvent::Moved { .. }) => {
            finish(intake, gathering.all()).await;
            guarded(intake.notice(id, other), intake, vec![id]).await;
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
