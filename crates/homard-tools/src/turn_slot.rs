//! A turn's place among those that run at once. While a turn only waits for a person it gives its place to another,
//! so that questions nobody answers stop nobody else.

use std::future::Future;
use std::sync::Arc;

use homard_runtime::{Mutex, OrCancel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// A place. Clone-cheap: clones share it. The default is one that nobody counts.
#[derive(Debug, Clone, Default)]
pub struct TurnSlot {
    inner: Option<Arc<Inner>>,
}

#[derive(Debug)]
struct Inner {
    places: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    held: Option<OwnedSemaphorePermit>,
    /// How many calls of the turn wait for a person.
    away: usize,
    is_over: bool,
}

impl TurnSlot {
    /// The place a permit stands for.
    #[must_use]
    pub fn new(permit: OwnedSemaphorePermit) -> Self {
        let places = Arc::clone(permit.semaphore());
        let state = Mutex::new(State { held: Some(permit), away: 0, is_over: false });
        Self { inner: Some(Arc::new(Inner { places, state })) }
    }

    /// Waits without the place, and comes back to one unless the turn is stopped meanwhile.
    pub async fn while_away<T>(&self, waiting: impl Future<Output = T>, cancel: &CancellationToken) -> T {
        let Some(inner) = &self.inner else { return waiting.await };
        inner.leave();
        let done = waiting.await;
        // A turn that is stopped only tidies up, and needs no place for that.
        let _stopped = inner.come_back().or_cancel(cancel).await;
        done
    }

    /// The turn is over: the place is free.
    pub fn give_up(&self) {
        if let Some(inner) = &self.inner {
            let mut state = inner.state.lock();
            state.is_over = true;
            state.held = None;
        }
    }
}

impl Inner {
    fn leave(&self) {
        let mut state = self.state.lock();
        state.away += 1;
        state.held = None;
    }

    async fn come_back(&self) {
        let is_last = {
            let mut state = self.state.lock();
            state.away = state.away.saturating_sub(1);
            state.away == 0 && !state.is_over
        };
        if !is_last {
            return;
        }
        let permit = Arc::clone(&self.places).acquire_owned().await.ok();
        let mut state = self.state.lock();
        if state.away == 0 && !state.is_over && state.held.is_none() {
            state.held = permit;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;
    use tokio_util::sync::CancellationToken;

    use super::TurnSlot;

    #[tokio::test]
    async fn who_waits_for_a_person_leaves_the_place_to_another_and_comes_back() {
        let places = Arc::new(Semaphore::new(1));
        let slot = TurnSlot::new(Arc::clone(&places).acquire_owned().await.unwrap());
        assert_eq!(places.available_permits(), 0);
        let cancel = CancellationToken::new();
        let first = slot.while_away(async { places.available_permits() }, &cancel);
        let inner = slot.while_away(async { places.available_permits() }, &cancel);
        let both = slot.while_away(inner, &cancel);
        assert_eq!(tokio::join!(first, both), (1, 1));
        assert_eq!(places.available_permits(), 0, "it came back");
        // Another has taken the place, and the turn is stopped before it is free.
        let taken = slot.while_away(async { Arc::clone(&places).acquire_owned().await.unwrap() }, &cancel);
        cancel.cancel();
        drop(taken.await);
        slot.give_up();
        assert_eq!(places.available_permits(), 1);
        slot.while_away(async {}, &cancel).await;
        assert_eq!(places.available_permits(), 1, "what is over takes no place again");
    }
}
