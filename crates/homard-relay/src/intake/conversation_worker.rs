//! One worker per conversation: a queue and a task that gathers and takes its messages one after the other, so that
//! their order stays while conversations do not wait for each other. A worker goes away when it is empty.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use homard_channel::InboundEvent;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Mutex;
use homard_store::InboxId;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::time::{Instant, sleep_until};

use super::gather::{Complete, Gathering, Item};
use crate::parts::Intake;
use crate::relay::Inner;

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

#[derive(Default)]
struct ConversationWorker {
    waiting: Mutex<VecDeque<QueuedEvent>>,
    more: Notify,
}

/// All workers in which something goes on.
#[derive(Default)]
pub(super) struct ConversationWorkers {
    busy: Mutex<HashMap<Place, Arc<ConversationWorker>>>,
}

impl ConversationWorkers {
    /// Puts something into its worker; gives it back when that is full.
    pub(super) fn put(&self, relay: &Intake, thing: QueuedEvent) -> Result<(), Box<QueuedEvent>> {
        let place = place_of(&thing.heard);
        let mut busy = self.busy.lock();
        if let Some(worker) = busy.get(&place) {
            let mut waiting = worker.waiting.lock();
            if waiting.len() >= MAX_WAITING {
                return Err(Box::new(thing));
            }
            waiting.push_back(thing);
            worker.more.notify_one();
            return Ok(());
        }
        let worker = Arc::new(ConversationWorker::default());
        worker.waiting.lock().push_back(thing);
        busy.insert(place.clone(), Arc::clone(&worker));
        let inner = Arc::clone(relay.inner());
        relay.inner().tasks().spawn(sit(inner, place, worker));
        Ok(())
    }

    /// Forgets a worker, unless something came meanwhile.
    fn leave(&self, place: &Place, worker: &ConversationWorker) -> bool {
        let mut busy = self.busy.lock();
        if worker.waiting.lock().is_empty() {
            busy.remove(place);
            true
        } else {
            false
        }
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
async fn sit(inner: Arc<Inner>, place: Place, worker: Arc<ConversationWorker>) {
    let relay = Intake::of(inner);
    let mut gathering = Gathering::default();
    loop {
        let next = worker.waiting.lock().pop_front();
        if let Some(QueuedEvent { id, heard, permit }) = next {
            match heard {
                InboundEvent::Message(message) => {
                    let pace = relay.pace_of(&message);
                    let item = Item { id, message, held: permit };
                    finish(&relay, gathering.add(item, pace, Instant::now())).await;
                }
                other @ (InboundEvent::Event(_) | InboundEvent::Moved { .. }) => {
                    // What happened after a message is told after it.
                    finish(&relay, gathering.all()).await;
                    guarded(relay.notice(id, other), &relay, vec![id]).await;
                }
            }
            continue;
        }
        finish(&relay, gathering.due(Instant::now())).await;
        let Some(due) = gathering.next_due() else {
            if worker.waiting.lock().is_empty() && relay.inner().intake().workers.leave(&place, &worker) {
                return;
            }
            continue;
        };
        tokio::select! {
            () = worker.more.notified() => {}
            () = sleep_until(due) => {}
            // What is not complete stays in the inbox and is taken up after the next start.
            () = relay.inner().stopping().cancelled() => return,
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
