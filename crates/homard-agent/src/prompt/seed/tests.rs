//! A workspace's first files, and the first conversation that is had once.

use std::path::Path;

use serde_json::{Value, json};

use super::{FOREIGN_STATE, RITUAL, STATE, TEMPLATES, prepare, prepare_whole};

const NOW: &str = "2026-11-16T04:00:00.000Z";
const LATER: &str = "2026-11-17T04:00:00.000Z";

fn names(workspace: &Path) -> Vec<String> {
    let entries =
        workspace.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names
}

fn state(workspace: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(workspace.join(STATE)).unwrap()).unwrap()
}

#[test]
fn all_templates_together_are_short() {
    let bytes: usize = TEMPLATES.iter().map(|(_, text)| text.len()).sum::<usize>() + RITUAL.len();
    assert!(bytes <= 4_500, "{bytes}");
}

#[test]
fn a_new_workspace_gets_its_files_once() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("new");
    prepare(&workspace, false, NOW).unwrap();
    let all = ["AGENTS.md", "BOOTSTRAP.md", "HEARTBEAT.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "USER.md"];
    assert_eq!(names(&workspace), all);
    assert_eq!(state(&workspace), json!({"version": 1, "bootstrapSeededAt": NOW}));
    std::fs::remove_file(workspace.join("SOUL.md")).unwrap();
    std::fs::write(workspace.join("AGENTS.md"), "mine").unwrap();
    prepare(&workspace, false, LATER).unwrap();
    assert!(!workspace.join("SOUL.md").exists(), "what the owner deleted stays deleted");
    assert_eq!(std::fs::read_to_string(workspace.join("AGENTS.md")).unwrap(), "mine");
}

#[test]
fn the_first_conversation_is_over_when_its_plan_is_deleted_or_emptied() {
    for empties in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path(), false, NOW).unwrap();
        let plan = dir.path().join("BOOTSTRAP.md");
        if empties {
            std::fs::write(&plan, "\n").unwrap();
        } else {
            std::fs::remove_file(&plan).unwrap();
        }
        prepare(dir.path(), false, LATER).unwrap();
        let over = json!({"version": 1, "bootstrapSeededAt": NOW, "onboardingCompletedAt": LATER});
        assert_eq!((plan.exists(), state(dir.path())), (false, over), "empties: {empties}");
        prepare(dir.path(), false, LATER).unwrap();
        assert!(!plan.exists());
    }
}

#[test]
fn a_folder_that_has_been_lived_in_gets_what_is_missing_but_no_first_conversation() {
    for (trace, text) in [("AGENTS.md", "mine"), ("memory/2026-01-01.md", "notes"), ("MEMORY.md", "facts")] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(trace);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        prepare(dir.path(), false, NOW).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert!(dir.path().join("SOUL.md").exists(), "{trace}");
        assert!(!dir.path().join("BOOTSTRAP.md").exists(), "{trace}");
    }
}

#[test]
fn nothing_is_written_where_the_owner_or_other_software_says_so() {
    let dir = tempfile::tempdir().unwrap();
    prepare(dir.path(), true, NOW).unwrap();
    assert_eq!(dir.path().read_dir().unwrap().count(), 0);
    std::fs::create_dir(dir.path().join(".openclaw")).unwrap();
    std::fs::write(dir.path().join(FOREIGN_STATE), "{not json").unwrap();
    prepare(dir.path(), false, NOW).unwrap();
    assert!(names(dir.path()).is_empty());
}

#[test]
fn first_files_are_all_there_or_none_and_whoever_waits_is_told() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("USER.md"), "mine").unwrap();
    // The note cannot be written: its folder is a file.
    std::fs::write(dir.path().join(".homard"), "").unwrap();
    prepare_whole(dir.path(), false, NOW).unwrap_err();
    assert_eq!(names(dir.path()), ["USER.md"]);
    prepare(dir.path(), false, NOW).unwrap();
    assert_eq!(names(dir.path()), ["USER.md"]);
    assert_eq!(std::fs::read_to_string(dir.path().join("USER.md")).unwrap(), "mine");
    std::fs::remove_file(dir.path().join(".homard")).unwrap();
    prepare_whole(dir.path(), false, NOW).unwrap();
    assert!(names(dir.path()).len() == TEMPLATES.len(), "{:?}", names(dir.path()));
}
