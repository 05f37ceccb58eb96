//! What is written for launchd, and what it answers.

use std::path::{Path, PathBuf};

use super::Launchd;
use crate::charge::{Account, Charge, Role};
use crate::words::{Activity, Dialect, Places, State};

fn charge(account: Account) -> Charge {
    Charge {
        role: Role::Gateway,
        profile: Some("work".to_owned()),
        program: PathBuf::from("/Applications/Meine Wörter & <Dinge>/homard"),
        arguments: ["gateway", "run", "--profile", "work"].map(str::to_owned).to_vec(),
        variables: vec![("HOMARD_STATE_DIR".to_owned(), "/Volumes/\"x\" 'y' 🦞".to_owned())],
        account,
    }
}

fn places() -> Places {
    let home = PathBuf::from("/Users/zoë");
    Places { config_home: home.join(".config"), home, root: PathBuf::from("/"), user: 501 }
}

fn text(charge: &Charge) -> String {
    String::from_utf8(Launchd.definition(charge, &places())).unwrap()
}

#[test]
fn the_agent_of_an_owner_is_written_down() {
    insta::assert_snapshot!("agent", text(&charge(Account::Owner)));
}

#[test]
fn a_daemon_of_the_machine_says_as_whom_it_runs() {
    let named = charge(Account::Named("zoë".to_owned()));
    assert!(text(&named).contains("<key>UserName</key>\n  <string>zoë</string>"));
    let path = Path::new("/Library/LaunchDaemons/io.github.homard.gateway.work.plist");
    assert_eq!(Launchd.path(&named, &places()), path);
    assert_eq!(
        Launchd.stop(&named, &places()).line(),
        "launchctl bootout system/io.github.homard.gateway.work"
    );
}

#[test]
fn launchctl_is_asked_in_its_words() {
    let charge = Charge { profile: None, ..charge(Account::Owner) };
    let path = Launchd.path(&charge, &places());
    let lines: Vec<String> = Launchd
        .take_up(&charge, &path, &places())
        .into_iter()
        .flat_map(|step| [Some(step.change), step.undo])
        .flatten()
        .chain([
            Launchd.wake(&charge, &path, &places()),
            Launchd.restart(&charge, &places()),
            Launchd.look(&charge, &places()),
        ])
        .map(|ask| ask.line())
        .collect();
    assert_eq!(
        lines,
        [
            "launchctl enable gui/501/io.github.homard.gateway",
            "launchctl bootstrap gui/501 /Users/zoë/Library/LaunchAgents/io.github.homard.gateway.plist",
            "launchctl bootout gui/501/io.github.homard.gateway",
            "launchctl kickstart gui/501/io.github.homard.gateway",
            "launchctl kickstart -k gui/501/io.github.homard.gateway",
            "launchctl print gui/501/io.github.homard.gateway",
        ]
    );
}

#[test]
fn what_launchctl_prints_is_understood() {
    let known = |activity, pid| State { is_known: true, is_enabled: true, activity, pid };
    for (answer, state) in [
        (
            "gui/501/x = {\n\tstate = running\n\n\tpid = 7\n\tx = {\n\t\tstate = active\n\t}\n}",
            known(Activity::Running, Some(7)),
        ),
        ("\tstate = not running\n\tlast exit code = 0\n", known(Activity::Stopped, None)),
        ("\tstate = not running\n\tlast exit code = (never exited)\n", known(Activity::Stopped, None)),
        ("\tstate = not running\n\tlast exit code = 78: EX_CONFIG\n", known(Activity::Failed, None)),
    ] {
        assert_eq!(Launchd.read(true, answer), state, "{answer}");
    }
    assert_eq!(Launchd.read(false, "Could not find service"), State::UNKNOWN);
}
