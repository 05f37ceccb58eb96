//! What is read of other processes.

use super::{Stat, everyone};

#[test]
fn a_process_is_read_whatever_its_name_is() {
    let rows = [
        ("12 (sh) S 1 12 13 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 777 0", Some((12, 1, 12, 13, 777, true))),
        ("12 (a) b) (c) Z 7 9 9 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 777 0", Some((12, 7, 9, 9, 777, false))),
        ("12 (sh) S 1", None),
        ("12 (sh) S 1 12 12 0", None),
        ("x (sh) S 1 2", None),
        ("", None),
    ];
    for (text, wanted) in rows {
        let got = Stat::parse(text);
        let got =
            got.map(|stat| (stat.pid, stat.parent, stat.group, stat.session, stat.started, stat.is_live));
        assert_eq!(got, wanted, "{text}");
    }
}

#[test]
fn this_process_is_among_those_that_run() {
    let own = i32::try_from(std::process::id()).unwrap();
    assert!(everyone().is_none_or(|mut all| all.any(|stat| stat.pid == own && stat.is_live)));
}
