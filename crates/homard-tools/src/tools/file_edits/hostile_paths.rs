//! Hostile paths through every file tool: none leads out, none blocks, none leaves anything behind.

use std::fs;
use std::os::unix::fs::symlink;

use homard_runtime::Clip as _;
use serde_json::{Value, json};

use crate::outcome::ToolOutcome;
use crate::workbench::Workbench;

/// What must not be read and must not change.
const SECRET: &str = "the secret\n";

/// A workspace with traps in it and something outside it.
async fn trapped() -> Workbench {
    let bench = Workbench::new();
    let outside = bench.root.join("outside");
    fs::create_dir_all(outside.join("dir")).unwrap();
    fs::write(outside.join("secret"), SECRET).unwrap();
    fs::write(bench.at("file"), "inside\n").unwrap();
    symlink(&outside, bench.at("parent")).unwrap();
    symlink("../outside/secret", bench.at("link")).unwrap();
    symlink("link", bench.at("chain1")).unwrap();
    symlink("chain1", bench.at("chain2")).unwrap();
    symlink("../outside/new", bench.at("dangling")).unwrap();
    symlink("loop", bench.at("loop")).unwrap();
    symlink("/proc/self", bench.at("me")).unwrap();
    symlink("/dev/zero", bench.at("zero")).unwrap();
    assert!(!bench.call("run", "exec", json!({"command": "mkfifo pipe"})).await.is_error);
    bench
}

/// A call of every file tool that would do something to `path`.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let patch = |body: String| json!({"input": format!("*** Begin Patch\n{body}\n*** End Patch")});
    vec![
        ("read", json!({"path": path})),
        ("write", json!({"path": path, "content": "taken"})),
        ("edit", json!({"path": path, "oldText": "the", "newText": "taken"})),
        ("apply_patch", patch(format!("*** Add File: {path}\n+taken"))),
        ("apply_patch", patch(format!("*** Delete File: {path}"))),
        ("apply_patch", patch(format!("*** Update File: {path}\n@@\n-the secret\n+taken"))),
        ("apply_patch", patch(format!("*** Update File: file\n*** Move to: {path}\n@@\n-inside\n+taken"))),
    ]
}

fn words(outcome: &ToolOutcome) -> String {
    outcome.content.iter().filter_map(|block| block.as_text()).collect()
}

fn untouched(bench: &Workbench, what: &str) {
    assert_eq!(fs::read_to_string(bench.root.join("outside/secret")).unwrap(), SECRET, "{what}");
    assert_eq!(fs::read_dir(bench.root.join("outside")).unwrap().count(), 2, "{what}");
    assert_eq!(fs::read_dir(bench.root.join("outside/dir")).unwrap().count(), 0, "{what}");
    assert_eq!(bench.text("file"), "inside\n", "{what}");
}

#[tokio::test]
async fn no_hostile_path_leads_out_through_any_file_tool() {
    let bench = trapped().await;
    let before = fs::read_dir(&bench.workspace).unwrap().count();
    let absolute = bench.root.join("outside/secret").display().to_string();
    let deep = format!("{}../outside/secret", "sub/../".repeat(300));
    let long = "a/".repeat(2_049);
    let wide = "a".repeat(4_097);
    let hostile: [&str; 25] = [
        "../outside/secret",
        "../outside/new",
        "./x/../../outside/secret",
        "file/../../outside/secret",
        "link",
        "chain2",
        "dangling",
        "parent/secret",
        "parent/new",
        "parent/dir/new",
        "parent/../outside/secret",
        "loop",
        "loop/x",
        "me/environ",
        "me/root/etc/passwd",
        "/proc/self/environ",
        "/etc/passwd",
        "/dev/null",
        "zero",
        "~/outside/secret",
        "",
        "a\0b",
        &absolute,
        &long,
        &wide,
    ];
    for path in hostile.into_iter().chain([deep.as_str()]) {
        for (tool, arguments) in calls(path) {
            let outcome = bench.call("run", tool, arguments.clone()).await;
            let shown = path.clip_chars(60);
            assert!(outcome.is_error, "{tool} took {shown:?}: {outcome:?}");
            assert!(!words(&outcome).contains("root:"), "{tool} {shown:?}");
            untouched(&bench, &format!("{tool} {shown:?}"));
        }
    }
    assert_eq!(fs::read_dir(&bench.workspace).unwrap().count(), before, "nothing was left behind");
}

#[tokio::test]
async fn pipes_and_devices_never_block_even_where_everything_may_be_reached() {
    let mut bench = trapped().await;
    bench.workspace_only = Some(false);
    for path in ["pipe", "zero", "/dev/zero", "/dev/full", "/dev/tty", ".", "/proc/self/fd"] {
        for (tool, arguments) in calls(path) {
            let outcome = bench.call("run", tool, arguments).await;
            assert!(outcome.is_error, "{tool} took {path}: {outcome:?}");
        }
    }
    untouched(&bench, "pipes and devices");
}

#[tokio::test]
async fn a_runs_own_word_about_the_workspace_counts() {
    let mut bench = trapped().await;
    let read = json!({"path": "../outside/secret"});
    assert!(bench.call("run", "read", read.clone()).await.is_error);
    bench.workspace_only = Some(false);
    assert_eq!(words(&bench.call("run", "read", read.clone()).await), SECRET);
    bench.workspace_only = None;
    assert!(bench.call("run", "read", read).await.is_error, "as the tools were built");
    // The patch tool was built to roam; only a run can keep it in.
    let patch = json!({"input": "*** Begin Patch\n*** Add File: ../outside/dir/new\n+x\n*** End Patch"});
    assert!(!bench.call("run", "apply_patch", patch.clone()).await.is_error);
    bench.workspace_only = Some(true);
    let again = patch.to_string().replace("dir/new", "dir/newer");
    assert!(bench.call("run", "apply_patch", serde_json::from_str(&again).unwrap()).await.is_error);
}

#[tokio::test]
async fn names_that_only_look_alike_are_different_files() {
    let bench = Workbench::new();
    let (composed, decomposed) = ("caf\u{e9}.txt", "cafe\u{301}.txt");
    fs::write(bench.at(composed), "composed").unwrap();
    assert!(bench.call("run", "read", json!({"path": decomposed})).await.is_error);
    let write = json!({"path": decomposed, "content": "decomposed"});
    assert!(!bench.call("run", "write", write).await.is_error);
    assert_eq!(
        (bench.text(composed), bench.text(decomposed)),
        ("composed".to_owned(), "decomposed".to_owned())
    );
    // Wide dots and slashes are letters like others, and lead nowhere.
    for name in ["\u{ff0e}\u{ff0e}/escaped", "..\u{2215}escaped", "\u{2025}/escaped"] {
        let outcome = bench.call("run", "write", json!({"path": name, "content": "x"})).await;
        assert!(!outcome.is_error, "{outcome:?}");
        assert_eq!(bench.text(name), "x");
    }
    assert!(!bench.root.join("escaped").exists());
}

#[tokio::test]
async fn a_log_of_200_megabytes_is_shown_a_page_at_a_time() {
    let bench = Workbench::new();
    let log = fs::File::create(bench.at("big.log")).unwrap();
    fs::write(bench.at("big.log"), "first line\n".repeat(1_000)).unwrap();
    // The rest is a hole: it takes no room on the disk and reads as one endless line.
    log.set_len(200 * 1024 * 1024).unwrap();
    let outcome = bench.call("run", "read", json!({"path": "big.log", "limit": 3})).await;
    assert!(!outcome.is_error, "{outcome:?}");
    assert!(words(&outcome).starts_with("first line\nfirst line\nfirst line\n"), "{outcome:?}");
    let outcome = bench.call("run", "read", json!({"path": "big.log", "offset": 1_001})).await;
    assert!(words(&outcome).len() < 64 * 1024, "{} bytes", words(&outcome).len());
}
