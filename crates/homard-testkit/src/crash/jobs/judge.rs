//! Runs held against the moments at which they were due. What happened within a moment of a kill is nobody's fault; what
//! is called lost or doubled here is so whichever way that moment is read.

/// How long before a kill a run may have been due without having begun, in milliseconds.
const EDGE_MS: i64 = 300;
/// How long a gateway must have lived for a run that was missed to have begun, in milliseconds.
const LONG_ENOUGH_MS: i64 = 1_500;
/// Most runs that are made up for.
const MOST_MADE_UP: usize = 24;

/// Equal moments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) phase: i64,
    pub(super) every: i64,
}

/// What becomes of runs that were due while nobody was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missed {
    Skip,
    Once,
    All,
}

/// A run, as the gateway recorded it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) started: i64,
    pub(super) ended: Option<i64>,
    pub(super) is_ok: bool,
}

/// A life of the gateway.
#[derive(Debug, Clone, Copy)]
pub(super) struct Life {
    pub(super) ready: i64,
    pub(super) killed: Option<i64>,
}

impl Life {
    fn is_over_before(&self, moment: i64) -> bool {
        self.killed.is_some_and(|killed| killed <= moment)
    }

    /// How long it lasted after a moment, as far as is known at `end`.
    fn left_after(&self, moment: i64, end: i64) -> i64 {
        self.killed.unwrap_or(end) - moment.max(self.ready)
    }
}

impl Grid {
    /// The moments after one and up to another.
    fn between(self, after: i64, until: i64) -> Vec<i64> {
        let first = (after - self.phase).div_euclid(self.every) + 1;
        let moments = (first..).map(|nth| self.phase + nth * self.every);
        moments.take_while(|moment| *moment <= until).collect()
    }
}

/// What is right and wrong about a job.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdict {
    pub(super) lost: Vec<String>,
    pub(super) doubled: Vec<String>,
    /// Runs that were cut off, and the table says so.
    pub(super) cut_off: usize,
    pub(super) made_up: usize,
    /// Moments that passed while nobody was there and have no run of their own, as the rule wants.
    pub(super) left_out: usize,
    /// How late runs began that were due while the gateway was there.
    pub(super) late: Vec<i64>,
    /// How long after the start those began that were due before it.
    pub(super) late_after_start: Vec<i64>,
}

impl Verdict {
    pub(super) fn add(&mut self, other: Self, job: &str) {
        let of_job = |said: String| format!("{job}: {said}");
        self.lost.extend(other.lost.into_iter().map(of_job));
        self.doubled.extend(other.doubled.into_iter().map(of_job));
        self.cut_off += other.cut_off;
        self.made_up += other.made_up;
        self.left_out += other.left_out;
        self.late.extend(other.late);
        self.late_after_start.extend(other.late_after_start);
    }

    fn began(&mut self, due: i64, run: Run, lives: &[Life]) {
        let Some(life) = lives.iter().rfind(|life| life.ready <= run.started) else {
            // Before the life it began in was seen to be ready.
            return self.late_after_start.push(0);
        };
        if life.is_over_before(run.started) {
            self.late_after_start.push(0);
        } else if due >= life.ready {
            self.late.push(run.started - due);
        } else {
            self.late_after_start.push(run.started - life.ready);
        }
    }
}

/// The life in which a moment lies, with enough of it left.
fn life_at(lives: &[Life], moment: i64) -> Option<&Life> {
    lives
        .iter()
        .find(|life| life.ready <= moment && life.killed.is_none_or(|killed| moment < killed - EDGE_MS))
}

/// A job that is due once: it has one run.
pub(super) fn judge_once(due: i64, runs: &[Run], lives: &[Life]) -> Verdict {
    let mut verdict = Verdict::default();
    match runs {
        [] => verdict.lost.push("it was never run".to_owned()),
        [run] => verdict.began(due, *run, lives),
        _ => verdict.doubled.push(format!("it was run {} times", runs.len())),
    }
    verdict.count_ends(runs);
    verdict
}

/// A job that is due again and again between two moments.
pub(super) fn judge_recurring(
    grid: Grid,
    missed: Missed,
    (made, end): (i64, i64),
    runs: &[Run],
    lives: &[Life],
) -> Verdict {
    let mut verdict = Verdict::default();
    verdict.count_ends(runs);
    // How many runs must, and may, be made up for still.
    let (mut must, mut may) = (0_usize, 0_usize);
    let first = Run { started: made, ended: Some(made), is_ok: true };
    for pair in std::iter::once(&first).chain(runs).collect::<Vec<_>>().windows(2) {
        let [before, run] = pair else { continue };
        let due = grid.between(before.started, run.started);
        if !before.is_ok {
            // It waits after that; what passed meanwhile may be made up for.
            may += due.len().max(1);
            continue;
        }
        let Some((last, passed)) = due.split_last() else {
            if may == 0 {
                verdict.doubled.push(format!("a run at {} and another at {}", before.started, run.started));
            }
            (must, may) = (must.saturating_sub(1), may.saturating_sub(1));
            verdict.made_up += 1;
            continue;
        };
        verdict.began(*last, **run, lives);
        for moment in passed.iter().filter(|moment| before.ended.is_none_or(|ended| ended < **moment)) {
            if life_at(lives, *moment).is_some() {
                verdict.lost.push(format!("nobody began what was due at {moment}"));
            } else if missed == Missed::All {
                (must, may) = (must + 1, may + 1);
            } else if missed == Missed::Once && is_late(*moment, **run, lives, end) {
                verdict.lost.push(format!("what was missed at {moment} was not done after the next start"));
            } else {
                verdict.left_out += 1;
            }
        }
        // Those that pass while a run is under way in a life that ends may be made up for, too.
        if missed == Missed::All {
            may += passed.len();
        }
        (must, may) = (must.min(MOST_MADE_UP), may.min(2 * MOST_MADE_UP));
    }
    if must > 0 {
        verdict.lost.push(format!("{must} runs were never made up for"));
    }
    verdict.tail(grid, runs, made, end);
    verdict
}

/// Whether a gateway was there for long after a moment that was missed, and the next run began only later.
fn is_late(moment: i64, run: Run, lives: &[Life], end: i64) -> bool {
    let long = lives.iter().find(|life| life.ready > moment && life.left_after(moment, end) > LONG_ENOUGH_MS);
    long.is_some_and(|life| run.started > life.ready + LONG_ENOUGH_MS)
}

impl Verdict {
    fn count_ends(&mut self, runs: &[Run]) {
        self.cut_off = runs.iter().filter(|run| run.ended.is_some() && !run.is_ok).count();
        let open = runs.iter().filter(|run| run.ended.is_none());
        self.lost.extend(open.map(|run| format!("the run at {} has no end", run.started)));
    }

    /// Whether it still runs in the end, when nobody is killed any more.
    fn tail(&mut self, grid: Grid, runs: &[Run], made: i64, end: i64) {
        let last = runs.last().copied().unwrap_or(Run { started: made, ended: Some(made), is_ok: true });
        if last.is_ok && !grid.between(last.started, end - LONG_ENOUGH_MS).is_empty() {
            self.lost.push(format!("nothing was run after {}", last.started));
        }
    }
}

#[cfg(test)]
mod tests;
