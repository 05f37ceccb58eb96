//! A turn's place among those that run at once. While a turn only waits for a person it gives its place to another,
//! so that questions nobody answers stop nobody else.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A place. Clone-cheap: clones share it. The default is one that nobody counts.
#[derive(Debug, Clone, Default)]
pub struct Seat {
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

impl Seat {
    /// The place a permit stands for.
    #[must_use]
    pub fn new(permit: OwnedSemaphorePermit) -> Self {
        let places = Arc::clone(permit.semaphore());
        let state = Mutex::new(State { held: Some(permit), away: 0, is_over: false });
        Self { inner: Some(Arc::new(Inner { places, state })) }
    }

    /// Waits without the place, and comes back to one.
    pub async fn while_away<T>(&self, waiting: impl Future<Output = T>) -> T {
        let Some(inner) = &self.inner else { return waiting.await };
        inner.leave();
        let done = waiting.await;
        inner.come_back().await;
        done
    }

    /// The turn is over: the place is free.
    pub fn give_up(&self) {
        if let Some(inner) = &self.inner {
            let mut state = inner.state();
            state.is_over = true;
            state.held = None;
        }
    }
}

impl Inner {
    fn leave(&self) {
        let mut state = self.state();
        state.away += 1;
        state.held = None;
    }

    async fn come_back(&self) {
        let is_last = {
            let mut state = self.state();
            state.away = state.away.saturating_sub(1);
            state.away == 0 && !state.is_over
        };
        if !is_last {
            return;
        }
        let permit = Arc::clone(&self.places).acquire_owned().await.ok();
        let mut state = self.state();
        if state.away == 0 && !state.is_over && state.held.is_none() {
            state.held = permit;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::Seat;

    #[tokio::test]
    async fn who_waits_for_a_person_leaves_the_place_to_another_and_comes_back() {
        let places = Arc::new(Semaphore::new(1));
        let seat = Seat::new(Arc::clone(&places).acquire_owned().await.unwrap());
        assert_eq!(places.available_permits(), 0);
        let first = seat.while_away(async { places.available_permits() });
        let both = seat.while_away(async { seat.while_away(async { places.available_permits() }).await });
        assert_eq!(tokio::join!(first, both), (1, 1));
        assert_eq!(places.available_permits(), 0, "it came back");
        seat.give_up();
        assert_eq!(places.available_permits(), 1);
        seat.while_away(async {}).await;
        assert_eq!(places.available_permits(), 1, "what is over takes no place again");
    }
}
