//! Runs steps side by side: one more at once than there are cores, one at a time in each lane, each into a log of its
//! own. A step that runs alone writes to the terminal.

use std::fmt::Write as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::budget::Times;
use super::changed::Scope;
use super::steps::{Outcome, Step};
use crate::machine;
use crate::sh::{self, Log, say};
use crate::tally::Tally;
use crate::workspace;

/// Between two words of life while nothing ends.
const STILL_AT_IT: Duration = Duration::from_secs(30);
/// How much of a failed step's log is shown.
const SHOWN_LINES: usize = 200;

/// What became of a step, for the table at the end.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) step: &'static Step,
    pub(super) took: Duration,
    pub(super) fate: Fate,
}

/// How a step ended.
#[derive(Debug)]
pub(super) enum Fate {
    Passed(Tally),
    Failed(Tally, String),
    Skipped(String),
}

/// A step that is under way.
struct Running {
    step: &'static Step,
    begun: Instant,
    log: Option<Log>,
}

/// Runs the steps, at most `jobs` at once; stops starting new ones after a failure if `fail_fast`.
pub(super) fn run(
    steps: &[&'static Step],
    scope: &Scope,
    (jobs, fail_fast): (usize, bool),
    times: &Times,
) -> Result<Vec<Line>> {
    let logs = workspace::scratch()?.join("logs");
    std::fs::create_dir_all(&logs).with_context(|| format!("could not make `{}`", logs.display()))?;
    let mut waiting = steps.to_vec();
    let mut running: Vec<Running> = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    let (tell, ended) = mpsc::channel::<(&'static str, Fate)>();
    std::thread::scope(|scope_of_threads| -> Result<()> {
        loop {
            settle(&mut waiting, &mut lines, fail_fast);
            while running.len() < jobs
                && let Some(step) = next(&mut waiting, &running, &lines)
            {
                let log = (steps.len() > 1)
                    .then(|| Log::begin(&logs.join(format!("{}.log", step.name))))
                    .transpose()?;
                say(&format!(">> {}: {}{}", step.name, step.about, times.expected(step)));
                let (tell, inner) = (tell.clone(), log.clone());
                scope_of_threads.spawn(move || {
                    let fate = match inner {
                        Some(log) => log.during(|| perform(step, scope)),
                        None => perform(step, scope),
                    };
                    tell.send((step.name, fate)).ok();
                });
                running.push(Running { step, begun: Instant::now(), log });
            }
            if running.is_empty() {
                return Ok(());
            }
            match ended.recv_timeout(STILL_AT_IT) {
                Ok((name, fate)) => {
                    if let Some(at) = running.iter().position(|running| running.step.name == name) {
                        lines.push(finish(running.swap_remove(at), fate));
                    }
                }
                Err(RecvTimeoutError::Timeout) => say(&still_at_it(&running)),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    })?;
    lines.sort_by_key(|line| steps.iter().position(|step| step.name == line.step.name));
    Ok(lines)
}

/// Takes out of the queue what cannot run any more.
fn settle(waiting: &mut Vec<&'static Step>, lines: &mut Vec<Line>, fail_fast: bool) {
    while let Some((at, why)) = waiting.iter().enumerate().find_map(|(at, step)| {
        let unusable =
            |line: &&Line| !matches!(line.fate, Fate::Passed(_)) && step.needs.contains(&line.step.name);
        let first = lines.iter().find(|line| fail_fast && matches!(line.fate, Fate::Failed(..)));
        match (lines.iter().find(unusable), first) {
            (Some(line), _) => Some((at, format!("needs {}, which did not pass", line.step.name))),
            (None, Some(line)) => Some((at, format!("--fail-fast: {} failed", line.step.name))),
            (None, None) => None,
        }
    }) {
        lines.push(Line { step: waiting.remove(at), took: Duration::ZERO, fate: Fate::Skipped(why) });
    }
}

/// The next step whose needs are met and whose lane is free.
fn next(waiting: &mut Vec<&'static Step>, running: &[Running], lines: &[Line]) -> Option<&'static Step> {
    let at = waiting.iter().position(|step| {
        let is_met = |need: &&str| lines.iter().any(|line| line.step.name == *need);
        step.needs.iter().all(is_met) && running.iter().all(|running| running.step.lane != step.lane)
    })?;
    Some(waiting.remove(at))
}

fn perform(step: &'static Step, scope: &Scope) -> Fate {
    match (step.run)(scope) {
        Ok(Outcome::Passed) => Fate::Passed(Tally::ONE_PASSED),
        Ok(Outcome::Counted(tally)) if tally.failed > 0 => {
            Fate::Failed(tally, format!("{} of {} failed", tally.failed, tally.passed + tally.failed))
        }
        Ok(Outcome::Counted(tally)) => Fate::Passed(tally),
        Ok(Outcome::Impossible(why)) if machine::is_ci() => Fate::Failed(Tally::ONE_FAILED, why),
        Ok(Outcome::Impossible(why)) => Fate::Skipped(why),
        Err(error) => Fate::Failed(Tally::ONE_FAILED, format!("{error:#}")),
    }
}

fn finish(Running { step, begun, log }: Running, fate: Fate) -> Line {
    let took = begun.elapsed();
    let how = match &fate {
        Fate::Passed(_) => "passed".to_owned(),
        Fate::Failed(_, why) => format!("FAILED: {why}"),
        Fate::Skipped(why) => format!("not run: {why}"),
    };
    if let (Fate::Failed(..), Some(log)) = (&fate, &log) {
        say(&sh::last_lines(&log.text(), SHOWN_LINES));
        say(&format!("(the end of {})", log.path.display()));
    }
    say(&format!("<< {} took {:.1} s, {how}", step.name, took.as_secs_f64()));
    Line { step, took, fate }
}

fn still_at_it(running: &[Running]) -> String {
    let mut text = "..".to_owned();
    for Running { step, begun, log } in running {
        let said = log.as_ref().map(Log::text).unwrap_or_default();
        let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        // Writing to a text cannot fail.
        write!(
            text,
            " {} {} s ({})",
            step.name,
            begun.elapsed().as_secs(),
            last.chars().take(80).collect::<String>()
        )
        .ok();
    }
    text
}

#[cfg(test)]
mod tests;
