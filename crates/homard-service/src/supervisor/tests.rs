//! A life as a service, with stand-ins for the programs of supervisors that are as strict as their manual pages.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Dialect, Launchd, Replace, Supervisor, SupervisorError, Systemd};
use crate::charge::{Account, Charge, Role};
use crate::words::{Activity, State};

/// A `systemctl` that keeps its books in files, knows the words of the manual page and refuses all others. A file
/// `refuses` names a word it fails at; what it is asked is noted in `asked`.
const SYSTEMCTL: &str = r#"#!/bin/sh
set -eu
books=$(dirname "$0")/books
[ "$1" = --user ] || { echo "Unexpected scope $1" >&2; exit 1; }
shift
echo "$*" >> "$books/asked"
verb=$1; shift
if [ -e "$books/refuses" ] && [ "$(cat "$books/refuses")" = "$verb" ]; then
  echo "Failed to $verb: it was told to fail" >&2; exit 1
fi
units=$HOME/.config/systemd/user
loaded() { [ -e "$books/loaded-$1" ] || { echo "Unit $1 not found." >&2; exit 5; }; }
case $verb in
  show-environment) [ $# = 0 ]; echo "HOME=$HOME" ;;
  daemon-reload)
    [ $# = 0 ]
    rm -f "$books"/loaded-*
    for unit in "$units"/*.service; do [ ! -e "$unit" ] || : > "$books/loaded-$(basename "$unit")"; done ;;
  enable) loaded "$1"; [ $# = 1 ]; : > "$books/enabled-$1" ;;
  disable)
    if [ "$1" = --now ]; then shift; rm -f "$books/active-$1"; fi
    [ $# = 1 ]; rm -f "$books/enabled-$1" ;;
  start|restart) loaded "$1"; [ $# = 1 ]; : > "$books/active-$1" ;;
  stop) loaded "$1"; [ $# = 1 ]; rm -f "$books/active-$1" ;;
  show)
    case $1 in --property=*) ;; *) echo "Unknown operation" >&2; exit 1 ;; esac
    if [ -e "$books/loaded-$2" ]; then echo LoadState=loaded; else echo LoadState=not-found; fi
    if [ -e "$books/active-$2" ]; then echo ActiveState=active; echo MainPID=77; else echo ActiveState=inactive; echo MainPID=0; fi
    if [ -e "$books/enabled-$2" ]; then echo UnitFileState=enabled; else echo UnitFileState=disabled; fi ;;
  *) echo "Unknown command verb '$verb'." >&2; exit 1 ;;
esac
"#;

/// A `launchctl` that knows one service.
const LAUNCHCTL: &str = r#"#!/bin/sh
set -eu
books=$(dirname "$0")/books
echo "$*" >> "$books/asked"
case $1 in
  version) echo "Darwin Bootstrapper Version 7.0.0" ;;
  enable) ;;
  bootstrap)
    [ ! -e "$books/refuses" ] || { echo "Bootstrap failed: 5: Input/output error" >&2; exit 5; }
    [ ! -e "$books/loaded" ] || { echo "Bootstrap failed: 37: Operation already in progress" >&2; exit 37; }
    [ -e "$3" ]; : > "$books/loaded" ;;
  bootout) [ -e "$books/loaded" ] || { echo "Boot-out failed: 3: No such process" >&2; exit 3; }; rm "$books/loaded" ;;
  kickstart) [ -e "$books/loaded" ] || exit 113 ;;
  print) [ -e "$books/loaded" ] || { echo "Could not find service" >&2; exit 113; }; printf '\tstate = running\n\tpid = 9\n' ;;
  *) echo "Unrecognized subcommand: $1" >&2; exit 64 ;;
esac
"#;

/// A home and a supervisor's programs in a folder of the test's own.
struct Machine {
    folder: TempDir,
    supervisor: Supervisor,
}

impl Machine {
    fn new(dialect: &'static dyn Dialect, program: &str, script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir_all(bin.join("books")).unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        fs::write(bin.join(program), script).unwrap();
        fs::set_permissions(bin.join(program), fs::Permissions::from_mode(0o755)).unwrap();
        let home = folder.path().join("home");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let environment = [("PATH", path), ("HOME", home.display().to_string())];
        let environment = environment.map(|(name, value)| (name.to_owned(), value)).into();
        let supervisor = Supervisor::new(dialect, &home, &environment, folder.path().to_owned(), 501);
        Self { folder, supervisor }
    }

    fn systemd() -> Self {
        Self::new(&Systemd, "systemctl", SYSTEMCTL)
    }

    fn book(&self, name: &str) -> PathBuf {
        self.folder.path().join("bin/books").join(name)
    }

    /// What was asked since the last look, without the looks.
    fn asked(&self) -> Vec<String> {
        let text = fs::read_to_string(self.book("asked")).unwrap_or_default();
        fs::remove_file(self.book("asked")).ok();
        let changes = text
            .lines()
            .filter(|line| !["show", "print", "version"].iter().any(|look| line.starts_with(look)));
        changes.map(str::to_owned).collect()
    }

    /// Every file and folder of the home.
    fn home(&self) -> Vec<String> {
        let mut found = Vec::new();
        let home = self.folder.path().join("home");
        let mut folders = vec![home.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found.push(path.strip_prefix(&home).unwrap().display().to_string());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found
    }
}

fn charge() -> Charge {
    Charge {
        role: Role::Gateway,
        profile: None,
        program: PathBuf::from("/usr/bin/homard"),
        arguments: ["gateway", "run"].map(str::to_owned).to_vec(),
        variables: Vec::new(),
        account: Account::Owner,
    }
}

const RUNS: State = State { is_known: true, is_enabled: true, activity: Activity::Running, pid: Some(77) };

#[tokio::test]
async fn a_service_is_installed_stopped_started_and_removed() {
    let machine = Machine::systemd();
    let (supervisor, charge) = (&machine.supervisor, charge());
    supervisor.install(&charge, Replace::Never).await.unwrap();
    assert_eq!(machine.asked(), ["daemon-reload", "enable homard.service", "start homard.service"]);
    assert_eq!(supervisor.look(&charge).await.unwrap(), RUNS);
    supervisor.stop(&charge).await.unwrap();
    assert_eq!(supervisor.look(&charge).await.unwrap().activity, Activity::Stopped);
    supervisor.start(&charge).await.unwrap();
    supervisor.restart(&charge).await.unwrap();
    assert_eq!(supervisor.look(&charge).await.unwrap(), RUNS);
    assert!(supervisor.uninstall(&charge).await.unwrap());
    assert!(!supervisor.path(&charge).exists());
    assert_eq!(supervisor.look(&charge).await.unwrap(), State::UNKNOWN);
    for outcome in [
        supervisor.uninstall(&charge).await.map(drop),
        supervisor.start(&charge).await,
        supervisor.stop(&charge).await,
    ] {
        assert!(matches!(outcome, Err(SupervisorError::NotInstalled)), "{outcome:?}");
    }
}

#[tokio::test]
async fn an_installation_that_fails_at_any_step_leaves_nothing_behind() {
    for (refuses, undone) in [
        ("show-environment", vec![]),
        ("daemon-reload", vec![]),
        ("enable", vec!["disable homard.service", "daemon-reload"]),
        ("start", vec!["stop homard.service", "disable homard.service", "daemon-reload"]),
    ] {
        let machine = Machine::systemd();
        fs::write(machine.book("refuses"), refuses).unwrap();
        let failed = machine.supervisor.install(&charge(), Replace::Never).await;
        assert!(
            matches!(&failed, Err(SupervisorError::Refused { said, .. }) if said.contains("told to fail")),
            "{failed:?}"
        );
        assert_eq!(machine.home(), Vec::<String>::new(), "{refuses}");
        let asked = machine.asked();
        assert!(
            asked.ends_with(&undone.iter().map(|&line| line.to_owned()).collect::<Vec<_>>()),
            "{refuses}: {asked:?}"
        );
        assert!(
            !machine.book("enabled-homard.service").exists()
                && !machine.book("active-homard.service").exists()
        );
    }
}

#[tokio::test]
async fn another_definition_stays_unless_it_is_to_be_replaced() {
    let machine = Machine::systemd();
    let supervisor = &machine.supervisor;
    supervisor.install(&charge(), Replace::Never).await.unwrap();
    let first = fs::read(supervisor.path(&charge())).unwrap();
    machine.asked();
    supervisor.install(&charge(), Replace::Never).await.unwrap();
    assert_eq!(machine.asked(), Vec::<String>::new(), "the same again changes nothing");
    let other = Charge { program: PathBuf::from("/opt/homard"), ..charge() };
    let taken = supervisor.install(&other, Replace::Never).await;
    assert!(matches!(taken, Err(SupervisorError::Taken { .. })), "{taken:?}");
    fs::write(machine.book("refuses"), "restart").unwrap();
    let failed = supervisor.install(&other, Replace::Always).await;
    assert!(matches!(failed, Err(SupervisorError::HalfDone { .. })), "{failed:?}");
    assert_eq!(fs::read(supervisor.path(&charge())).unwrap(), first, "a failed replacement is taken back");
    assert_eq!(supervisor.look(&charge()).await.unwrap(), RUNS);
    fs::remove_file(machine.book("refuses")).unwrap();
    machine.asked();
    supervisor.install(&other, Replace::Always).await.unwrap();
    assert_eq!(machine.asked().last().unwrap(), "restart homard.service", "the new program takes effect");
    assert!(fs::read_to_string(supervisor.path(&other)).unwrap().contains("ExecStart=/opt/homard"));
}

#[tokio::test]
async fn a_machine_without_systemd_says_so_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere: BTreeMap<String, String> = [("PATH".to_owned(), "/nonexistent".to_owned())].into();
    let supervisor = Supervisor::new(&Systemd, folder.path(), &nowhere, folder.path().to_owned(), 1);
    let failed = supervisor.install(&charge(), Replace::Never).await;
    assert!(matches!(failed, Err(SupervisorError::NotThere { .. })), "{failed:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

    let no_bus = "Failed to connect to bus: No medium found";
    for (said, is_booted) in [
        ("System has not been booted with systemd as init system (PID 1). Can't operate.", false),
        (no_bus, false),
        (no_bus, true),
    ] {
        let script = format!("#!/bin/sh\necho \"{said}\" >&2\nexit 1\n");
        let machine = Machine::new(&Systemd, "systemctl", &script);
        if is_booted {
            fs::create_dir_all(machine.folder.path().join("run/systemd/system")).unwrap();
        }
        let failed = machine.supervisor.install(&charge(), Replace::Never).await.unwrap_err();
        assert_eq!(matches!(failed, SupervisorError::NoSession { .. }), is_booted, "{failed:?}");
        assert_eq!(matches!(failed, SupervisorError::NotThere { .. }), !is_booted, "{failed:?}");
        assert_eq!(machine.home(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn an_account_of_its_own_needs_systemd_and_a_program_it_can_see() {
    let machine = Machine::systemd();
    let hidden = Charge { program: PathBuf::from("/home/a/homard"), account: Account::OfItsOwn, ..charge() };
    let failed = machine.supervisor.install(&hidden, Replace::Never).await;
    assert!(matches!(failed, Err(SupervisorError::OutOfReach { .. })), "{failed:?}");
    let mac = Machine::new(&Launchd, "launchctl", LAUNCHCTL);
    let own = Charge { account: Account::OfItsOwn, ..charge() };
    let failed = mac.supervisor.install(&own, Replace::Never).await;
    assert!(matches!(failed, Err(SupervisorError::NoAccount { .. })), "{failed:?}");
}

#[tokio::test]
async fn launchd_is_taken_through_the_same_life() {
    let machine = Machine::new(&Launchd, "launchctl", LAUNCHCTL);
    let (supervisor, charge) = (&machine.supervisor, charge());
    fs::write(machine.book("refuses"), "").unwrap();
    supervisor.install(&charge, Replace::Never).await.unwrap_err();
    assert_eq!(machine.home(), Vec::<String>::new());
    fs::remove_file(machine.book("refuses")).unwrap();
    supervisor.install(&charge, Replace::Never).await.unwrap();
    let other = Charge { program: PathBuf::from("/opt/homard"), ..charge.clone() };
    supervisor.install(&other, Replace::Always).await.unwrap();
    supervisor.start(&charge).await.unwrap();
    supervisor.stop(&charge).await.unwrap();
    supervisor.stop(&charge).await.unwrap();
    supervisor.start(&charge).await.unwrap();
    supervisor.restart(&charge).await.unwrap();
    assert_eq!(supervisor.look(&charge).await.unwrap().pid, Some(9));
    supervisor.stop(&charge).await.unwrap();
    assert!(supervisor.uninstall(&charge).await.unwrap());
    assert!(!Path::new(&supervisor.path(&charge)).exists());
}

#[tokio::test]
async fn a_definition_nobody_had_read_yet_is_there_again_after_a_failure() {
    let machine = Machine::systemd();
    let path = machine.supervisor.path(&charge());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "[Service]\nExecStart=/bin/mine\n").unwrap();
    fs::write(machine.book("refuses"), "start").unwrap();
    machine.supervisor.install(&charge(), Replace::Always).await.unwrap_err();
    assert_eq!(fs::read_to_string(&path).unwrap(), "[Service]\nExecStart=/bin/mine\n");
}

#[tokio::test]
async fn a_program_the_supervisor_would_refuse_is_refused_before_anything_is_written() {
    let machine = Machine::systemd();
    let odd = Charge { program: PathBuf::from("/opt/it's/homard"), ..charge() };
    let error = machine.supervisor.install(&odd, Replace::Never).await.unwrap_err();
    assert!(matches!(error, SupervisorError::OddPath { .. }), "{error}");
    assert!(machine.home().is_empty() && machine.asked().is_empty());
}
