//! What was replaced comes back exactly, or it is said why not.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use homard_protocol::SessionKey;
use serde_json::json;

use super::{FileState, MAX_FILE, Undo, UndoError, UndoOptions, UndoReport, journal};
use crate::workbench::{SESSION, Workbench};

impl Workbench {
    async fn write(&self, run: &str, path: &str, content: &str) {
        let outcome = self.call(run, "write", json!({"path": path, "content": content})).await;
        assert!(!outcome.is_error, "{outcome:?}");
    }

    fn apply(&self, run: Option<&str>, force: bool) -> Result<UndoReport, UndoError> {
        let session = SessionKey::parse(SESSION).unwrap();
        self.undo.apply(&UndoOptions { session: Some(&session), run, force })
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn everything_a_run_did_with_file_tools_is_put_back() {
    let world = Workbench::new();
    fs::write(world.at("changed"), "old\n").unwrap();
    fs::set_permissions(world.at("changed"), fs::Permissions::from_mode(0o640)).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234_567_890_123);
    fs::File::options().write(true).open(world.at("changed")).unwrap().set_modified(long_ago).unwrap();
    fs::write(world.at("moved"), "one\ntwo\n").unwrap();
    fs::write(world.at("deleted"), "gone\n").unwrap();
    fs::write(world.at("twice"), "first\n").unwrap();
    world.write("run-1", "changed", "new\n").await;
    world.write("run-1", "deep/er/made", "made\n").await;
    world.write("run-1", "twice", "second\n").await;
    let edit = json!({"path": "twice", "oldText": "second", "newText": "third"});
    assert!(!world.call("run-1", "edit", edit).await.is_error);
    let patch = "*** Begin Patch\n*** Update File: moved\n*** Move to: there/moved\n@@\n one\n-two\n+2\n*** Delete File: deleted\n*** End Patch";
    let patched = world.call("run-1", "apply_patch", json!({"input": patch})).await;
    assert!(!patched.is_error, "{patched:?}");
    assert_eq!(
        (world.text("there/moved"), world.text("twice")),
        ("one\n2\n".to_owned(), "third\n".to_owned())
    );

    let report = world.apply(None, false).unwrap();
    assert_eq!((report.restored.len(), report.failed.len()), (6, 0), "{report}");
    assert_eq!(world.text("changed"), "old\n");
    assert_eq!(mode(&world.at("changed")), 0o640);
    assert_eq!(world.at("changed").metadata().unwrap().modified().unwrap(), long_ago);
    assert_eq!((world.text("moved"), world.text("deleted")), ("one\ntwo\n".to_owned(), "gone\n".to_owned()));
    assert_eq!(world.text("twice"), "first\n");
    assert!(!world.at("deep").exists() && !world.at("there").exists(), "folders that were made are gone");

    let again = world.apply(None, false).unwrap_err();
    assert!(matches!(again, UndoError::Nothing), "{again}");
    let named = world.apply(Some("run-1"), false).unwrap_err().to_string();
    assert!(named.contains("was undone already") && named.contains(&report.by), "{named}");
}

#[tokio::test]
async fn an_undo_can_be_undone_and_the_run_undone_again() {
    let world = Workbench::new();
    fs::write(world.at("a"), "old").unwrap();
    world.write("run-1", "a", "new").await;
    world.write("run-1", "b", "made").await;
    let undone = world.apply(None, false).unwrap();
    assert_eq!(world.text("a"), "old");
    let redone = world.apply(Some(&undone.by), false).unwrap();
    assert_eq!((world.text("a"), world.text("b")), ("new".to_owned(), "made".to_owned()));
    assert_eq!(redone.changes.undoes.as_deref(), Some("run-1"));
    world.apply(None, false).unwrap();
    assert_eq!(world.text("a"), "old");
    assert!(!world.at("b").exists());
}

#[tokio::test]
async fn the_last_run_is_undone_first_and_then_the_one_before() {
    let world = Workbench::new();
    world.write("run-1", "a", "1").await;
    world.write("run-2", "a", "2").await;
    let first = world.apply(Some("run-1"), false).unwrap_err();
    let UndoError::Blocked { changes } = &first else { panic!("{first}") };
    let FileState::Changed { by: Some(by) } = &changes.files[0].state else { panic!("{changes:?}") };
    assert!(by.starts_with("run-2 "), "{by}");
    assert_eq!(world.apply(None, false).unwrap().changes.run, "run-2");
    assert_eq!(world.text("a"), "1");
    assert_eq!(world.apply(None, false).unwrap().changes.run, "run-1");
    assert!(!world.at("a").exists());
}

#[tokio::test]
async fn what_changed_since_is_left_alone_unless_somebody_insists() {
    let world = Workbench::new();
    fs::write(world.at("a"), "old").unwrap();
    fs::write(world.at("b"), "old").unwrap();
    world.write("run-1", "a", "new").await;
    world.write("run-1", "b", "new").await;
    fs::write(world.at("a"), "mine").unwrap();
    let refused = world.apply(None, false).unwrap_err().to_string();
    assert!(refused.contains("changed since, by a command or another program"), "{refused}");
    assert!(
        refused.contains("/a`") && !refused.contains("/b`"),
        "only what is in the way is named: {refused}"
    );
    assert_eq!((world.text("a"), world.text("b")), ("mine".to_owned(), "new".to_owned()), "all or nothing");
    let report = world.apply(None, true).unwrap();
    assert_eq!((world.text("a"), world.text("b")), ("old".to_owned(), "old".to_owned()));
    world.apply(Some(&report.by), false).unwrap();
    assert_eq!(world.text("a"), "mine", "what was forced away is kept too");
}

#[tokio::test]
async fn a_change_between_two_of_the_run_is_not_lost_silently() {
    let world = Workbench::new();
    fs::write(world.at("a"), "old").unwrap();
    world.write("run-1", "a", "new").await;
    fs::write(world.at("a"), "mine").unwrap();
    world.write("run-1", "a", "newer").await;
    let refused = world.apply(None, false).unwrap_err().to_string();
    assert!(refused.contains("between two changes of the run"), "{refused}");
    world.apply(None, true).unwrap();
    assert_eq!(world.text("a"), "old");
}

#[tokio::test]
async fn a_change_that_was_noted_and_never_made_needs_no_undo() {
    let world = Workbench::new();
    fs::write(world.at("a"), "old").unwrap();
    world.write("run-1", "a", "new").await;
    // As after a crash between the note and the change.
    fs::remove_file(world.at("a")).unwrap();
    fs::write(world.at("a"), "old").unwrap();
    let report = world.apply(None, false).unwrap();
    assert_eq!((report.restored.len(), world.text("a")), (0, "old".to_owned()), "{report}");
    assert_eq!(report.changes.files[0].state, FileState::AsBefore);
}

#[tokio::test]
async fn a_patch_killed_half_way_is_undone_from_its_journal() {
    let world = Workbench::new();
    for name in ["a", "b"] {
        fs::write(world.at(name), "old\n").unwrap();
    }
    let section = |name: &str| format!("*** Update File: {name}\n@@\n-old\n+new\n");
    let patch = format!("*** Begin Patch\n{}{}*** End Patch", section("a"), section("b"));
    assert!(!world.call("run-1", "apply_patch", json!({"input": patch})).await.is_error);
    // As if the process had died after the first file: both are noted, one is changed.
    fs::write(world.at("b"), "old\n").unwrap();
    let report = world.apply(None, false).unwrap();
    assert_eq!((world.text("a"), world.text("b")), ("old\n".to_owned(), "old\n".to_owned()));
    assert_eq!(report.restored.len(), 1, "{report}");
}

#[tokio::test]
async fn a_patch_that_does_not_fit_leaves_nothing_behind_and_nothing_to_undo() {
    let world = Workbench::new();
    fs::write(world.at("a"), "old\n").unwrap();
    let patch =
        "*** Begin Patch\n*** Update File: a\n@@\n-old\n+new\n*** Update File: a2\n@@\n-x\n+y\n*** End Patch";
    assert!(world.call("run-1", "apply_patch", json!({"input": patch})).await.is_error);
    assert_eq!(world.text("a"), "old\n");
    assert!(matches!(world.apply(None, false), Err(UndoError::Nothing)));
}

#[tokio::test]
async fn a_file_too_large_to_keep_is_said_to_be_so() {
    let world = Workbench::new();
    fs::File::create(world.at("big")).unwrap().set_len(MAX_FILE + 1).unwrap();
    world.write("run-1", "big", "small").await;
    let refused = world.apply(None, true).unwrap_err().to_string();
    assert!(refused.contains("are not kept") && refused.contains(&MAX_FILE.to_string()), "{refused}");
    assert_eq!(world.text("big"), "small");
}

#[tokio::test]
async fn a_run_that_only_ran_commands_says_so_and_names_the_one_before() {
    let world = Workbench::new();
    world.write("run-1", "a", "x").await;
    assert!(!world.call("run-2", "exec", json!({"command": "echo y > a"})).await.is_error);
    let refused = world.apply(None, false).unwrap_err().to_string();
    assert!(refused.contains("Commands ran in it") && refused.contains("--run run-1"), "{refused}");
    let refused = world.apply(Some("run-1"), false).unwrap_err().to_string();
    assert!(refused.contains("by a command or another program"), "{refused}");
}

#[tokio::test]
async fn keeping_costs_no_copy_and_nobody_else_can_read_it() {
    let world = Workbench::new();
    fs::write(world.at("a"), "old").unwrap();
    fs::write(world.at("linked"), "old").unwrap();
    fs::hard_link(world.at("linked"), world.at("other-name")).unwrap();
    let inode = world.at("a").metadata().unwrap().ino();
    world.write("run-1", "a", "new").await;
    world.write("run-1", "linked", "new").await;
    let dir = world.workspace.parent().unwrap().join("undo/main/run-1");
    assert_eq!(dir.join("0000").metadata().unwrap().ino(), inode, "the old file itself under another name");
    fs::write(world.at("other-name"), "changed in place").unwrap();
    assert_eq!(mode(&dir), 0o700);
    assert_eq!((mode(&dir.join("journal.jsonl")), mode(&dir.join("0001"))), (0o600, 0o600));
    world.apply(None, false).unwrap();
    assert_eq!((world.text("a"), world.text("linked")), ("old".to_owned(), "old".to_owned()));
    assert_eq!(world.text("other-name"), "changed in place");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a folder that moves")]
async fn a_folder_that_became_a_link_is_not_followed() {
    let world = Workbench::new();
    fs::create_dir(world.at("dir")).unwrap();
    fs::write(world.at("dir/a"), "old").unwrap();
    world.write("run-1", "dir/a", "new").await;
    let outside = world.workspace.parent().unwrap().join("outside");
    fs::rename(world.at("dir"), &outside).unwrap();
    symlink(&outside, world.at("dir")).unwrap();
    let refused = world.apply(None, true).unwrap_err().to_string();
    assert!(refused.contains("link to another place"), "{refused}");
    assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "new");
}

#[tokio::test]
async fn hostile_run_names_stay_inside_the_store() {
    let world = Workbench::new();
    for run in ["../../escape", "a/b", ".", "..", "x".repeat(200).as_str(), "ü"] {
        world.write(run, "a", run).await;
    }
    let root = world.workspace.parent().unwrap();
    let names: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let session = SessionKey::parse(SESSION).unwrap();
    assert_eq!(world.undo.runs(Some(&session), 100).unwrap().len(), 6);
    assert_eq!(fs::read_dir(root.join("undo/main")).unwrap().count(), 6);
}

#[test]
fn folder_names_are_plain_or_hashed() {
    assert_eq!(journal::folder_name("run-1_A"), "run-1_A");
    for hostile in ["", ".", "..", "a/b", "a\0b", "~x", "a.b"] {
        let name = journal::folder_name(hostile);
        assert!(name.starts_with('~') && name.len() == 65, "{hostile:?} became {name}");
    }
}

#[tokio::test]
async fn a_line_that_was_cut_off_does_not_hide_the_others() {
    let world = Workbench::new();
    fs::write(world.at("a"), "old").unwrap();
    world.write("run-1", "a", "new").await;
    let path = world.workspace.parent().unwrap().join("undo/main/run-1/journal.jsonl");
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("{\"kind\":\"change\",\"at\":1,\"to");
    fs::write(&path, text).unwrap();
    world.write("run-1", "b", "made").await;
    world.apply(None, false).unwrap();
    assert_eq!(world.text("a"), "old");
    assert!(!world.at("b").exists());
}

#[test]
fn without_a_store_it_says_so() {
    let wish = UndoOptions { session: None, run: None, force: false };
    assert!(matches!(Undo::default().apply(&wish), Err(UndoError::Off)));
}

#[tokio::test]
async fn a_file_is_a_conversations_own_while_it_is_what_its_runs_made_of_it() {
    let world = Workbench::new();
    let (ours, others) =
        (SessionKey::parse(SESSION).unwrap(), SessionKey::parse("agent:main:other").unwrap());
    fs::write(world.at("found"), "not ours").unwrap();
    world.write("run-1", "made", "1").await;
    world.write("run-1", "found", "ours now").await;
    let is_ours = |name: &str| world.undo.was_made_in(&ours, &world.at(name).canonicalize().unwrap());
    assert!(is_ours("made") && !is_ours("found"), "who changes a file has not made it");
    world.write("run-2", "made", "2").await;
    assert!(is_ours("made"), "what a later run of it left");
    assert!(!world.undo.was_made_in(&others, &world.at("made").canonicalize().unwrap()));
    fs::write(world.at("made"), "somebody else was here").unwrap();
    assert!(!is_ours("made"));
}
