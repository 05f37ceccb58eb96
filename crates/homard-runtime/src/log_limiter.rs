//! Lines that strangers can cause: a few of each kind are logged, the rest is counted.

use std::collections::HashMap;
use std::fmt::Display;
use std::time::Duration;

use crate::Arrange as _;
use crate::{Clock, Mutex, Timestamp, millis};

/// Lines of one kind that are logged per [`WINDOW`].
const MAX_LINES: u32 = 5;
/// How long it takes until as many are logged again.
const WINDOW: Duration = Duration::from_secs(60);

/// Keeps what strangers can cause from pushing everything else out of the log. Ask [`allows`](LogLimiter::allows)
/// before a line; what was left out of a window is told in one line when it is over. Call
/// [`tell_overdue`](LogLimiter::tell_overdue) now and then, so that this happens when nobody makes noise any more.
#[derive(Debug)]
pub struct LogLimiter {
    clock: Clock,
    kinds: Mutex<HashMap<&'static str, Window>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    since: Timestamp,
    said: u32,
    left_out: u64,
}

impl Window {
    /// Also when the clock was turned back: nothing is held back for longer than a window.
    fn is_over(&self, now: Timestamp) -> bool {
        now.abs_diff(self.since) >= millis(WINDOW)
    }
}

impl LogLimiter {
    /// A limiter that has heard nothing yet.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock, kinds: Mutex::default() }
    }

    /// Whether another line of this kind may be logged; if not, it is counted.
    pub fn allows(&self, kind: &'static str) -> bool {
        let (allowed, left_out) = self.admit(kind);
        tell(kind, left_out);
        allowed
    }

    /// As [`OrLog`](crate::OrLog), for what strangers can make fail.
    pub fn or_log<T, E: Display>(&self, result: Result<T, E>, what_was_lost: &'static str) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                if self.allows(what_was_lost) {
                    tracing::warn!(%error, "{what_was_lost}");
                }
                None
            }
        }
    }

    /// Tells what was left out of windows that are over.
    pub fn tell_overdue(&self) {
        let now = self.clock.now_ms();
        self.take(|window| window.is_over(now)).into_iter().for_each(|(kind, count)| tell(kind, count));
    }

    /// Tells what was left out, at the end.
    pub fn tell_all(&self) {
        self.take(|_window| true).into_iter().for_each(|(kind, count)| tell(kind, count));
    }

    /// Whether a line may be logged, and how many were left out of the window before.
    fn admit(&self, kind: &'static str) -> (bool, u64) {
        let now = self.clock.now_ms();
        let mut kinds = self.kinds.lock();
        let window = kinds.entry(kind).or_insert(Window { since: now, said: 0, left_out: 0 });
        let mut before = 0;
        if window.is_over(now) {
            before = window.left_out;
            *window = Window { since: now, said: 0, left_out: 0 };
        }
        let allowed = window.said < MAX_LINES;
        if allowed {
            window.said += 1;
        } else {
            window.left_out += 1;
        }
        (allowed, before)
    }

    /// Forgets the windows that `ended`, and returns what was left out of them.
    fn take(&self, ended: impl Fn(&Window) -> bool) -> Vec<(&'static str, u64)> {
        let mut kinds = self.kinds.lock();
        let mut taken: Vec<_> = kinds
            .extract_if(|_kind, window| ended(window))
            .map(|(kind, window)| (kind, window.left_out))
            .filter(|(_kind, left_out)| *left_out > 0)
            .collect();
        taken.arrange();
        taken
    }
}

fn tell(kind: &'static str, left_out: u64) {
    if left_out > 0 {
        tracing::warn!(kind, left_out, "more lines of this kind were left out of the log");
    }
}

#[cfg(test)]
mod tests {
    use super::{LogLimiter, MAX_LINES, WINDOW};
    use crate::Clock;

    #[test]
    fn each_kind_has_a_few_lines_a_window_and_the_rest_is_counted() {
        let clock = Clock::fixed(1_000_000);
        let noise = LogLimiter::new(clock.clone());
        let said = |kind| (0..100).filter(|_| noise.admit(kind).0).count();
        assert_eq!((said("a"), said("b")), (MAX_LINES as usize, MAX_LINES as usize));
        clock.advance(WINDOW);
        assert_eq!(
            noise.admit("a"),
            (true, 100 - u64::from(MAX_LINES)),
            "the next one says what was left out"
        );
        assert_eq!(noise.admit("a"), (true, 0), "once");
    }

    #[test]
    fn what_was_left_out_is_told_when_the_noise_has_ended() {
        let clock = Clock::fixed(1_000_000);
        let noise = LogLimiter::new(clock.clone());
        let now = || noise.take(|window| window.is_over(clock.now_ms()));
        for _ in 0..10 {
            noise.admit("loud");
        }
        noise.admit("quiet");
        assert_eq!(now(), []);
        clock.advance(WINDOW);
        assert_eq!(now(), [("loud", 10 - u64::from(MAX_LINES))]);
        assert_eq!(now(), []);
        assert_eq!(noise.admit("loud"), (true, 0));
    }

    #[test]
    fn a_clock_that_is_turned_back_silences_nobody() {
        let clock = Clock::fixed(10_000_000);
        let noise = LogLimiter::new(clock.clone());
        while noise.admit("a").0 {}
        let earlier = LogLimiter { clock: Clock::fixed(0), kinds: noise.kinds };
        assert_eq!(earlier.admit("a"), (true, 1));
    }
}
