//! Reading what Linux tells of its work.

use super::{Load, Moment};

const PROCESS: &str = "42 (a (strange) name) S 1 42 42 0 -1 4194560 1 2 3 4 100 20 3000 400 20 0 1 0";

fn moment(user: u64, idle: u64, ours: u64) -> Moment {
    Moment { all: user + idle, used: user, ours }
}

#[test]
fn work_is_read_from_the_first_line_and_after_the_name() {
    let machine = "cpu  1000 10 200 5000 300 1 2 7 0 0\ncpu0 1 2 3 4\n";
    let read = Moment::read(machine, PROCESS).unwrap();
    assert_eq!((read.all, read.used, read.ours), (6520, 1220, 3520));
    assert!(Moment::read("", PROCESS).is_none());
}

#[test]
fn what_is_not_ours_is_others() {
    let share = |begun: Moment, now: Moment| begun.others_until(now);
    assert!(share(moment(0, 0, 0), moment(150, 50, 150)) < 0.001);
    assert!((share(moment(100, 100, 50), moment(200, 200, 100)) - 0.25).abs() < 0.001);
}

#[test]
fn a_run_that_just_began_has_a_share_of_some_size() {
    let others = Load::begin().others();
    assert!(others.is_none_or(|others| others >= 0.0), "{others:?}");
}
