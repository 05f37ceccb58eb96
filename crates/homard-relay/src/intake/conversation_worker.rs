//! One corner per conversation: a queue and a task that gathers and takes its messages one after the other, so that
//! their order stays while conversations do not wait for each other. A corner goes away when it is empty.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use homard_channel::Heard;
use homard_protocol::{AccountId, ChannelId};
use homard_store::InboxId;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::time::{Instant, sleep_until};

use super::gather::{Complete, Gathering, Item};
use crate::relay::{Inner, Relay};

/// Messages that may wait in one conversation.
const MAX_WAITING: usize = 1_000;

/// Something kept, on its way.
pub(super) struct Thing {
    pub(super) id: InboxId,
    pub(super) heard: Heard,
    pub(super) permit: OwnedSemaphorePermit,
}

/// Which conversation: platform, account, place, thread.
type Place = (ChannelId, AccountId, String, String);

#[derive(Default)]
struct Corner {
    waiting: Mutex<VecDeque<Thing>>,
    more: Notify,
}

/// All corners in which something goes on.
#[derive(Default)]
pub(super) struct Corners {
    busy: Mutex<HashMap<Place, Arc<Corner>>>,
}

impl Corners {
    /// Puts something into its corner; gives it back when that is full.
    pub(super) fn put(&self, relay: &Relay, thing: Thing) -> Result<(), Box<Thing>> {
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
        let corner = Arc::new(Corner::default());
        lock(&corner.waiting).push_back(thing);
        busy.insert(place.clone(), Arc::clone(&corner));
        let inner = Arc::clone(relay.inner());
        relay.inner().tasks().spawn(sit(inner, place, corner));
        Ok(())
    }

    /// Forgets a corner, unless something came meanwhile.
    fn leave(&self, place: &Place, corner: &Corner) -> bool {
        let mut busy = lock(&self.busy);
        if lock(&corner.waiting).is_empty() {
            busy.remove(place);
            true
        } else {
            false
        }
    }
}

fn place_of(heard: &Heard) -> Place {
    let (channel, account) = heard.ears();
    let conversation = match heard {
        Heard::Message(message) => Some(&message.conversation),
        Heard::Event(event) => Some(&event.conversation),
        Heard::Moved { .. } => None,
    };
    let peer = conversation.and_then(|place| place.peer()).map(ToString::to_string);
    let thread = conversation.and_then(|place| place.thread()).map(ToString::to_string);
    let peer = match heard {
        Heard::Moved { from, .. } => from.to_string(),
        Heard::Message(_) | Heard::Event(_) => peer.unwrap_or_default(),
    };
    (channel.clone(), account.clone(), peer, thread.unwrap_or_default())
}

/// The corner's task.
async fn sit(inner: Arc<Inner>, place: Place, corner: Arc<Corner>) {
    let relay = Relay::of(inner);
    let mut gathering = Gathering::default();
    loop {
        let next = lock(&corner.waiting).pop_front();
        if let Some(Thing { id, heard, permit }) = next {
            match heard {
                Heard::Message(message) => {
                    let pace = relay.pace_of(&message);
                    let item = Item { id, message, held: permit };
                    finish(&relay, gathering.add(item, pace, Instant::now())).await;
                }
                other @ (Heard::Event(_) | Heard::Moved { .. }) => {
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
