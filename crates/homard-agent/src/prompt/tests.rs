//! Prompts: the owner's files in, nothing that changes by itself.

use std::path::Path;
use std::sync::Arc;

use homard_tools::ToolSpec;
use serde_json::json;

use super::{Audience, FileRules, Prompt, PromptInput, PromptMode, Surroundings, Tools};

fn input(workspace: &Path) -> PromptInput {
    PromptInput {
        name: "Homard".into(),
        files: FileRules {
            workspace: workspace.to_owned(),
            max_file_chars: 2_000,
            max_total_chars: 10_000,
            ..FileRules::default()
        },
        surroundings: Surroundings {
            model: "fake/fake-1".into(),
            timezone: "Europe/Paris".into(),
            ..Surroundings::default()
        },
        ..PromptInput::default()
    }
}

fn tools(names: &[&str]) -> Tools {
    let spec = |name: &&str| {
        Arc::new(ToolSpec {
            name: (*name).to_owned(),
            description: "Does.".to_owned(),
            parameters: json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            parallel: false,
        })
    };
    names.iter().map(spec).collect()
}

/// The names of the parts of a prompt.
fn parts(input: &PromptInput, tools: &Tools) -> Vec<String> {
    let made = Prompt::default().build(input, tools).unwrap();
    made.report.sections.iter().map(|section| section.name.clone()).collect()
}

#[test]
fn the_owners_files_are_told_and_read_again_when_they_change() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("made");
    let (prompt, tools) = (Prompt::default(), tools(&[]));
    let before = prompt.build(&input(&workspace), &tools).unwrap().text;
    assert!(workspace.is_dir());
    assert!(before.contains("Europe/Paris") && before.contains("no tools"));
    std::fs::write(workspace.join("MEMORY.md"), "likes lobster").unwrap();
    let after = prompt.build(&input(&workspace), &tools).unwrap().text;
    assert!(after.contains("## MEMORY.md\nlikes lobster"));
    let again = prompt.build(&input(&workspace), &tools).unwrap().text;
    assert!(Arc::ptr_eq(&after, &again), "nothing changed, nothing rebuilt");
    assert!(Arc::ptr_eq(&after, &prompt.fresh(&input(&workspace), &tools).unwrap().text));
    prompt.forget(&workspace);
    assert!(
        Arc::ptr_eq(&after, &prompt.fresh(&input(&workspace), &tools).unwrap().text),
        "looked at, and as it was"
    );
    std::fs::write(workspace.join("MEMORY.md"), "likes lobster no more").unwrap();
    prompt.forget(&workspace);
    assert!(prompt.fresh(&input(&workspace), &tools).is_none());
}

/// A share whose server is silent would hold up everybody else's turns with this one.
#[test]
fn the_dates_of_files_that_a_server_has_are_not_asked_for_on_the_reactor() {
    let dir = tempfile::tempdir().unwrap();
    let (prompt, tools) = (Prompt::default(), tools(&[]));
    let made = prompt.build(&input(dir.path()), &tools).unwrap().text;
    prompt.kept.lock().folders.get_mut(dir.path()).unwrap().is_far = true;
    assert!(prompt.fresh(&input(dir.path()), &tools).is_some(), "it was looked at a moment ago");
    prompt.forget(dir.path());
    assert!(prompt.fresh(&input(dir.path()), &tools).is_none());
    let again = prompt.build(&input(dir.path()), &tools).unwrap().text;
    assert!(Arc::ptr_eq(&made, &again), "looked at elsewhere, and as it was");
}

#[test]
fn conversations_of_different_kinds_do_not_push_each_other_out() {
    let dir = tempfile::tempdir().unwrap();
    let (prompt, tools) = (Prompt::default(), tools(&["read"]));
    let owner = input(dir.path());
    let worker = PromptInput { mode: PromptMode::Minimal, audience: Audience::Worker, ..owner.clone() };
    let first = prompt.build(&owner, &tools).unwrap().text;
    let other = prompt.build(&worker, &tools).unwrap().text;
    assert_ne!(first, other);
    for (input, text) in [(&owner, &first), (&worker, &other)] {
        assert!(Arc::ptr_eq(&prompt.fresh(input, &tools).unwrap().text, text));
    }
}

#[test]
fn each_mode_tells_what_it_is_for() {
    let dir = tempfile::tempdir().unwrap();
    let full = PromptInput {
        group: Some("A group.".into()),
        skills: Some("<skill><name>a</name></skill>".into()),
        surroundings: Surroundings {
            aliases: vec![("big".into(), "a/b".into())],
            ..input(dir.path()).surroundings
        },
        ..input(dir.path())
    };
    let offered = tools(&["exec", "memory_search", "message", "read"]);
    let all = [
        "identity",
        "tools",
        "safety",
        "workspace",
        "time",
        "memory",
        "messaging",
        "silence",
        "models",
        "skills",
        "files",
        "group",
        "runtime",
    ];
    assert_eq!(parts(&full, &offered), all);
    let minimal = PromptInput { mode: PromptMode::Minimal, ..full.clone() };
    let some = ["identity", "tools", "safety", "workspace", "time", "skills", "files", "group", "runtime"];
    assert_eq!(parts(&minimal, &offered), some);
    let none = PromptInput { mode: PromptMode::None, ..full };
    assert_eq!(parts(&none, &offered), ["identity"]);
}

#[test]
fn parts_without_anything_to_say_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let told = parts(&input(dir.path()), &tools(&["read"]));
    assert_eq!(told, ["identity", "tools", "safety", "workspace", "time", "silence", "files", "runtime"]);
}

#[test]
fn a_new_workspace_begins_with_the_first_conversation_and_only_with_the_owner() {
    let dir = tempfile::tempdir().unwrap();
    let (prompt, tools) = (Prompt::default(), tools(&["exec"]));
    let owner = input(dir.path());
    let group = PromptInput { audience: Audience::Group, ..owner.clone() };
    let follows = |text: &str| text.contains("follow BOOTSTRAP.md now");
    assert!(follows(&prompt.build(&owner, &tools).unwrap().text));
    assert!(!follows(&prompt.build(&group, &tools).unwrap().text));
    std::fs::write(dir.path().join("BOOTSTRAP.md"), "").unwrap();
    assert!(!follows(&prompt.build(&owner, &tools).unwrap().text));
    assert!(!dir.path().join("BOOTSTRAP.md").exists(), "an emptied plan is cleared away");
}

#[test]
fn the_report_adds_up() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("AGENTS.md"), "x".repeat(3_000)).unwrap();
    let made = Prompt::default().build(&input(dir.path()), &tools(&["read", "write"])).unwrap();
    let report = &made.report;
    assert_eq!(report.system_prompt.chars, made.text.chars().count());
    // Between two parts there is an empty line, and the last one ends its line.
    let parts: usize = report.sections.iter().map(|section| section.chars + 2).sum();
    assert_eq!(parts - 1, report.system_prompt.chars);
    let agents = &report.injected_workspace_files[0];
    assert_eq!((agents.name.as_str(), agents.raw_chars, agents.truncated), ("AGENTS.md", 3_000, true));
    assert_eq!(report.tools.entries.len(), 2);
    assert_eq!(report.tools.list_chars, 10);
    assert_eq!(report.total_chars(), report.system_prompt.chars + 10 + report.tools.schema_chars);
}

#[test]
fn the_whole_prompt_of_a_new_workspace_reads_as_agreed() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("workspace");
    let made = Prompt::default().build(&input(&workspace), &tools(&["exec", "read"])).unwrap();
    let text = made.text.replace(&workspace.display().to_string(), "WORKSPACE");
    let text = text.replace(std::env::consts::OS, "OS").replace(std::env::consts::ARCH, "ARCH");
    assert!(text.len() < 4_000, "{}", text.len());
    insta::assert_snapshot!("new_workspace", text);
}

#[test]
fn a_workspace_that_is_a_file_is_an_error_that_says_so() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = Prompt::default().build(&input(&file.path().join("x")), &tools(&[])).unwrap_err();
    assert!(error.to_string().contains("agents.defaults.workspace"));
}
