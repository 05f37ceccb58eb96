//! What came of a run of kills, for people and for the exit status.

use std::fmt::Write as _;
use std::time::Duration;

use super::Counts;
use super::judge::SeenMessage;

/// How many of each wrong are shown.
const MOST_NAMED: usize = 20;

/// The count.
#[derive(Debug, Clone)]
pub struct CrashReport {
    kills: u64,
    seed: u64,
    took: Duration,
    settled: bool,
    pub(super) wrongs: Wrongs,
    pub(super) seen: Seen,
    pub(super) outbox: Counts,
}

/// What must not be.
#[derive(Debug, Clone, Default)]
pub(super) struct Wrongs {
    pub(super) lost: Vec<(String, String)>,
    /// Messages that were answered by more than one delivery, and by which.
    pub(super) doubled: Vec<(String, Vec<String>)>,
    /// Messages people see and the gateway has no record of.
    pub(super) unexplained: Vec<SeenMessage>,
    /// What else is wrong, in sentences.
    pub(super) others: Vec<String>,
}

/// What was done and seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub(super) messages: usize,
    /// Messages nobody answered, and people were told so.
    pub(super) given_up: usize,
    /// Messages beyond the first of one delivery.
    pub(super) copies: u64,
    /// Beginnings of answers that were left standing.
    pub(super) previews: u64,
    pub(super) sends: usize,
    pub(super) turns: usize,
    /// How often something was said again on IRC, because the gateway had not kept it.
    pub(super) repeats: usize,
}

impl CrashReport {
    pub(super) fn new(kills: u64, seed: u64, took: Duration, settled: bool) -> Self {
        let (wrongs, seen, outbox) = Default::default();
        Self { kills, seed, took, settled, wrongs, seen, outbox }
    }

    /// Whether every message was answered or said not to be, none twice, and everything people see has its record.
    #[must_use]
    pub fn holds(&self) -> bool {
        let Wrongs { lost, doubled, unexplained, others } = &self.wrongs;
        let is_right = lost.is_empty() && doubled.is_empty() && unexplained.is_empty() && others.is_empty();
        self.settled && is_right && self.outbox.waiting == 0
    }

    /// The count as a table row, with what is wrong below it.
    #[must_use]
    pub fn markdown(&self) -> String {
        let Wrongs { lost, doubled, unexplained, others } = &self.wrongs;
        let Seen { messages, given_up, copies, previews, sends, turns, repeats } = &self.seen;
        let mut text = String::from(
            "| kills | seed | messages | lost | answered twice | without a record | said not to be answered | turns | sends \
             | ambiguous sends | copies seen | copies per kill | beginnings left | said again on IRC | minutes |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        let kills = u32::try_from(self.kills.max(1)).unwrap_or(u32::MAX);
        let per_kill = f64::from(u32::try_from(*copies).unwrap_or(u32::MAX)) / f64::from(kills);
        // Writing to a String cannot fail.
        let _infallible = write!(
            text,
            "| {} | {} | {messages} | {} | {} | {} | {given_up} | {turns} | {sends} | {} | {copies} | {per_kill:.2} \
             | {previews} | {repeats} | {:.1} |",
            self.kills,
            self.seed,
            lost.len(),
            doubled.len(),
            unexplained.len(),
            self.outbox.ambiguous,
            self.took.as_secs_f64() / 60.0
        );
        if !self.settled {
            text.push_str("\n\nNot everything was answered in time.");
        }
        let lost = lost.iter().map(|(mark, place)| format!("{mark} in {place}"));
        let doubled = doubled.iter().map(|(mark, rows)| format!("{mark} by {rows:?}"));
        let unexplained = unexplained.iter().map(|SeenMessage { place, number, text }| {
            format!("{place}/{} {text:?}", number.unwrap_or_default())
        });
        let wrongs = [
            ("lost", lost.collect::<Vec<_>>()),
            ("answered twice", doubled.collect()),
            ("without a record", unexplained.collect()),
            ("wrong", others.clone()),
        ];
        for (what, named) in wrongs.iter().filter(|(_, named)| !named.is_empty()) {
            let named = named.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
            let _infallible = write!(text, "\n\n{what}: {named}");
        }
        let Counts { failed, waiting, .. } = self.outbox;
        if failed > 0 || waiting > 0 {
            let _infallible = write!(text, "\n\n{failed} deliveries were given up; {waiting} wait.");
        }
        text
    }
}
