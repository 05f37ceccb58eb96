//! Answers kept for a while, so that a model that asks twice costs nobody anything.

use std::collections::HashMap;
use std::time::Duration;

use homard_runtime::{Clock, Mutex, millis_i64};

/// Most answers kept.
const MAX_ENTRIES: usize = 100;

/// Answers by question. The oldest goes when there are too many.
pub(crate) struct Cache<V> {
    ttl: i64,
    kept: Mutex<HashMap<String, (i64, V)>>,
}

impl<V: Clone> Cache<V> {
    pub(crate) fn new(ttl: Duration) -> Self {
        Self { ttl: millis_i64(ttl), kept: Mutex::default() }
    }

    /// The answer, if it is young enough.
    pub(crate) fn get(&self, question: &str, clock: &Clock) -> Option<V> {
        let kept = self.kept.lock();
        let (since, answer) = kept.get(question)?;
        self.is_young(*since, clock).then(|| answer.clone())
    }

    pub(crate) fn put(&self, question: String, answer: V, clock: &Clock) {
        if self.ttl == 0 {
            return;
        }
        let mut kept = self.kept.lock();
        if kept.len() >= MAX_ENTRIES {
            kept.retain(|_, (since, _)| self.is_young(*since, clock));
        }
        if kept.len() >= MAX_ENTRIES && !kept.contains_key(&question) {
            let oldest =
                kept.iter().min_by_key(|(_, (since, _))| *since).map(|(question, _)| question.clone());
            if let Some(oldest) = oldest {
                kept.remove(&oldest);
            }
        }
        kept.insert(question, (clock.now_ms(), answer));
    }

    fn is_young(&self, since: i64, clock: &Clock) -> bool {
        // A clock that was turned back makes nothing young for ever.
        (0..self.ttl).contains(&clock.now_ms().saturating_sub(since))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use homard_runtime::Clock;

    use super::{Cache, MAX_ENTRIES};

    #[test]
    fn an_answer_is_kept_until_it_is_old() {
        let (cache, clock) = (Cache::new(Duration::from_secs(60)), Clock::fixed(0));
        cache.put("a".to_owned(), 1, &clock);
        clock.advance(Duration::from_millis(59_999));
        assert_eq!((cache.get("a", &clock), cache.get("b", &clock)), (Some(1), None));
        clock.advance(Duration::from_millis(1));
        assert_eq!(cache.get("a", &clock), None);
    }

    #[test]
    fn the_oldest_answer_goes_when_there_are_too_many() {
        let (cache, clock) = (Cache::new(Duration::from_secs(60)), Clock::fixed(0));
        for n in 0..=MAX_ENTRIES {
            cache.put(n.to_string(), n, &clock);
            clock.advance(Duration::from_millis(1));
        }
        assert_eq!((cache.get("0", &clock), cache.get("1", &clock)), (None, Some(1)));
        assert_eq!(cache.kept.lock().len(), MAX_ENTRIES);
    }

    #[test]
    fn no_time_means_nothing_is_kept() {
        let (cache, clock) = (Cache::new(Duration::ZERO), Clock::fixed(0));
        cache.put("a".to_owned(), 1, &clock);
        assert_eq!(cache.get("a", &clock), None);
    }
}
