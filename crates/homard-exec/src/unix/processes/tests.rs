//! What is read of other processes.

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::{Stat, everyone, has_ended, left_behind};

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

#[test]
#[expect(clippy::disallowed_methods, reason = "a child that nobody takes note of is what is needed")]
fn one_that_ended_is_gone_before_and_after_somebody_takes_note_of_it() {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let pid = Pid::from_child(&child);
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    assert!(has_ended(pid));
    child.wait().unwrap();
    assert!(has_ended(pid) && !has_ended(rustix::process::getpid()));
}

#[test]
fn nobody_is_left_behind_where_nothing_ran() {
    assert_eq!(left_behind(&[]), []);
}

/// The leader of the session lives outside: the kernel says 0 for it, as it does in most containers.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "unshare itself is what is needed, not a command of the agent's"
)]
fn the_same_holds_in_a_container() {
    let own = std::env::current_exe().unwrap();
    let inside = |program: &std::ffi::OsStr| {
        let mut unshare = std::process::Command::new("unshare");
        unshare.args(["--map-root-user", "--fork", "--pid", "--mount-proc"]).arg(program);
        unshare
    };
    let is_possible = inside("true".as_ref()).output().is_ok_and(|tried| tried.status.success());
    if !is_possible {
        return;
    }
    let name = "unix::processes::tests::nobody_is_left_behind_where_nothing_ran";
    let ran = inside(own.as_os_str()).args(["--exact", name]).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}
