//! One file a day, none too large, none too old.

use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;

use super::{DAY_MS, KEEP_FULL, LogFiles, date_in_name};

/// 2023-11-14T00:00:00Z.
const MIDNIGHT: i64 = 1_699_920_000_000;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_day_is_a_new_file() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("logs");
    let mut files = LogFiles::daily(folder.clone(), None).in_zone(TimeZone::UTC);
    files.write(MIDNIGHT - 1, "a").unwrap();
    files.write(MIDNIGHT, "b").unwrap();
    files.flush().unwrap();
    assert_eq!(names(&folder), ["homard-2023-11-13.log", "homard-2023-11-14.log"]);
    assert_eq!(files.path_at(MIDNIGHT), folder.join("homard-2023-11-14.log"));
    assert_eq!(fs::read_to_string(files.path_at(MIDNIGHT)).unwrap(), "b\n");
}

#[test]
fn what_was_written_last_is_found_on_the_days_after() {
    let home = tempfile::tempdir().unwrap();
    let mut files = LogFiles::daily(home.path().join("logs"), None).in_zone(TimeZone::UTC);
    assert_eq!(files.newest_at(MIDNIGHT), files.path_at(MIDNIGHT));
    files.write(MIDNIGHT, "the disk is full").unwrap();
    for days in 0..3 {
        assert_eq!(files.newest_at(MIDNIGHT + days * DAY_MS), files.path_at(MIDNIGHT), "{days}");
    }
}

#[test]
fn old_files_go_and_foreign_files_stay() {
    let home = tempfile::tempdir().unwrap();
    for name in
        ["homard-2023-11-06.log", "homard-2023-11-06.2.log", "homard-2023-11-07.log", "homard-x.log", "n.txt"]
    {
        fs::write(home.path().join(name), "").unwrap();
    }
    let mut files = LogFiles::daily(home.path().to_owned(), None).in_zone(TimeZone::UTC);
    files.write(MIDNIGHT, "x").unwrap();
    assert_eq!(
        names(home.path()),
        ["homard-2023-11-07.log", "homard-2023-11-14.log", "homard-x.log", "n.txt"]
    );
    files.write(MIDNIGHT + DAY_MS, "x").unwrap();
    assert!(!names(home.path()).contains(&"homard-2023-11-07.log".to_owned()));
}

#[test]
fn a_full_file_is_set_aside_and_the_oldest_of_them_goes() {
    let home = tempfile::tempdir().unwrap();
    let mut files = LogFiles::daily(home.path().to_owned(), Some(8)).in_zone(TimeZone::UTC);
    for number in 0..20 {
        files.write(MIDNIGHT, &format!("n{number:02}")).unwrap();
    }
    files.flush().unwrap();
    let names = names(home.path());
    assert_eq!(names.len(), 1 + KEEP_FULL as usize, "{names:?}");
    assert_eq!(fs::read_to_string(files.path_at(MIDNIGHT)).unwrap(), "n18\nn19\n");
    assert_eq!(fs::read_to_string(home.path().join("homard-2023-11-14.1.log")).unwrap(), "n16\nn17\n");
}

#[test]
fn a_full_file_found_at_start_is_set_aside_too() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("own.log");
    fs::write(&path, "0123456789").unwrap();
    let mut files = LogFiles::fixed(path.clone(), Some(8)).in_zone(TimeZone::UTC);
    files.write(MIDNIGHT, "new").unwrap();
    files.flush().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new\n");
    assert_eq!(fs::read_to_string(home.path().join("own.1.log")).unwrap(), "0123456789");
}

#[test]
fn a_file_that_cannot_be_written_is_left_alone_for_a_while() {
    let home = tempfile::tempdir().unwrap();
    let blocked = home.path().join("blocked");
    fs::write(&blocked, "a file where a folder should be").unwrap();
    let mut files = LogFiles::daily(blocked.clone(), None).in_zone(TimeZone::UTC);
    assert!(files.write(MIDNIGHT, "lost").is_err());
    assert!(files.write(MIDNIGHT + 1, "let go").is_ok());
    fs::remove_file(&blocked).unwrap();
    files.write(MIDNIGHT + 60_000, "kept").unwrap();
    files.flush().unwrap();
    assert_eq!(fs::read_to_string(files.path_at(MIDNIGHT)).unwrap(), "kept\n");
}

#[test]
fn only_our_own_names_have_dates() {
    for (name, dated) in [
        ("homard-2026-11-15.log", true),
        ("homard-2026-11-15.3.log", true),
        ("homard-2026-13-15.log", false),
        ("homard-ä.log", false),
        ("config-audit.jsonl", false),
    ] {
        assert_eq!(date_in_name(name).is_some(), dated, "{name}");
    }
}
