//! How many jobs run at once. The owner may change that while some run.

use std::sync::Arc;

use homard_runtime::Mutex;
use tokio::sync::Notify;

/// Places for runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    taken: Mutex<usize>,
    /// Who waits first is asked first: one after the other, however many wait.
    queue: tokio::sync::Mutex<()>,
    freed: Notify,
}

/// A place; free again when dropped.
#[derive(Debug)]
pub(crate) struct RunPlace {
    shared: Arc<Shared>,
}

impl Places {
    /// Waits for a place among as many as `most` says at that moment.
    pub(crate) async fn take(&self, most: impl Fn() -> usize) -> RunPlace {
        let _first = self.shared.queue.lock().await;
        loop {
            // What is freed from here on is kept for the one who waits.
            let freed = self.shared.freed.notified();
            {
                let mut taken = self.shared.taken.lock();
                if *taken < most() {
                    *taken += 1;
                    return RunPlace { shared: Arc::clone(&self.shared) };
                }
            }
            freed.await;
        }
    }

    /// Somebody may have more places now.
    pub(crate) fn look_again(&self) {
        self.shared.freed.notify_one();
    }
}

impl Drop for RunPlace {
    fn drop(&mut self) {
        let mut taken = self.shared.taken.lock();
        *taken = taken.saturating_sub(1);
        drop(taken);
        self.shared.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::Places;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn one_more_waits_until_a_place_is_free_or_there_are_more() {
        let places = Places::default();
        let first = places.take(|| 1).await;
        assert!(places.take(|| 1).now_or_never().is_none());
        let second = places.take(|| 2).await;
        drop(first);
        assert!(places.take(|| 1).now_or_never().is_none(), "the other still has one");
        drop(second);
        assert!(places.take(|| 1).now_or_never().is_some());
    }

    #[tokio::test]
    async fn whoever_waited_longest_is_next_however_many_wait() {
        let places = Places::default();
        let first = places.take(|| 1).await;
        let (mut second, mut third) = (Box::pin(places.take(|| 1)), Box::pin(places.take(|| 1)));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(third.as_mut().now_or_never().is_none());
        drop(first);
        assert!(third.as_mut().now_or_never().is_none(), "somebody is before it");
        let place = second.as_mut().now_or_never().expect("it is the second's turn");
        assert!(third.as_mut().now_or_never().is_none());
        drop(place);
        drop(second);
        assert!(third.as_mut().now_or_never().is_some());
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_the_place_to_the_next() {
        let places = Places::default();
        let first = places.take(|| 1).await;
        let (mut second, mut third) = (Box::pin(places.take(|| 1)), Box::pin(places.take(|| 1)));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(third.as_mut().now_or_never().is_none());
        drop(first);
        drop(second);
        assert!(third.as_mut().now_or_never().is_some());
    }
}
