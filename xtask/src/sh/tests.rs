//! Running programs.

use super::{Cmd, last_lines};

#[test]
fn both_streams_and_the_status_come_back() {
    let ran = Cmd::new("sh", &["-c", "echo out; echo err >&2; exit 3"]).quiet().unwrap();
    assert!(!ran.ok);
    assert_eq!(ran.text, "out\nerr\n");
}

#[test]
fn a_program_that_fails_or_is_missing_is_named() {
    let failed = Cmd::new("sh", &["-c", "echo why >&2; exit 3"]).read().unwrap_err().to_string();
    assert!(failed.starts_with("`sh -c ") && failed.ends_with("exit status: 3: why"), "{failed}");
    let missing = Cmd::new("no-such-program-here", &["-x"]).run().unwrap_err().to_string();
    assert_eq!(missing, "could not start `no-such-program-here -x`");
    assert!(!Cmd::new("no-such-program-here", &[]).works());
}

#[test]
fn a_bare_environment_has_a_search_path_and_what_it_is_given() {
    let listed = Cmd::new("env", &[]).bare_env().env("HOME", "/nowhere").read().unwrap();
    let mut names: Vec<&str> = listed.lines().filter_map(|line| line.split('=').next()).collect();
    names.retain(|name| !matches!(*name, "LANG" | "TMPDIR"));
    names.sort_unstable();
    assert_eq!(names, ["HOME", "PATH"]);
}

#[test]
fn the_end_of_a_log_is_its_last_lines() {
    assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
    assert_eq!(last_lines("a", 2), "a");
    assert_eq!(last_lines("", 2), "");
}
