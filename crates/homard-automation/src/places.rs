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
    freed: Notify,
}

/// A place; free again when dropped.
#[derive(Debug)]
pub(crate) struct DeliveryPlace {
    shared: Arc<Shared>,
}

impl Places {
    /// Waits for a place among as many as `most` says at that moment.
    pub(crate) async fn take(&self, most: impl Fn() -> usize) -> DeliveryPlace {
        loop {
            let freed = self.shared.freed.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            {
                let mut taken = self.shared.taken.lock();
                if *taken < most() {
                    *taken += 1;
                    return DeliveryPlace { shared: Arc::clone(&self.shared) };
                }
            }
            freed.await;
        }
    }

    /// Somebody may have more places now.
    pub(crate) fn look_again(&self) {
        self.shared.freed.notify_waiters();
    }
}

impl Drop for DeliveryPlace {
    fn drop(&mut self) {
        let mut taken = self.shared.taken.lock();
        *taken = taken.saturating_sub(1);
        drop(taken);
        self.shared.freed.notify_waiters();
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
}
