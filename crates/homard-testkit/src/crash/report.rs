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
    /// Messages that were answered in different words, and in which.
    pub(super) doubled: Vec<(String, Vec<String>)>,
    /// Answers that were seen more than once, and how often.
    pub(super) copies: Vec<(String, u64)>,
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
            copies: Vec::new(),
            sends: 0,
            turns: 0,
            ambiguous: 0,
            failed: 0,
            waiting: 0,
        }
    }

    /// Whether every message was answered, none twice, and no answer seen in more copies than the gateway owns up to.
    #[must_use]
    pub fn holds(&self) -> bool {
        let answered = self.settled && self.lost.is_empty() && self.doubled.is_empty();
        answered && self.spare() <= self.ambiguous && self.waiting == 0
    }

    /// Copies beyond the first.
    fn spare(&self) -> u64 {
        self.copies.iter().map(|(_, n)| n.saturating_sub(1)).sum()
    }

    /// The count as a table row, with what is wrong below it.
    #[must_use]
    pub fn markdown(&self) -> String {
        let once = self.messages.saturating_sub(self.lost.len()).saturating_sub(self.doubled.len());
        let mut text = String::from(
            "| kills | seed | messages | answered | lost | answered twice | turns | sends | ambiguous sends | copies seen | minutes |\n\
             |---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        // Writing to a String cannot fail.
        let _infallible = write!(
            text,
            "| {} | {} | {} | {once} | {} | {} | {} | {} | {} | {} | {:.1} |",
            self.kills,
            self.seed,
            self.messages,
            self.lost.len(),
            self.doubled.len(),
            self.turns,
            self.sends,
            self.ambiguous,
            self.spare(),
            self.took.as_secs_f64() / 60.0
        );
        if !self.settled {
            text.push_str("\n\nNot everything was answered in time.");
        }
        for (what, marks) in [
            ("lost", self.lost.iter().map(|(mark, who)| format!("{mark} of {who}")).collect::<Vec<_>>()),
            (
                "answered twice",
                self.doubled.iter().map(|(mark, said)| format!("{mark} in {said:?}")).collect::<Vec<_>>(),
            ),
        ] {
            if !marks.is_empty() {
                let named = marks.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
                let _infallible = write!(text, "\n\n{what}: {named}");
            }
        }
        if self.failed > 0 || self.waiting > 0 {
            let _infallible = write!(
                text,
                "\n\nOf the ambiguous ones {} were given up after being sent several times; {} wait.",
                self.failed, self.waiting
            );
        }
        text
    }
}
