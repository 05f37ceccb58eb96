//! How long each step may take, how long it took last time on this machine, and the table at the end.
//!
//! A step that is over its budget by half fails the run, so that time is noticed when it is lost. Only on a machine
//! that did nothing else: what others used meanwhile is measured, and on a loaded machine it is said and no more.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::schedule::{Fate, Line};
use super::steps::Step;
use crate::machine::{self, load::Load};
use crate::sh::say;
use crate::tally::Tally;

/// How far over its budget a step may be.
const TOLERANCE: f64 = 1.5;
/// The share of the machine others may use before times say nothing.
const OTHERS_AT_MOST: f64 = 0.1;
/// Below this a step cannot be over its budget: starting a program takes this long on a bad day.
const NEVER_TOO_LONG: Duration = Duration::from_secs(5);

/// What a step may take, in seconds on two cores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// When dependencies have to be compiled, packages fetched and tools installed.
    pub(super) first: u64,
    /// When this machine has done that before.
    pub(super) again: u64,
}

/// Past times of this machine, and what the clock is held against now.
#[derive(Debug)]
pub(super) struct Times {
    is_first: bool,
    last: BTreeMap<String, f64>,
    load: Load,
}

impl Times {
    /// Reads what is kept of the last run.
    pub(super) fn read(is_first: bool) -> Result<Self> {
        let text = std::fs::read_to_string(machine::cache("times")?.join(Self::file(is_first)));
        let last = text.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Ok(Self { is_first, last, load: Load::begin() })
    }

    const fn file(is_first: bool) -> &'static str {
        if is_first { "first.json" } else { "again.json" }
    }

    /// In words, how long a step takes if all is as last time.
    pub(super) fn expected(&self, step: &Step) -> String {
        match self.last.get(step.name) {
            Some(seconds) if *seconds >= 1.0 => format!(" (about {seconds:.0} s)"),
            _ => String::new(),
        }
    }

    fn budget(&self, step: &Step) -> u64 {
        if self.is_first { step.budget.first } else { step.budget.again }
    }

    fn is_over(&self, line: &Line) -> bool {
        let budget = self.budget(line.step);
        #[expect(clippy::cast_precision_loss, reason = "budgets are minutes")]
        let most = budget as f64 * TOLERANCE;
        line.took > NEVER_TOO_LONG && line.took.as_secs_f64() > most
    }

    fn keep(&mut self, lines: &[Line]) -> Result<()> {
        let passed = lines.iter().filter(|line| matches!(line.fate, Fate::Passed(_)));
        self.last.extend(passed.map(|line| (line.step.name.to_owned(), line.took.as_secs_f64())));
        let file = machine::cache("times")?.join(Self::file(self.is_first));
        std::fs::write(&file, serde_json::to_string(&self.last)?)
            .with_context(|| format!("could not write `{}`", file.display()))
    }
}

/// Prints the table, judges the time and adds up.
pub(super) fn summarise(lines: &[Line], took: Duration, mut times: Times) -> Result<Tally> {
    say(&format!("\n{:<12} {:>8} {:>8} {:>8}  result", "step", "seconds", "budget", "last"));
    let mut total = Tally::default();
    for line in lines {
        let (result, tally) = match &line.fate {
            Fate::Passed(tally) => (format!("passed ({})", tally.passed), *tally),
            Fate::Failed(tally, why) => {
                (format!("FAILED: {}", why.lines().next().unwrap_or_default()), *tally)
            }
            Fate::Skipped(why) => (format!("not run: {why}"), Tally::default()),
        };
        total = total.plus(tally);
        let last = times.last.get(line.step.name).map_or_else(|| "-".to_owned(), |last| format!("{last:.1}"));
        let (name, budget) = (line.step.name, times.budget(line.step));
        say(&format!("{name:<12} {:>8.1} {budget:>8} {last:>8}  {result}", line.took.as_secs_f64()));
    }
    say(&format!("{:<12} {:>8.1}\n", "all", took.as_secs_f64()));
    let late: Vec<&str> =
        lines.iter().filter(|line| times.is_over(line)).map(|line| line.step.name).collect();
    if !late.is_empty() {
        let late = late.join(", ");
        match times.load.others() {
            Some(others) if others <= OTHERS_AT_MOST => {
                say(&format!(
                    "over budget by half on an idle machine: {late}. Make it quicker, or raise the budget in xtask/src/suite/steps.rs with the reason."
                ));
                total = total.plus(Tally::ONE_FAILED);
            }
            others => {
                let load =
                    others.map_or_else(|| "unknown".to_owned(), |others| format!("{:.0} %", others * 100.0));
                say(&format!(
                    "over budget by half: {late}; only a warning, because others used {load} of this machine"
                ));
            }
        }
    }
    times.keep(lines)?;
    Ok(total)
}

#[cfg(test)]
mod tests;
