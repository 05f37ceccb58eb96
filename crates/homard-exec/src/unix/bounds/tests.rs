//! What is read of other processes.

use super::{Stat, everyone, tasks};

#[test]
fn a_process_is_read_whatever_its_name_is() {
    let rows = [
        ("12 (sh) S 1 12 12 0", Some((12, 1, 12, true))),
        ("12 (a) b) (c) Z 7 9 9 0", Some((12, 7, 9, false))),
        ("12 (sh) S 1", None),
        ("x (sh) S 1 2", None),
        ("", None),
    ];
    for (text, wanted) in rows {
        let got = Stat::parse(text).map(|stat| (stat.pid, stat.parent, stat.group, stat.is_live));
        assert_eq!(got, wanted, "{text}");
    }
}

#[test]
fn this_process_is_among_those_that_run() {
    let own = i32::try_from(std::process::id()).unwrap();
    assert!(everyone().is_none_or(|mut all| all.any(|stat| stat.pid == own && stat.is_live)));
    assert!(tasks().is_none_or(|running| running > 0));
}
