//! How often one caller may change how the gateway works.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use homard_runtime::Mutex;

/// Callers remembered; when full, those whose window is over are forgotten.
const MAX_TRACKED: usize = 10_000;

/// A fixed window per key.
#[derive(Debug)]
pub(crate) struct WriteLimit {
    limit: u32,
    window: Duration,
    seen: Mutex<HashMap<String, (Instant, u32)>>,
}

impl WriteLimit {
    pub(crate) fn new(limit: u32, window: Duration) -> Self {
        Self { limit, window, seen: Mutex::default() }
    }

    /// Counts one write; the error is how long to wait.
    pub(crate) fn take(&self, key: &str, now: Instant) -> Result<(), Duration> {
        let mut seen = self.seen.lock();
        if seen.len() >= MAX_TRACKED {
            seen.retain(|_, (since, _)| now.duration_since(*since) < self.window);
        }
        let (since, count) = seen.entry(key.to_owned()).or_insert((now, 0));
        if now.duration_since(*since) >= self.window {
            (*since, *count) = (now, 0);
        }
        if *count >= self.limit {
            return Err(self.window.saturating_sub(now.duration_since(*since)));
        }
        *count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::WriteLimit;
    use std::time::{Duration, Instant};

    #[test]
    fn a_window_fills_and_empties_per_key() {
        let limit = WriteLimit::new(2, Duration::from_secs(60));
        let start = Instant::now();
        assert!(limit.take("a", start).is_ok());
        assert!(limit.take("a", start).is_ok());
        assert_eq!(limit.take("a", start + Duration::from_secs(20)), Err(Duration::from_secs(40)));
        assert!(limit.take("b", start).is_ok());
        assert!(limit.take("a", start + Duration::from_secs(60)).is_ok());
    }
}
