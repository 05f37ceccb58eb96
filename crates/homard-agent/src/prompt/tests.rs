//! Prompts: the owner's files in, nothing that changes by itself.

use std::path::Path;

use super::{Prompt, PromptSettings, cut};

fn settings(workspace: &Path) -> PromptSettings {
    PromptSettings {
        name: "Homard".into(),
        workspace: workspace.to_owned(),
        timezone: "Europe/Paris".into(),
        max_file_chars: 200,
        max_total_chars: 450,
    }
}

#[test]
fn the_owners_files_are_told_and_read_again_when_they_change() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("made");
    let prompt = Prompt::default();
    let before = prompt.build(&settings(&workspace), &[]).unwrap();
    assert!(workspace.is_dir());
    assert!(before.contains("Europe/Paris") && before.contains("no tools"));
    std::fs::write(workspace.join("MEMORY.md"), "likes lobster").unwrap();
    let after = prompt.build(&settings(&workspace), &[]).unwrap();
    assert!(after.contains("## MEMORY.md\nlikes lobster"));
    let again = prompt.build(&settings(&workspace), &[]).unwrap();
    assert!(std::sync::Arc::ptr_eq(&after, &again), "nothing changed, nothing rebuilt");
}

#[test]
fn files_share_a_total_limit() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("AGENTS.md"), "a".repeat(500)).unwrap();
    std::fs::write(dir.path().join("SOUL.md"), "s".repeat(500)).unwrap();
    std::fs::write(dir.path().join("USER.md"), "u".repeat(500)).unwrap();
    let text = Prompt::default().build(&settings(dir.path()), &[]).unwrap();
    assert!(text.contains("## AGENTS.md") && text.contains("## SOUL.md"));
    assert!(!text.contains("## USER.md"), "no room was left");
}

#[test]
fn a_long_file_keeps_its_beginning_and_end() {
    let text: String = ('a'..='z').collect();
    let kept = cut(&text, 10);
    assert!(kept.starts_with("abcdefg\n") && kept.ends_with("\nyz"), "{kept}");
    assert!(kept.contains("17 characters left out"));
    assert_eq!(cut("short", 10), "short");
}

#[test]
fn a_workspace_that_is_a_file_is_an_error_that_says_so() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = Prompt::default().build(&settings(&file.path().join("x")), &[]).unwrap_err();
    assert!(error.to_string().contains("agents.defaults.workspace"));
}
