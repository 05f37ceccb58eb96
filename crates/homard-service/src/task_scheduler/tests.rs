//! What is written for Task Scheduler, and what it answers.

use std::path::PathBuf;

use super::{TaskScheduler, argument, task};
use crate::charge::{Account, Charge, Role};
use crate::words::{Activity, Dialect, Places, State};

fn charge() -> Charge {
    Charge {
        role: Role::Gateway,
        profile: Some("größer".to_owned()),
        program: PathBuf::from("C:\\Program Files\\Meine Wörter & Dinge\\homard.exe"),
        arguments: ["gateway", "run", "--profile", "a \"b\" c\\"].map(str::to_owned).to_vec(),
        variables: Vec::new(),
        account: Account::Owner,
    }
}

#[test]
fn the_task_is_written_down() {
    insta::assert_snapshot!("task", task("Homard Gateway (größer)", &charge()).replace('\r', ""));
}

#[test]
fn the_definition_is_utf_16_with_its_mark() {
    let home = PathBuf::from("C:\\Users\\zoë");
    let places = Places { config_home: home.clone(), home, root: PathBuf::new(), user: 0 };
    let bytes = TaskScheduler.definition(&charge(), &places);
    assert_eq!(bytes[..4], [0xff, 0xfe, b'<', 0]);
    let units: Vec<u16> = bytes[2..].chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert!(String::from_utf16(&units).unwrap().contains("größer"));
}

#[test]
fn arguments_come_apart_as_they_were_put_together() {
    for (word, written) in [
        ("gateway", "gateway"),
        ("", "\"\""),
        ("a b", "\"a b\""),
        ("a\"b", "\"a\\\"b\""),
        ("C:\\a b\\", "\"C:\\a b\\\\\""),
        ("C:\\a\\", "C:\\a\\"),
        ("x\\\"y", "\"x\\\\\\\"y\""),
    ] {
        assert_eq!(argument(word), written, "{word}");
    }
}

#[test]
fn the_state_is_read_in_every_language() {
    let known = |is_enabled, activity| State { is_known: true, is_enabled, activity, pid: None };
    assert_eq!(TaskScheduler.read(true, "Running\r\n"), known(true, Activity::Running));
    assert_eq!(TaskScheduler.read(true, "Ready\r\n"), known(true, Activity::Stopped));
    assert_eq!(TaskScheduler.read(true, "Disabled"), known(false, Activity::Stopped));
    assert_eq!(TaskScheduler.read(false, "no such task"), State::UNKNOWN);
    let places = Places { home: PathBuf::new(), config_home: PathBuf::new(), root: PathBuf::new(), user: 0 };
    let odd = Charge { profile: Some("o'hara".to_owned()), ..charge() };
    assert!(TaskScheduler.look(&odd, &places).line().contains("-TaskName 'Homard Gateway (o''hara)'"));
}
