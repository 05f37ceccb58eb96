//! What a node offers and how it answers; also the machine in a folder that the other tests use.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use homard_exec::approvals::PolicyStore;
use homard_runtime::Clock;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{CommandAnswer, CommandCall, Failure, Reply, call, offered};
use crate::machine::Machine;

/// A machine in a folder of its own, with `bin` first on its path.
pub(super) struct Lab {
    folder: TempDir,
    pub(super) machine: Machine,
}

impl Lab {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "bin", "dev"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let bin = folder.path().join("bin");
        let variables: BTreeMap<String, String> = [
            ("PATH".to_owned(), format!("{}:/usr/bin:/bin", bin.display())),
            ("DISPLAY".to_owned(), ":7".to_owned()),
        ]
        .into();
        let home = folder.path().join("home");
        let policy = PolicyStore::new(folder.path().join("exec-approvals.json"));
        let mut machine = Machine::new(&variables, &home, policy, Clock::system());
        machine.devices = folder.path().join("dev");
        Self { folder, machine }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn program(&self, name: &str, script: &str) {
        let path = self.path().join("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(super) fn rules(&self, file: &Value) {
        std::fs::write(self.machine.policy.path(), file.to_string()).unwrap();
    }

    pub(super) async fn ask(&self, name: &str, params: Value) -> Reply {
        self.watch(name, params, CancellationToken::new()).await.0
    }

    /// The answer, and what was said on the way.
    pub(super) async fn watch(
        &self,
        name: &str,
        params: Value,
        cancel: CancellationToken,
    ) -> (Reply, Vec<CommandAnswer>) {
        let (said, mut heard) = mpsc::channel(1_000);
        let machine = Arc::new(self.machine.clone());
        let asked = CommandCall {
            machine,
            params,
            session_key: Some("agent:main:main".into()),
            timeout_ms: None,
            cancel,
            said,
        };
        let reply = call(name, asked).await;
        let mut all = Vec::new();
        while let Some(said) = heard.recv().await {
            all.push(said);
        }
        (reply, all)
    }
}

fn code(reply: Reply) -> &'static str {
    reply.unwrap_err().code
}

#[test]
fn only_what_the_machine_can_do_is_offered() {
    let lab = Lab::new();
    let always = [
        "fs.listDir",
        "system.execApprovals.get",
        "system.execApprovals.set",
        "system.run",
        "system.run.prepare",
        "system.which",
    ];
    let mut machine = lab.machine.clone();
    machine.env = homard_exec::BuiltEnv::from_base(&[("PATH".to_owned(), "/nowhere".to_owned())].into());
    assert_eq!(offered(&machine).1, always);
    assert_eq!(offered(&machine).0, ["fs", "system"]);

    lab.program("ffmpeg", "exit 0");
    lab.program("notify-send", "exit 0");
    std::fs::write(lab.path().join("dev/video0"), "").unwrap();
    let (caps, commands) = offered(&lab.machine);
    assert_eq!(caps, ["camera", "fs", "screen", "system"]);
    for name in ["camera.snap", "camera.clip", "camera.list", "screen.record", "system.notify"] {
        assert!(commands.iter().any(|offered| offered == name), "{name}");
    }
}

#[tokio::test]
async fn what_is_not_offered_is_not_done() {
    let lab = Lab::new();
    for name in ["camera.list", "system.reboot", "", "SYSTEM.RUN"] {
        assert_eq!(code(lab.ask(name, json!({})).await), "UNAVAILABLE", "{name}");
    }
}

#[tokio::test]
async fn parameters_that_make_no_sense_are_refused() {
    let lab = Lab::new();
    let cases = [
        ("system.run", json!({})),
        ("system.run", json!({"command": []})),
        ("system.run", json!({"command": [""]})),
        ("system.run", json!({"command": "ls"})),
        ("system.run", json!({"command": ["ls\u{0}"]})),
        ("system.run", json!([])),
        ("system.which", json!({})),
        ("system.which", json!({"bins": vec!["x"; 501]})),
        ("system.execApprovals.set", json!({})),
        ("system.execApprovals.set", json!({"file": 1})),
        ("fs.listDir", json!({"path": "relative/path"})),
        ("fs.listDir", json!({"path": 1})),
    ];
    for (name, params) in cases {
        assert_eq!(code(lab.ask(name, params.clone()).await), "INVALID_REQUEST", "{name} {params}");
    }
}

#[tokio::test]
async fn programs_are_found_on_the_path_and_nowhere_else() {
    let lab = Lab::new();
    lab.program("tool", "exit 0");
    std::fs::write(lab.path().join("bin/no-program"), "").unwrap();
    let bins = json!({"bins": ["tool", "no-program", "missing-tool", "/bin/sh", "../bin/tool", ""]});
    let found = lab.ask("system.which", bins).await.unwrap();
    let place = lab.path().join("bin/tool").display().to_string();
    assert_eq!(found, json!({"bins": {"tool": place}}));
}

#[tokio::test]
async fn folders_are_listed_and_files_are_not() {
    let lab = Lab::new();
    for name in ["home/b", "home/A", "home/.hidden"] {
        std::fs::create_dir(lab.path().join(name)).unwrap();
    }
    std::fs::write(lab.path().join("home/file"), "").unwrap();
    let listed = lab.ask("fs.listDir", json!({})).await.unwrap();
    let names: Vec<&str> =
        listed["entries"].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert_eq!(names, [".hidden", "A", "b"]);
    assert_eq!(listed["entries"][0]["hidden"], true);
    assert_eq!(listed, lab.ask("fs.listDir", json!({"path": "~"})).await.unwrap());
    assert_eq!(lab.ask("fs.listDir", json!({"path": "~/b"})).await.unwrap()["parent"], listed["path"]);
    assert_eq!(code(lab.ask("fs.listDir", json!({"path": "/no/such/folder"})).await), "UNAVAILABLE");
}

#[tokio::test]
async fn the_list_is_changed_only_by_who_has_seen_it() {
    let lab = Lab::new();
    let empty = lab.ask("system.execApprovals.get", json!({})).await.unwrap();
    assert_eq!(empty["exists"], false);
    let file = json!({"version": 1, "defaults": {"security": "full"}});
    let set = lab.ask("system.execApprovals.set", json!({"file": file})).await.unwrap();
    assert_eq!((&set["exists"], &set["file"]["defaults"]["security"]), (&json!(true), &json!("full")));
    let stale = json!({"file": file, "baseHash": empty["hash"]});
    assert_eq!(code(lab.ask("system.execApprovals.set", stale).await), "INVALID_REQUEST");
    let fresh = json!({"file": {"version": 1}, "baseHash": set["hash"]});
    assert!(lab.ask("system.execApprovals.set", fresh).await.is_ok());
}

#[tokio::test]
async fn notes_are_words_whatever_they_begin_with() {
    let lab = Lab::new();
    lab.program("notify-send", r#"printf '%s\n' "$@" > note"#);
    assert_eq!(code(lab.ask("system.notify", json!({"title": " "})).await), "INVALID_REQUEST");
    let note = json!({"title": "--help", "body": "hello", "priority": "timeSensitive"});
    assert_eq!(lab.ask("system.notify", note).await.unwrap(), json!({"ok": true}));
    let written = std::fs::read_to_string(lab.path().join("home/note")).unwrap();
    assert_eq!(written, "--app-name=Homard\n--urgency\ncritical\n--\n--help\nhello\n");
    lab.program("notify-send", "echo no daemon; exit 1");
    let failed: Failure = lab.ask("system.notify", json!({"title": "x"})).await.unwrap_err();
    assert!(failed.message.contains("no daemon"), "{failed:?}");
}
