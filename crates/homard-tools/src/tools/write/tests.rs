//! Files are replaced in one step and keep their mode.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::json;

use super::{MAX_BYTES, WriteInput, write};
use crate::files::paths::Paths;
use crate::files::undo::Keeper;
use crate::outcome::ToolOutcome;

fn put(workspace: &Path, path: &str, content: &str) -> ToolOutcome {
    let paths = Paths::new(workspace, true);
    let input = WriteInput { path: path.to_owned(), content: content.to_owned() };
    write(&paths, workspace, &input, &Keeper::nothing()).into()
}

#[test]
fn parents_are_created_and_the_answer_says_what_happened() {
    let dir = tempfile::tempdir().unwrap();
    let new = put(dir.path(), "a/b/c.txt", "héllo");
    assert_eq!(new.details, Some(json!({"bytes": 6, "created": true})));
    let again = put(dir.path(), "a/b/c.txt", "");
    assert_eq!(again.details, Some(json!({"bytes": 0, "created": false})));
    assert_eq!(std::fs::read(dir.path().join("a/b/c.txt")).unwrap(), b"");
    assert_eq!(std::fs::read_dir(dir.path().join("a/b")).unwrap().count(), 1, "nothing temporary is left");
}

#[test]
fn a_replaced_file_keeps_its_mode() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("run.sh");
    std::fs::write(&script, "old").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o750)).unwrap();
    assert!(!put(dir.path(), "run.sh", "new").is_error);
    assert_eq!(script.metadata().unwrap().permissions().mode() & 0o7777, 0o750);
}

#[test]
fn a_link_stays_a_link_and_its_target_changes() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("target"), "old").unwrap();
    symlink("target", dir.path().join("link")).unwrap();
    assert!(!put(dir.path(), "link", "new").is_error);
    assert!(dir.path().join("link").symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(dir.path().join("target")).unwrap(), "new");
}

#[test]
fn refusals_leave_everything_as_it_was() {
    let outer = tempfile::tempdir().unwrap();
    let workspace = outer.path().join("ws");
    std::fs::create_dir_all(workspace.join("dir")).unwrap();
    symlink(outer.path(), workspace.join("out")).unwrap();
    for path in ["dir", "../escaped", "out/escaped", "out/new/escaped", "", "a\0b"] {
        assert!(put(&workspace, path, "x").is_error, "{path:?}");
    }
    assert!(put(&workspace, "big", &"x".repeat(MAX_BYTES + 1)).is_error);
    assert!(workspace.join("dir").is_dir());
    assert_eq!(std::fs::read_dir(outer.path()).unwrap().count(), 1, "nothing was written outside");
}
