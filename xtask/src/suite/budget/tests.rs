//! When a step took too long.

use std::time::Duration;

use super::Times;
use crate::suite::schedule::{Fate, Line};
use crate::suite::steps::STEPS;
use crate::tally::Tally;

#[test]
fn a_step_is_over_its_budget_by_half_and_not_before() {
    let times =
        Times { is_first: false, last: Default::default(), load: crate::machine::load::Load::begin() };
    let step = STEPS.iter().find(|step| step.name == "rust-test").unwrap();
    let over = |took: f64| {
        times.is_over(&Line {
            step,
            took: Duration::from_secs_f64(took),
            fate: Fate::Passed(Tally::ONE_PASSED),
        })
    };
    let budget = f64::from(u32::try_from(step.budget.again).unwrap());
    assert!(!over(budget * 1.4));
    assert!(over(budget * 1.6));
}

#[test]
fn starting_a_program_slowly_is_not_being_late() {
    let times =
        Times { is_first: false, last: Default::default(), load: crate::machine::load::Load::begin() };
    let step = STEPS.iter().min_by_key(|step| step.budget.again).unwrap();
    assert!(!times.is_over(&Line {
        step,
        took: super::NEVER_TOO_LONG,
        fate: Fate::Passed(Tally::ONE_PASSED)
    }));
}
