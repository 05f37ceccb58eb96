//! One corner per conversation: a queue and a task that gathers and takes its messages one after the other, so that
//! their order stays while conversations do not wait for each other. A corner goes away when it is empty.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use homard_channel::InboundEvent;
use homard_protocol::{AccountId, ChannelId};
use homard_store::InboxId;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::time::{Instant, sleep_until};

use super::gather::{Complete, Gathering, Item};
use crate::relay::{Inner, Relay};

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

/// All corners in which something goes on.
#[derive(Default)]
pub(super) struct ConversationWorkers {
    busy: Mutex<HashMap<Place, Arc<ConversationWorker>>>,
}

impl ConversationWorkers {
    /// Puts something into its corner; gives it back when that is full.
    pub(super) fn put(&self, relay: &Relay, thing: QueuedEvent) -> Result<(), Box<QueuedEvent>> {
        let place = place_of(&thing.heard);
        let mut busy = lock(&self.busy);
        if let Some(corner) = busy.get(&place) {
            let mut waiting = lock(&corner.waiting);
            if waiting.len() >= MAX_WAITING {
                return Err(Box::new(thing));
            }
            waiting.push_back(thing);
            corner.more.notify_one();
            return Ok(());
        }
        let corner = Arc::new(ConversationWorker::default());
        lock(&corner.waiting).push_back(thing);
        busy.insert(place.clone(), Arc::clone(&corner));
        let inner = Arc::clone(relay.inner());
        relay.inner().tasks().spawn(sit(inner, place, corner));
        Ok(())
    }

    /// Forgets a corner, unless something came meanwhile.
    fn leave(&self, place: &Place, corner: &ConversationWorker) -> bool {
        let mut busy = lock(&self.busy);
        if lock(&corner.waiting).is_empty() {
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

/// The corner's task.
async fn sit(inner: Arc<Inner>, place: Place, corner: Arc<ConversationWorker>) {
    let relay = Relay::of(inner);
    let mut gathering = Gathering::default();
    loop {
        let next = lock(&corner.waiting).pop_front();
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
            if lock(&corner.waiting).is_empty() && relay.inner().intake().corners.leave(&place, &corner) {
                return;
            }
            continue;
        };
        tokio::select! {
            () = corner.more.notified() => {}
            () = sleep_until(due) => {}
            // What is not complete stays in the inbox and is taken up after the next start.
            () = relay.inner().stopping().cancelled() => return,
        }
    }
}

async fn finish(relay: &Relay, complete: Vec<Complete<OwnedSemaphorePermit>>) {
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
async fn guarded(work: impl Future<Output = ()>, relay: &Relay, ids: Vec<InboxId>) {
    if AssertUnwindSafe(work).catch_unwind().await.is_err() {
        tracing::error!("taking a message ended unexpectedly; it is left out");
        relay.close(ids, "a bug in Homard").await;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
