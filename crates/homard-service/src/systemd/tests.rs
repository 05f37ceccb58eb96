//! What is written for systemd, and what it answers.

use std::path::{Path, PathBuf};

use super::{Expanding, Systemd, quoted, unit};
use crate::charge::{Account, Charge, Role};
use crate::words::{Activity, Dialect, Places, State};

fn charge(account: Account) -> Charge {
    Charge {
        role: Role::Gateway,
        profile: Some("work".to_owned()),
        program: PathBuf::from("/opt/meine Wörter/homard"),
        arguments: ["gateway", "run", "--profile", "work"].map(str::to_owned).to_vec(),
        variables: vec![("HOMARD_STATE_DIR".to_owned(), "/data/100% $mine".to_owned())],
        account,
    }
}

#[test]
fn the_unit_of_an_owner_starts_watches_and_stops_the_gateway() {
    insta::assert_snapshot!("owner", unit(&charge(Account::Owner)));
}

#[test]
fn the_units_of_the_machine_say_as_whom_and_are_denied_more() {
    insta::assert_snapshot!("named", unit(&charge(Account::Named("alice".to_owned()))));
    let own = Charge { profile: None, variables: Vec::new(), ..charge(Account::OfItsOwn) };
    insta::assert_snapshot!("of_its_own", unit(&own));
}

#[test]
fn the_unit_of_a_node_has_a_name_of_its_own_and_no_watchdog() {
    let node = Charge {
        role: Role::Node,
        profile: None,
        arguments: ["node", "run", "--host", "gateway.lan", "--port", "18789"].map(str::to_owned).to_vec(),
        ..charge(Account::Owner)
    };
    assert_eq!(Systemd.label(&node), "homard-node.service");
    insta::assert_snapshot!("node", unit(&node));
}

#[test]
fn words_of_a_unit_are_never_expanded() {
    for (word, in_commands, elsewhere) in [
        ("/usr/bin/homard", "/usr/bin/homard", "/usr/bin/homard"),
        ("", "\"\"", "\"\""),
        ("a b", "\"a b\"", "\"a b\""),
        ("$HOME", "\"$$HOME\"", "\"$HOME\""),
        ("100%", "\"100%%\"", "\"100%%\""),
        ("say \"hi\"", "\"say \\\"hi\\\"\"", "\"say \\\"hi\\\"\""),
        ("x\nExecStart=evil", "\"x\\nExecStart=evil\"", "\"x\\nExecStart=evil\""),
        ("Wörter", "\"Wörter\"", "\"Wörter\""),
        ("a\u{1}b\u{85}", "\"a\\x01b\\u0085\"", "\"a\\x01b\\u0085\""),
    ] {
        assert_eq!(quoted(word, Expanding::Variables), in_commands);
        assert_eq!(quoted(word, Expanding::Nothing), elsewhere);
    }
}

#[test]
fn what_systemd_shows_is_understood() {
    let running = "LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nMainPID=42\n";
    let state = State { is_known: true, is_enabled: true, activity: Activity::Running, pid: Some(42) };
    assert_eq!(Systemd.read(true, running), state);
    let failed = "MainPID=0\nLoadState=loaded\nActiveState=failed\nUnitFileState=disabled\n";
    let state = State { is_known: true, is_enabled: false, activity: Activity::Failed, pid: None };
    assert_eq!(Systemd.read(true, failed), state);
    let missing = "MainPID=0\nLoadState=not-found\nActiveState=inactive\nUnitFileState=\n";
    assert_eq!(Systemd.read(true, missing), State::UNKNOWN);
    assert_eq!(Systemd.read(true, "something else"), State::UNKNOWN);
}

#[test]
fn units_lie_where_systemd_looks() {
    let places = Places {
        home: PathBuf::from("/home/a"),
        config_home: PathBuf::from("/home/a/.config"),
        root: PathBuf::from("/"),
        user: 1000,
    };
    let path = |account| Systemd.path(&charge(account), &places);
    assert_eq!(path(Account::Owner), Path::new("/home/a/.config/systemd/user/homard-work.service"));
    assert_eq!(path(Account::OfItsOwn), Path::new("/etc/systemd/system/homard-work.service"));
}

/// Run it with `INSTA_UPDATE=always` to write them.
#[test]
fn packages_bring_the_units_that_would_be_installed() {
    let packaged = |account| Charge {
        role: Role::Gateway,
        profile: None,
        program: PathBuf::from("/usr/bin/homard"),
        arguments: ["gateway", "run"].map(str::to_owned).to_vec(),
        variables: Vec::new(),
        account,
    };
    for (folder, account) in [("user", Account::Owner), ("system", Account::OfItsOwn)] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/systemd").join(folder);
        let file = file.join("homard.service");
        let made = unit(&packaged(account));
        if std::env::var_os("INSTA_UPDATE").is_some_and(|how| how == "always") {
            std::fs::write(&file, &made).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), made, "{}", file.display());
    }
}

#[test]
fn a_program_is_written_as_it_lies_and_what_systemd_refuses_is_known() {
    let start = |program: &str| {
        let unit = unit(&Charge { program: PathBuf::from(program), ..charge(Account::Owner) });
        unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap().to_owned()
    };
    let rest = " gateway run --profile work";
    assert_eq!(start("/opt/$mine/100%/homard"), format!("\"/opt/$mine/100%%/homard\"{rest}"));
    for (program, can) in [
        ("/opt/meine Wörter/$x/homard", true),
        ("/opt/\"x\"/homard", false),
        ("/opt/it's/homard", false),
        ("/opt/a\\b/homard", false),
        ("/opt/a\nb/homard", false),
    ] {
        assert_eq!(Systemd.starts(Path::new(program)), can, "{program:?}");
    }
}
