//! Who is due is looked for in time, and not without end.

use std::time::Duration;

use super::{MAX_SLEEP, MIN_REFIRE_MS, look_again_at, until};

const LOOKED_AT: i64 = 1_000_000;

#[test]
fn a_job_that_becomes_due_while_others_begin_is_begun_at_once() {
    let at = look_again_at(LOOKED_AT + 3, None, LOOKED_AT);
    assert_eq!(until(at, LOOKED_AT + 20), Duration::ZERO);
}

#[test]
fn a_job_that_cannot_begin_is_tried_again_later_and_keeps_no_other_waiting() {
    assert_eq!(look_again_at(LOOKED_AT, None, LOOKED_AT), LOOKED_AT + MIN_REFIRE_MS);
    assert_eq!(look_again_at(LOOKED_AT - 9, Some(LOOKED_AT + 40), LOOKED_AT), LOOKED_AT + 40);
    assert_eq!(look_again_at(LOOKED_AT - 9, Some(LOOKED_AT + 90_000), LOOKED_AT), LOOKED_AT + MIN_REFIRE_MS);
}

#[test]
fn the_clock_is_looked_at_now_and_then_however_far_the_next_job_is() {
    assert_eq!(until(LOOKED_AT + 250, LOOKED_AT), Duration::from_millis(250));
    assert_eq!(until(i64::MAX, -1), MAX_SLEEP);
}
