//! Order, lanes and what a failure does to the rest.

use anyhow::{Result, bail};

use super::{Fate, Line, run};
use crate::suite::budget::{Budget, Times};
use crate::suite::changed::Scope;
use crate::suite::steps::{Lane, Outcome, Step};

fn passes(_: &Scope) -> Result<Outcome> {
    Ok(Outcome::Passed)
}

fn fails(_: &Scope) -> Result<Outcome> {
    bail!("it is broken")
}

const fn step(name: &'static str, lane: Lane, needs: &'static [&'static str]) -> Step {
    Step { name, about: "", lane, needs, watches: &[], budget: Budget { first: 1, again: 1 }, run: passes }
}

static FIRST: Step = step("first", Lane::Rust, &[]);
static BROKEN: Step = Step { run: fails, ..step("broken", Lane::Rust, &["first"]) };
static AFTER: Step = step("after", Lane::Rust, &["broken"]);
static BESIDE: Step = step("beside", Lane::Page, &[]);

fn played(steps: &[&'static Step], fail_fast: bool) -> Vec<(&'static str, String)> {
    let times = Times::read(true).unwrap();
    let fate = |line: &Line| match &line.fate {
        Fate::Passed(_) => "passed".to_owned(),
        Fate::Failed(_, why) | Fate::Skipped(why) => why.clone(),
    };
    let lines = run(steps, &Scope::Everything, (2, fail_fast), &times).unwrap();
    lines.iter().map(|line| (line.step.name, fate(line))).collect()
}

#[test]
fn a_failure_stops_only_what_needs_it() {
    let lines = played(&[&FIRST, &BROKEN, &AFTER, &BESIDE], false);
    let expected = [
        ("first", "passed"),
        ("broken", "it is broken"),
        ("after", "needs broken, which did not pass"),
        ("beside", "passed"),
    ];
    assert_eq!(lines, expected.map(|(name, fate)| (name, fate.to_owned())));
}

#[test]
fn nothing_is_begun_after_a_failure_when_that_is_wished() {
    static LAST: Step = step("last", Lane::Rust, &[]);
    let lines = played(&[&FIRST, &BROKEN, &LAST], true);
    assert_eq!(
        lines.last().map(|(name, why)| (*name, why.as_str())),
        Some(("last", "--fail-fast: broken failed"))
    );
}
