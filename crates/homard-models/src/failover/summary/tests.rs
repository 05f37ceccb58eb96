//! What a person reads when nothing answered.

use std::time::Duration;

use homard_llm::{FailReason, LlmError};

use super::{FailedCandidate, remember, sum};

fn roads(rows: &[(&str, FailReason, &str)]) -> Vec<FailedCandidate> {
    let mut roads = Vec::new();
    for (name, reason, message) in rows {
        remember(&mut roads, (*name).to_owned(), &LlmError::new(*reason, *message), 1);
    }
    roads
}

#[test]
fn one_road_is_told_as_it_was() {
    let one = roads(&[("a/b (x)", FailReason::Overloaded, "busy")]);
    assert_eq!(sum(&one), LlmError::new(FailReason::Overloaded, "busy"));
    let row = ("a/b (x)", FailReason::Overloaded, "busy");
    assert_eq!(sum(&roads(&[row, row, row])).message, "busy (asked 3 times)");
}

#[test]
fn several_are_told_once_each_with_the_reason_one_can_act_on() {
    let busy = ("a/b (x)", FailReason::Overloaded, "busy");
    let mut all = roads(&[
        busy,
        ("a/b (y)", FailReason::RateLimit, "slow down"),
        busy,
        ("c/d", FailReason::Auth, "no key"),
    ]);
    all[1].error.retry_after = Some(Duration::from_secs(9));
    let error = sum(&all);
    assert_eq!((error.reason, error.retry_after), (FailReason::Auth, Some(Duration::from_secs(9))));
    assert_eq!(
        error.message,
        "no model answered: a/b (x): overloaded, 2 times (busy); a/b (y): rate_limit (slow down); c/d: auth (no key)"
    );
}

#[test]
fn many_and_long_ones_are_cut() {
    let long = "ä".repeat(399);
    let mut all = Vec::new();
    for n in 0..20 {
        remember(&mut all, format!("p/m{n}"), &LlmError::new(FailReason::Unknown, long.clone()), 1);
    }
    let message = sum(&all).message;
    assert!(message.ends_with("; and 12 more"), "{message}");
    assert!(message.chars().count() < 1_600);
    assert_eq!(sum(&[]).reason, FailReason::Unknown);
}
