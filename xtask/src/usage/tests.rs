//! Asking for help, and what is said.

use super::{USAGE, is_asked, of};

#[test]
fn who_asks_what_a_command_does_is_told_that_alone() {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for (rest, asked) in [("--help", true), ("--quick -h", true), ("-- --help", false), ("--quick", false)] {
        assert_eq!(is_asked(&words(rest)), asked, "{rest}");
    }
    let bench = of("bench");
    assert!(bench.starts_with("  bench [--write]") && bench.contains("--soak"), "{bench}");
    assert!(!bench.contains("weigh"), "{bench}");
    assert!(of("schema").ends_with("or say whether it is out of date"), "{}", of("schema"));
    assert_eq!(of("wash"), USAGE.trim_end());
}
