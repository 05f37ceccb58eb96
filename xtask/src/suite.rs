//! `cargo xtask test`: everything CI runs, the same on every machine.
//!
//! A step is a row in [`steps::STEPS`]. A step that fails does not stop the others, except those that need what it
//! makes; the exit status and the last line tell the whole. Everything is compiled once (see [`crate::compile`]), and
//! steps run side by side (see [`schedule`]).

mod budget;
mod changed;
mod schedule;
mod steps;

use std::fmt;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::machine;
use crate::sh::say;
use crate::tally::Tally;
use budget::Times;
use changed::Scope;
use steps::{STEPS, Step};

/// The numbers of a run in which something failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verdict(Tally);

impl Verdict {
    /// `N passed, N failed`.
    pub(crate) fn last_line(self) -> String {
        format!("{} passed, {} failed", self.0.passed, self.0.failed)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not everything holds; the table above says what does not")
    }
}

impl std::error::Error for Verdict {}

/// Which steps, and how.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    only: Vec<String>,
    skip_web: bool,
    fail_fast: bool,
    /// The commit whose changes since count; everything when there is none.
    changed_since: Option<String>,
    jobs: usize,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self {
            only: Vec::new(),
            skip_web: false,
            fail_fast: false,
            changed_since: None,
            // Steps that drive processes wait a good part of their time.
            jobs: machine::cores() + 1,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--skip-web" => options.skip_web = true,
                "--fail-fast" => options.fail_fast = true,
                "--changed" => options.changed_since = Some(changed::HERE.to_owned()),
                "--only" => {
                    let name = args.next().context("`--only` wants the name of a step")?;
                    options.only.push(name.clone());
                }
                "--jobs" => {
                    let value = args.next().and_then(|value| value.parse().ok()).filter(|jobs| *jobs > 0);
                    options.jobs = value.context("`--jobs` wants how many steps may run at once")?;
                }
                other => match other.strip_prefix("--changed=") {
                    Some(commit) => options.changed_since = Some(commit.to_owned()),
                    None => bail!("`test` has no option `{other}`; `cargo xtask help` lists them"),
                },
            }
        }
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        match options.only.iter().find(|name| !names.contains(&name.as_str())) {
            Some(unknown) => bail!("there is no step `{unknown}`; there are: {}", names.join(", ")),
            None => Ok(options),
        }
    }

    /// The steps that were asked for, with what they need.
    fn wanted(&self, scope: &Scope) -> Vec<&'static Step> {
        let asked = |step: &Step| {
            let named = self.only.is_empty() || self.only.iter().any(|name| name == step.name);
            named && scope.touches(step) && !(self.skip_web && step.is_of_the_page())
        };
        let mut wanted: Vec<&Step> = STEPS.iter().filter(|step| asked(step)).collect();
        // What a step needs comes with it, as deep as it goes.
        while let Some(missing) = STEPS.iter().find(|step| {
            let is_there = wanted.iter().any(|other| other.name == step.name);
            !is_there && wanted.iter().any(|other| other.needs.contains(&step.name))
        }) {
            wanted.push(missing);
        }
        STEPS.iter().filter(|step| wanted.iter().any(|other| other.name == step.name)).collect()
    }
}

/// Runs the steps and prints the table; the last line is `N passed, N failed`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if args.iter().any(|arg| arg == "--list") {
        STEPS.iter().for_each(|step| say(&format!("{:<10} {}", step.name, step.about)));
        return Ok(());
    }
    let options = Options::parse(args)?;
    let scope = match &options.changed_since {
        Some(commit) => Scope::since(commit)?,
        None => Scope::Everything,
    };
    let wanted = options.wanted(&scope);
    if wanted.is_empty() {
        say("nothing that was changed can have broken a check");
    }
    let begun = Instant::now();
    machine::left_behind::watch();
    let times = Times::read(is_first_build()?)?;
    let lines = schedule::run(&wanted, &scope, (options.jobs, options.fail_fast), &times)?;
    let mut tally = budget::summarise(&lines, begun.elapsed(), times)?;
    for process in machine::left_behind::end() {
        say(&format!("a test left a process behind: {process}"));
        tally = tally.plus(Tally::ONE_FAILED);
    }
    if tally.failed > 0 {
        return Err(Verdict(tally).into());
    }
    say(&Verdict(tally).last_line());
    Ok(())
}

/// Whether the dependencies have to be compiled first.
fn is_first_build() -> Result<bool> {
    Ok(!crate::compile::deps_cache::has()?)
}

#[cfg(test)]
mod tests;
