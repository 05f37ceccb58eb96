//! The command line, the table of steps, and what counts as a failure.

use super::changed::Scope;
use super::steps::{Outcome, STEPS, counted, slowest};
use super::{Options, Verdict};
use crate::sh::Ran;
use crate::tally::Tally;

fn parse(args: &[&str]) -> anyhow::Result<Options> {
    Options::parse(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
}

fn named(args: &[&str]) -> Vec<&'static str> {
    parse(args).unwrap().wanted(&Scope::Everything).iter().map(|step| step.name).collect()
}

#[test]
fn options_choose_the_steps() {
    assert_eq!(named(&[]).len(), STEPS.len());
    assert_eq!(named(&["--only", "tidy", "--only", "fmt"]), ["fmt", "tidy"]);
    for name in
        ["web-types", "web-build", "web-check", "web-format", "web-test", "web-page", "browser", "flows"]
    {
        assert!(!named(&["--skip-web"]).contains(&name), "{name}");
    }
}

#[test]
fn what_a_step_needs_comes_with_it() {
    assert_eq!(named(&["--only", "clippy"]), ["build", "clippy"]);
    assert_eq!(named(&["--only", "flows"]), ["web-types", "build", "web-build", "flows"]);
}

#[test]
fn an_unknown_option_or_step_is_refused_by_name() {
    for (args, named) in [
        (&["--quick"][..], "--quick"),
        (&["--only", "lunch"], "lunch"),
        (&["--only"], "--only"),
        (&["--jobs", "none"], "--jobs"),
    ] {
        let error = parse(args).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn a_commit_to_compare_with_may_be_named() {
    assert_eq!(parse(&["--changed=v1"]).unwrap().changed_since.as_deref(), Some("v1"));
    assert_eq!(parse(&["--changed"]).unwrap().changed_since.as_deref(), Some(super::changed::HERE));
}

#[test]
fn a_step_needs_only_steps_before_it() {
    for (place, step) in STEPS.iter().enumerate() {
        for need in step.needs {
            let before = STEPS.iter().take(place).any(|before| before.name == *need);
            assert!(before, "{} needs {need}", step.name);
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

#[test]
fn the_slowest_tests_come_first() {
    let log = "        PASS [   0.532s] (1/3) homard-llm a\n        PASS [  12.100s] (2/3) homard::all b\n     FAIL [ 9.0s] c";
    assert_eq!(slowest(log), "the slowest tests:\n    12.1 s  homard::all b\n     0.5 s  homard-llm a");
}
