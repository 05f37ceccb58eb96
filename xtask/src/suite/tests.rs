//! The command line, the table of steps, and what counts as a failure.

use super::{Options, Outcome, STEPS, Verdict, counted};
use crate::sh::Ran;
use crate::tally::Tally;

fn parse(args: &[&str]) -> anyhow::Result<Options> {
    Options::parse(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
}

#[test]
fn options_choose_the_steps() {
    let named = |args: &[&str]| {
        let options = parse(args).unwrap();
        let steps = STEPS.iter().filter(|step| options.wants(step) && options.leaves_out(step).is_none());
        steps.map(|step| step.name).collect::<Vec<_>>()
    };
    assert_eq!(named(&[]).len(), STEPS.len());
    assert_eq!(named(&["--only", "fmt", "--only", "tidy"]), ["fmt", "tidy"]);
    let without = named(&["--skip-web", "--skip-fuzz"]);
    for name in ["web-build", "web-test", "web-page", "browser", "fuzz"] {
        assert!(!without.contains(&name), "{name}");
    }
}

#[test]
fn an_unknown_option_or_step_is_refused_by_name() {
    for (args, named) in
        [(&["--quick"][..], "--quick"), (&["--only", "lunch"], "lunch"), (&["--only"], "--only")]
    {
        let error = parse(args).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn a_step_needs_only_steps_before_it() {
    for (place, step) in STEPS.iter().enumerate() {
        for need in step.needs {
            assert!(
                STEPS.iter().take(place).any(|before| before.name == *need),
                "{} needs {need}",
                step.name
            );
        }
    }
}

#[test]
fn a_runner_that_ends_badly_without_a_failed_test_is_an_error() {
    let ran = |ok, text: &str| counted(&Ran { ok, text: text.to_owned() }, "x");
    assert!(ran(false, "error: could not compile").is_err());
    assert!(matches!(ran(true, "fine"), Ok(Outcome::Passed)));
    assert!(matches!(ran(false, "1 passed, 1 failed"), Ok(Outcome::Counted(Tally { passed: 1, failed: 1 }))));
}

#[test]
fn the_last_line_is_counts_alone() {
    assert_eq!(Verdict(Tally { passed: 3, failed: 0 }).last_line(), "3 passed, 0 failed");
}
