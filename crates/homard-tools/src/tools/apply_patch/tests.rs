//! Whole patches on a real workspace, friendly and hostile.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::{ApplyPatchInput, apply_patch};
use crate::files::paths::Paths;
use crate::files::undo::Keeper;
use crate::outcome::ToolOutcome;
use crate::schema;

/// A workspace inside a directory that also holds something that is none of its business.
struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ws = dir.path().join("ws");
        fs::create_dir_all(ws.join("sub")).unwrap();
        fs::write(dir.path().join("secret"), "secret\n").unwrap();
        fs::write(ws.join("a.txt"), "one\ntwo\nthree\n").unwrap();
        fs::write(ws.join("sub/b.txt"), "b\n").unwrap();
        fs::write(ws.join("latin"), b"caf\xe9\n").unwrap();
        symlink("../secret", ws.join("link")).unwrap();
        symlink("..", ws.join("up")).unwrap();
        symlink("a.txt", ws.join("alias")).unwrap();
        Self { dir }
    }

    fn workspace(&self) -> std::path::PathBuf {
        self.dir.path().join("ws")
    }

    fn apply(&self, body: &str, workspace_only: bool) -> ToolOutcome {
        let paths = Paths::new(self.dir.path(), workspace_only);
        let patch = format!("*** Begin Patch\n{body}\n*** End Patch");
        apply_patch(&paths, &self.workspace(), &patch, &Keeper::nothing()).into()
    }

    /// Every file and link there is, with what it holds.
    fn everything(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(self.dir.path(), &mut found);
        found
    }
}

fn collect(dir: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in dir.read_dir().unwrap().flatten() {
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.insert(path.display().to_string(), Vec::new());
            collect(&path, found);
        } else if kind.is_file() {
            found.insert(path.display().to_string(), fs::read(&path).unwrap());
        } else {
            found.insert(path.display().to_string(), b"link".to_vec());
        }
    }
}

fn words(outcome: &ToolOutcome) -> String {
    outcome.content[0].as_text().unwrap().to_owned()
}

#[test]
fn the_description_keeps_the_lines_of_the_format() {
    let (description, _) = schema::describe::<ApplyPatchInput>();
    let lines: Vec<&str> = description.lines().collect();
    assert_eq!(
        lines[1..3],
        ["*** Begin Patch", "*** Add File: path (then every line with +)"],
        "{description}"
    );
    assert!(description.len() < 800, "{description}");
}

#[test]
fn a_patch_adds_changes_moves_and_deletes() {
    let world = World::new();
    let ws = world.workspace();
    fs::set_permissions(ws.join("sub/b.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = world.apply(
        "*** Add File: new/deep.txt\n+hello\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** Update File: sub/b.txt\n*** Move to: moved/b.txt\n-b\n+B\n*** Delete File: latin",
        true,
    );
    assert_eq!(
        (words(&outcome).as_str(), outcome.is_error),
        (
            "added new/deep.txt (1 lines)\nchanged a.txt (1 hunks)\nmoved sub/b.txt to moved/b.txt (1 hunks)\ndeleted latin",
            false
        )
    );
    assert_eq!(fs::read_to_string(ws.join("new/deep.txt")).unwrap(), "hello\n");
    assert_eq!(fs::read_to_string(ws.join("a.txt")).unwrap(), "one\n2\nthree\n");
    assert_eq!(fs::read_to_string(ws.join("moved/b.txt")).unwrap(), "B\n");
    assert_eq!(fs::metadata(ws.join("moved/b.txt")).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(!ws.join("sub/b.txt").exists() && !ws.join("latin").exists());
    let details = outcome.details.unwrap();
    assert_eq!(details["added"][0], "new/deep.txt");
    assert!(details["diff"].as_str().unwrap().contains("-two\n+2\n"));
}

#[test]
fn a_link_inside_the_workspace_is_followed_and_stays_a_link() {
    let world = World::new();
    let outcome = world.apply("*** Update File: alias\n-two\n+2", true);
    assert!(!outcome.is_error, "{outcome:?}");
    assert_eq!(fs::read_to_string(world.workspace().join("a.txt")).unwrap(), "one\n2\nthree\n");
    assert!(world.workspace().join("alias").is_symlink());
}

#[test]
fn what_cannot_be_done_whole_is_not_done_at_all() {
    let world = World::new();
    let before = world.everything();
    let outside = world.dir.path().join("secret").display().to_string();
    let rows = [
        // Out of the workspace.
        ("*** Add File: ../evil\n+x".to_owned(), "`../evil` is outside the workspace"),
        ("*** Add File: sub/../../evil\n+x".to_owned(), "is outside the workspace"),
        (format!("*** Update File: {outside}\n-secret\n+x"), "is outside the workspace"),
        (format!("*** Delete File: {outside}"), "is outside the workspace"),
        ("*** Add File: /etc/homard-evil\n+x".to_owned(), "is outside the workspace"),
        ("*** Add File: ~/evil\n+x".to_owned(), "is outside the workspace"),
        ("*** Update File: link\n-secret\n+x".to_owned(), "is outside the workspace"),
        ("*** Delete File: link".to_owned(), "is outside the workspace"),
        ("*** Add File: up/evil\n+x".to_owned(), "is outside the workspace"),
        ("*** Update File: a.txt\n*** Move to: ../a.txt\n-two".to_owned(), "is outside the workspace"),
        ("*** Update File: a.txt\n*** Move to: up/a.txt\n-two".to_owned(), "is outside the workspace"),
        // Not a path.
        ("*** Add File: a\0b\n+x".to_owned(), "has a NUL character"),
        (format!("*** Add File: {}\n+x", "x".repeat(5000)), "longer than 4096 characters"),
        // Not what is there.
        ("*** Add File: a.txt\n+x".to_owned(), "`a.txt` exists already"),
        ("*** Add File: sub\n+x".to_owned(), "`sub` exists already"),
        ("*** Add File: a.txt/x\n+x".to_owned(), "could not look at `a.txt/x`"),
        ("*** Add File: n\n+x\n*** Add File: n/m\n+x".to_owned(), "is not a directory"),
        ("*** Add File: n/m\n+x\n*** Add File: n\n+x".to_owned(), "is not a directory"),
        ("*** Delete File: a.tx".to_owned(), "there is no file `a.tx`; similar names there: `a.txt`"),
        ("*** Delete File: sub".to_owned(), "`sub` is not a regular file"),
        ("*** Delete File: alias".to_owned(), "`alias` is a symbolic link"),
        ("*** Update File: alias\n*** Move to: c".to_owned(), "`alias` is a symbolic link"),
        ("*** Update File: latin\n-x".to_owned(), "`latin` is not UTF-8 text"),
        ("*** Update File: none\n-x".to_owned(), "there is no file `none`"),
        ("*** Update File: a.txt\n*** Move to: sub/b.txt\n-two".to_owned(), "`sub/b.txt` exists already"),
        ("*** Update File: a.txt\n*** Move to: a.txt\n-two".to_owned(), "is used twice"),
        // The same file twice, under any name.
        (
            "*** Update File: a.txt\n-one\n*** Update File: a.txt\n-two".to_owned(),
            "patch line 4: `a.txt` is used twice (also on patch line 2)",
        ),
        ("*** Update File: a.txt\n-one\n*** Delete File: alias".to_owned(), "is used twice"),
        ("*** Update File: a.txt\n-one\n*** Delete File: sub/../a.txt".to_owned(), "is used twice"),
        // A good section before a bad one.
        (
            "*** Add File: good\n+x\n*** Update File: a.txt\n-nope".to_owned(),
            "patch line 4: `a.txt`, hunk 1 (patch line 5): its lines are not in the file",
        ),
        (
            "*** Delete File: sub/b.txt\n*** Add File: ../evil\n+x".to_owned(),
            "patch line 3: `../evil` is outside",
        ),
        ("*** Update File: a.txt\n-two\n+2\n*** Oops".to_owned(), "patch line 5: expected"),
    ];
    for (body, expected) in rows {
        let outcome = world.apply(&body, true);
        let told = words(&outcome);
        assert!(outcome.is_error && told.starts_with("nothing was changed"), "{body:?}: {told}");
        assert!(told.contains(expected), "{body:?}: {told}");
        assert_eq!(world.everything(), before, "{body:?}");
    }
}

#[test]
fn the_owner_can_let_it_out_of_the_workspace() {
    let world = World::new();
    let outcome = world.apply("*** Update File: link\n-secret\n+known", false);
    assert!(!outcome.is_error, "{outcome:?}");
    assert_eq!(fs::read_to_string(world.dir.path().join("secret")).unwrap(), "known\n");
}
