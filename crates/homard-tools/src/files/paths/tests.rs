//! No path leads out of the workspace.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::{ProptestConfig, prop, prop_assert, proptest};
use tempfile::TempDir;

use super::{MAX_PATH_CHARS, PathError, Paths};

/// A workspace with links of every kind, and something outside it.
fn world() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let workspace = root.join("ws");
    std::fs::create_dir_all(workspace.join("sub/deep")).unwrap();
    std::fs::create_dir_all(root.join("outside/dir")).unwrap();
    std::fs::create_dir_all(root.join("ws-twin")).unwrap();
    std::fs::write(workspace.join("file"), "x").unwrap();
    std::fs::write(root.join("outside/secret"), "x").unwrap();
    symlink(root.join("outside"), workspace.join("out")).unwrap();
    symlink("../outside/secret", workspace.join("out-file")).unwrap();
    symlink("../outside/not-yet", workspace.join("out-dangling")).unwrap();
    symlink("sub", workspace.join("in")).unwrap();
    symlink("loop", workspace.join("loop")).unwrap();
    symlink("..", workspace.join("sub/up")).unwrap();
    (dir, workspace)
}

fn paths(workspace: &Path, workspace_only: bool) -> Paths {
    Paths::new(&workspace.join("sub"), workspace_only)
}

#[test]
fn the_guard_follows_the_system_not_the_text() {
    let (_dir, workspace) = world();
    let inside = |rest: &str| Some(workspace.join(rest));
    let rows: [(&str, Option<PathBuf>); 26] = [
        ("file", inside("file")),
        ("./file", inside("file")),
        ("sub/../file", inside("file")),
        ("new", inside("new")),
        ("new/deeper/file", inside("new/deeper/file")),
        ("in/new", inside("sub/new")),
        ("in/up/file", inside("file")),
        ("~", inside("sub")),
        ("~/notes", inside("sub/notes")),
        ("~other", inside("~other")),
        (".", Some(workspace.clone())),
        ("..", None),
        ("../ws-twin/x", None),
        ("../outside/secret", None),
        ("sub/../../outside/secret", None),
        ("out/secret", None),
        ("out/new", None),
        ("out/new/deeper", None),
        ("out-file", None),
        ("out-dangling", None),
        ("in/up/out/secret", None),
        ("in/up/../outside", None),
        ("new/../../outside", None),
        ("/etc/passwd", None),
        ("/", None),
        ("~/../../outside", None),
    ];
    for (raw, expected) in rows {
        match (paths(&workspace, true).resolve(&workspace, raw), expected) {
            (Ok(real), Some(expected)) => assert_eq!(real, expected, "{raw}"),
            (Err(PathError::Outside { .. }), None) => {}
            (got, expected) => panic!("{raw}: {got:?}, expected {expected:?}"),
        }
    }
}

#[test]
fn a_file_named_as_a_directory_is_refused() {
    let (_dir, workspace) = world();
    let got = paths(&workspace, true).resolve(&workspace, "file/x");
    assert!(matches!(got, Err(PathError::Look { .. })), "{got:?}");
}

#[test]
fn texts_that_are_no_paths_are_refused() {
    let (_dir, workspace) = world();
    let resolve = |raw: &str| paths(&workspace, false).resolve(&workspace, raw);
    assert!(matches!(resolve(""), Err(PathError::Empty)));
    assert!(matches!(resolve("  "), Err(PathError::Empty)));
    assert!(matches!(resolve("a\0b"), Err(PathError::Nul)));
    assert!(matches!(resolve(&"a/".repeat(MAX_PATH_CHARS)), Err(PathError::TooLong { .. })));
    assert!(matches!(resolve("loop"), Err(PathError::TooManyLinks { .. })));
}

#[test]
fn without_the_rule_paths_outside_are_fine() {
    let (_dir, workspace) = world();
    let resolve = |raw: &str| paths(&workspace, false).resolve(&workspace, raw).unwrap();
    let outside = workspace.parent().unwrap().join("outside");
    assert_eq!(resolve("out/secret"), outside.join("secret"));
    assert_eq!(resolve("out-dangling"), outside.join("not-yet"));
    assert_eq!(resolve("/"), Path::new("/"));
}

#[test]
fn a_workspace_behind_a_link_is_still_the_workspace() {
    let (_dir, workspace) = world();
    let link = workspace.parent().unwrap().join("link");
    symlink(&workspace, &link).unwrap();
    let got = paths(&workspace, true).resolve(&link, "file").unwrap();
    assert_eq!(got, workspace.join("file"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_mix_of_parts_escapes(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "..", ".", "", "~", "file", "sub", "deep", "in", "up", "out", "out-file", "out-dangling", "loop", "new",
                "outside", "ws", "ws-twin", "é", " ",
            ]),
            0..8,
        ),
        absolute in prop::bool::ANY,
    ) {
        let (_dir, workspace) = world();
        let joined = parts.join("/");
        let raw = if absolute { format!("{}/{joined}", workspace.display()) } else { joined };
        if let Ok(real) = paths(&workspace, true).resolve(&workspace, &raw) {
            prop_assert!(real.starts_with(&workspace), "{raw} became {}", real.display());
            // The deepest part that exists is where the system would go: it must be inside, too.
            let there = real.ancestors().find_map(|part| part.canonicalize().ok()).unwrap();
            prop_assert!(there.starts_with(&workspace), "{raw} leads to {}", there.display());
        }
    }

    #[test]
    fn no_text_panics(raw in ".*") {
        let workspace = std::env::temp_dir();
        drop(Paths::new(&workspace, true).resolve(&workspace, &raw));
    }
}
