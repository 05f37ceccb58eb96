//! What came of a run of kills, for people and for the exit status.

use std::fmt::Write as _;
use std::time::Duration;

/// Marks shown when something is wrong.
const MOST_NAMED: usize = 20;

/// The count.
#[derive(Debug, Clone)]
pub struct CrashReport {
    kills: u64,
    seed: u64,
    took: Duration,
    settled: bool,
    pub(super) messages: usize,
    pub(super) lost: Vec<(String, i64)>,
    pub(super) doubled: Vec<(String, u64)>,
    pub(super) sends: usize,
    pub(super) turns: usize,
    pub(super) ambiguous: u64,
    pub(super) failed: u64,
    pub(super) waiting: u64,
}

impl CrashReport {
    pub(super) fn new(kills: u64, seed: u64, took: Duration, settled: bool) -> Self {
        Self {
            kills,
            seed,
            took,
            settled,
            messages: 0,
            lost: Vec::new(),
            doubled: Vec::new(),
            sends: 0,
            turns: 0,
            ambiguous: 0,
            failed: 0,
            waiting: 0,
        }
    }

    /// Whether every message was answered, and none twice that the gateway does not own up to.
    #[must_use]
    pub fn holds(&self) -> bool {
        let twice = u64::try_from(self.doubled.len()).unwrap_or(u64::MAX);
        self.settled
            && self.lost.is_empty()
            && twice <= self.ambiguous
            && self.failed == 0
            && self.waiting == 0
    }

    /// The count as a table row, with what is wrong below it.
    #[must_use]
    pub fn markdown(&self) -> String {
        let once = self.messages.saturating_sub(self.lost.len()).saturating_sub(self.doubled.len());
        let mut text = String::from(
            "| kills | seed | messages | answered once | lost | seen twice | sends | ambiguous sends | turns | minutes |\n\
             |---|---|---|---|---|---|---|---|---|---|\n",
        );
        // Writing to a String cannot fail.
        let _infallible = write!(
            text,
            "| {} | {} | {} | {once} | {} | {} | {} | {} | {} | {:.1} |",
            self.kills,
            self.seed,
            self.messages,
            self.lost.len(),
            self.doubled.len(),
            self.sends,
            self.ambiguous,
            self.turns,
            self.took.as_secs_f64() / 60.0
        );
        if !self.settled {
            text.push_str("\n\nNot everything was answered in time.");
        }
        for (what, marks) in [
            ("lost", self.lost.iter().map(|(mark, who)| format!("{mark} of {who}")).collect::<Vec<_>>()),
            ("seen twice", self.doubled.iter().map(|(mark, n)| format!("{mark} {n} times")).collect()),
        ] {
            if !marks.is_empty() {
                let named = marks.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
                let _infallible = write!(text, "\n\n{what}: {named}");
            }
        }
        if self.failed > 0 || self.waiting > 0 {
            let _infallible = write!(text, "\n\noutbox: {} given up, {} waiting", self.failed, self.waiting);
        }
        text
    }
}
