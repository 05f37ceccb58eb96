//! The gate's decisions, as tables. Whole stories with injected instructions are in `homard-agent/tests/red_team`.

use homard_config::Records;

use super::fetching;
use super::paths::{FilePlace, places};

#[test]
fn commands_that_fetch_are_known() {
    for (command, fetches) in [
        ("curl https://example.org", true),
        ("cd x && /usr/bin/curl -s example.org | head", true),
        ("FOO=1 sudo -E wget example.org", true),
        ("sh -c 'curl example.org'", true),
        ("echo $(curl example.org)", true),
        ("echo `wget -qO- example.org`", true),
        ("git -C repo pull", true),
        ("git clone https://example.org/x.git", true),
        ("python3 -c \"import urllib.request as u; print(u.urlopen('https://example.org').read())\"", true),
        ("xargs curl < list", true),
        ("timeout 10 curl -s example.org", true),
        ("nice -n 5 wget example.org", true),
        ("sudo -u bob curl example.org", true),
        ("if curl -sf example.org; then echo up; fi", true),
        ("for i in 1 2; do curl example.org/$i; done", true),
        ("find . -name '*.url' -exec curl -K {} +", true),
        ("python3.12 fetch.py https://example.org", true),
        ("dig +short TXT example.org", true),
        ("exec 3<>/dev/tcp/example.org/80; cat <&3", true),
        ("git status", false),
        ("git log --grep curl", false),
        ("echo curl", false),
        ("grep -r curl .", false),
        ("cargo build", false),
        ("ls", false),
        ("", false),
    ] {
        assert_eq!(fetching::label(command).is_some(), fetches, "{command}");
    }
}

#[test]
fn files_that_steer_the_assistant_are_told_from_others() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("workspace");
    std::fs::create_dir_all(workspace.join("sub")).unwrap();
    std::os::unix::fs::symlink(dir.path(), workspace.join("way-out")).unwrap();
    std::os::unix::fs::symlink("AGENTS.md", workspace.join("harmless.txt")).unwrap();
    for (name, expected) in [
        ("notes.md", "inside"),
        ("sub/new/notes.md", "inside"),
        ("AGENTS.md", "steers"),
        ("agents.MD", "steers"),
        ("sub/SOUL.md", "steers"),
        ("skills/x/SKILL.md", "steers"),
        ("sub/skills/deep/er/run.sh", "steers"),
        (".git/hooks/pre-commit", "steers"),
        (".git", "steers"),
        (".env", "steers"),
        ("sub/.envrc", "steers"),
        (".husky/pre-push", "steers"),
        (".vscode/tasks.json", "steers"),
        (".Cargo/config.toml", "steers"),
        ("GEMINI.md", "steers"),
        ("\u{17f}KILLS/x/run.sh", "steers"),
        (".g\u{200c}it/config", "steers"),
        ("age\u{200b}nts.md", "steers"),
        ("harmless.txt", "steers"),
        ("../elsewhere.txt", "outside"),
        ("way-out/elsewhere.txt", "outside"),
        ("/etc/hosts", "outside"),
        ("~/.bashrc", "outside"),
    ] {
        let found = places(dir.path(), &workspace, &[name.to_owned()]);
        let told = match &found[..] {
            [FilePlace::Inside(_)] => "inside",
            [FilePlace::Outside(_)] => "outside",
            [FilePlace::Steers(_)] => "steers",
            _ => "nothing",
        };
        assert_eq!(told, expected, "{name}");
    }
}

#[test]
fn the_gateways_own_files_are_told_from_workspaces_beside_them() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let (house, workspace) = (root.join("house"), root.join("house/work"));
    std::fs::create_dir_all(&workspace).unwrap();
    std::os::unix::fs::symlink("../exec-approvals.json", workspace.join("harmless.json")).unwrap();
    let found = |workspace: &std::path::Path, name: &str| {
        let place = places(&root, workspace, &[name.to_owned()]).remove(0);
        Records::in_dir(&house).contain(workspace, place.path())
    };
    for (name, is_of_house) in [
        ("../exec-approvals.json", true),
        ("../homard.json", true),
        ("../agents/main/sessions/x.jsonl", true),
        ("harmless.json", true),
        ("notes.md", false),
        ("../workspace-other/notes.md", false),
        ("../skills/x/SKILL.md", false),
        ("../../elsewhere", false),
    ] {
        assert_eq!(found(&workspace, name), is_of_house, "{name}");
    }
    // A house inside the workspace is no part of the work.
    assert!(found(&root, "house/homard.json"));
}
