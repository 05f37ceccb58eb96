//! The gateway as a service, with a stand-in for `systemctl` that starts and stops what the unit says.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use homard_testkit::{TEST_TOKEN, TestHome, free_port};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::as_owner;

/// Starts `ExecStart` with the unit's variables and returns when the gateway is well, as systemd does once it heard that
/// it is ready; stopping returns when it is gone.
const SYSTEMCTL: &str = r#"#!/bin/sh
set -eu
books=$(dirname "$0")/books
[ "$1" = --user ] || { echo "Unexpected scope $1" >&2; exit 1; }
shift
verb=$1; shift
unit=$HOME/.config/systemd/user/homard.service
# One that ended and that nobody has asked about yet does not run.
runs() { [ -e "$books/pid" ] && grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$(cat "$books/pid")/status"; }
start() {
  runs && return 0
  command=$(sed -n 's/^ExecStart=//p' "$unit")
  sed -n 's/^Environment=//p' "$unit" > "$books/environment"
  env -i HOME="$HOME" $(cat "$books/environment") sh -c "exec $command" > "$books/out" 2>&1 < /dev/null &
  echo $! > "$books/pid"
  until "$HOMARD_UNDER_TEST" health --timeout 5000 > /dev/null 2>&1; do
    runs || { cat "$books/out" >&2; echo "Job for homard.service failed." >&2; exit 1; }
  done
}
stop() {
  runs || return 0
  kill "$(cat "$books/pid")"
  while runs; do :; done
}
case $verb in
  show-environment) ;;
  daemon-reload) if [ -e "$unit" ]; then : > "$books/loaded"; else rm -f "$books/loaded"; fi ;;
  enable) : > "$books/enabled" ;;
  start) start ;;
  stop) stop ;;
  restart) stop; start ;;
  disable) if [ "$1" = --now ]; then stop; fi; rm -f "$books/enabled" ;;
  show)
    if [ -e "$books/loaded" ]; then echo LoadState=loaded; else echo LoadState=not-found; fi
    if [ -e "$books/enabled" ]; then echo UnitFileState=enabled; else echo UnitFileState=disabled; fi
    if runs; then echo ActiveState=active; echo "MainPID=$(cat "$books/pid")"; else echo ActiveState=inactive; echo MainPID=0; fi ;;
  *) echo "Unknown command verb '$verb'." >&2; exit 1 ;;
esac
"#;

/// Somebody's machine with systemd on it.
struct Machine {
    home: TestHome,
    port: u16,
}

impl Machine {
    fn new() -> Self {
        let port = free_port().unwrap();
        let home = TestHome::with_config(&json!({"gateway": {"port": port, "auth": {"token": TEST_TOKEN}}}))
            .unwrap();
        let bin = home.path().join("bin");
        fs::create_dir_all(bin.join("books")).unwrap();
        // The way to the program is compiled in, because supervisors hand their programs few variables.
        let script = SYSTEMCTL.replace("$HOMARD_UNDER_TEST", crate::homard());
        let script = script.replacen(
            "set -eu",
            &format!("set -eu\nexport HOMARD_STATE_DIR='{}'", home.state_dir().display()),
            1,
        );
        fs::write(bin.join("systemctl"), script).unwrap();
        fs::set_permissions(bin.join("systemctl"), fs::Permissions::from_mode(0o755)).unwrap();
        Self { home, port }
    }

    /// Whether it worked, and what it said on standard output and on standard error.
    async fn said(&self, words: &[&str]) -> (bool, [String; 2]) {
        let mut command = Command::new(crate::homard());
        command.args(words);
        let mut command = as_owner(command, &self.home);
        command.env("PATH", format!("{}/bin:/usr/bin:/bin", self.home.path().display()));
        command.env("ANTHROPIC_API_KEY", "a-secret-of-this-shell");
        let output = command.output().await.unwrap();
        (output.status.success(), [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()))
    }

    async fn homard(&self, words: &[&str]) -> (bool, String) {
        let (is_well, said) = self.said(words).await;
        (is_well, said.concat())
    }

    async fn json(&self, words: &[&str]) -> Value {
        let (_, [said, _]) = self.said(&[words, &["--json"]].concat()).await;
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{words:?}: {error}: {said}"))
    }
}

#[tokio::test]
async fn a_gateway_lives_as_a_service_from_install_to_uninstall() {
    let machine = Machine::new();
    let (_, none) = machine.homard(&["daemon", "status"]).await;
    assert!(none.contains("not installed as a service") && none.contains("homard daemon install"), "{none}");
    let (ok, said) = machine.homard(&["daemon", "install"]).await;
    assert!(ok && said.contains("The gateway runs"), "{said}");
    assert!(said.contains("ANTHROPIC_API_KEY") && !said.contains("a-secret-of-this-shell"), "{said}");
    let unit = machine.home.path().join(".config/systemd/user/homard.service");
    let text = fs::read_to_string(&unit).unwrap();
    for secret in ["a-secret-of-this-shell", TEST_TOKEN] {
        assert!(!text.contains(secret), "{text}");
    }
    let (ok, health) = machine.homard(&["health"]).await;
    assert!(ok, "{health}");
    let status = machine.json(&["daemon", "status"]).await;
    assert_eq!(
        (&status["ok"], &status["state"], &status["enabled"]),
        (&json!(true), &json!("running"), &json!(true))
    );
    let first = status["pid"].clone();
    assert_eq!(machine.json(&["daemon", "restart"]).await["ok"], true);
    assert_ne!(machine.json(&["daemon", "status"]).await["pid"], first, "another process");
    assert_eq!(machine.json(&["gateway", "stop"]).await["ok"], true);
    assert_eq!(machine.json(&["daemon", "status"]).await["state"], "stopped");
    let (ok, said) = machine.homard(&["gateway", "restart"]).await;
    assert!(ok && said.contains("The service runs"), "{said}");
    assert_eq!(machine.json(&["gateway", "uninstall"]).await["ok"], true);
    assert!(!unit.exists() && machine.home.config_path().exists());
    assert!(!machine.homard(&["health"]).await.0);
}

#[tokio::test]
async fn a_gateway_that_does_not_start_is_not_installed() {
    let machine = Machine::new();
    let taken = tokio::net::TcpListener::bind(("127.0.0.1", machine.port)).await.unwrap();
    let before = machine.home.path().join(".config").exists();
    let failed = machine.json(&["daemon", "install"]).await;
    assert_eq!(failed["ok"], false, "{failed}");
    assert!(failed["error"].as_str().unwrap().contains("Job for homard.service failed"), "{failed}");
    assert_eq!(machine.home.path().join(".config").exists(), before, "nothing is left behind");
    drop(taken);
    assert_eq!(machine.json(&["daemon", "install"]).await["ok"], true);
    assert_eq!(machine.json(&["daemon", "uninstall"]).await["ok"], true);
}

#[tokio::test]
async fn without_a_service_manager_it_says_what_to_do() {
    let machine = Machine::new();
    fs::remove_file(machine.home.path().join("bin/systemctl")).unwrap();
    let mut command = Command::new(crate::homard());
    command.args(["gateway", "install"]);
    let mut command = as_owner(command, &machine.home);
    let output = command.env("PATH", machine.home.path().join("bin")).output().await.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("has no systemd") && said.contains("run `homard gateway` under"), "{said}");
    assert!(!machine.home.path().join(".config").exists());
    let shown = machine.homard(&["daemon", "install", "--dry-run", "--port", "4000"]).await;
    assert!(shown.0 && shown.1.contains("gateway run --port 4000"), "{}", shown.1);
}

#[tokio::test]
async fn the_setup_installs_the_service_where_somebody_asks_for_it() {
    let machine = Machine::new();
    let quiet = ["onboard", "--non-interactive", "--accept-risk", "--auth-choice", "skip"];
    let with =
        |more: &[&'static str]| quiet.iter().copied().chain(more.iter().copied()).collect::<Vec<&str>>();
    assert_eq!(machine.json(&with(&[])).await["service"], json!(null));
    let (ok, both) = machine.homard(&with(&["--install-daemon", "--skip-daemon"])).await;
    assert!(!ok && both.contains("cannot be used with"), "{both}");
    let done = machine.json(&with(&["--install-daemon"])).await;
    assert_eq!(done["service"]["installed"], true, "{done}");
    assert!(machine.homard(&["health"]).await.0);
    // Doing it again changes nothing.
    assert_eq!(machine.json(&with(&["--install-daemon"])).await["service"]["installed"], true);
    assert_eq!(machine.json(&["daemon", "uninstall"]).await["ok"], true);
    fs::remove_file(machine.home.path().join("bin/systemctl")).unwrap();
    let before = fs::read_to_string(machine.home.config_path()).unwrap();
    let mut command = Command::new(crate::homard());
    command.args(with(&["--install-daemon", "--json"]));
    let mut command = as_owner(command, &machine.home);
    let output = command.env("PATH", machine.home.path().join("bin")).output().await.unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
    assert!(!output.status.success() && said.contains("has no systemd"), "{said}");
    assert_eq!(fs::read_to_string(machine.home.config_path()).unwrap(), before, "nothing was written");
}
