//! What goes with which scope; the home itself never does.

use std::path::PathBuf;

use super::{Erase, EraseScope};
use crate::fixture::Home;

fn goes(home: &Home, scope: EraseScope) -> Vec<String> {
    let plan = Erase::of(&home.source, &home.snapshot(), scope);
    let short = |path: &PathBuf| path.strip_prefix(home.folder()).unwrap().display().to_string();
    plan.paths.iter().map(short).collect()
}

#[test]
fn each_scope_takes_more_than_the_one_before() {
    let home = Home::new();
    home.write("homard.json.bak", "{}");
    // What the doctor kept before it changed something: settings with their secrets, and stored keys.
    home.write("doctor/1/homard.json", "{}");
    assert_eq!(
        goes(&home, EraseScope::Config),
        [".homard/homard.json", ".homard/homard.json.bak", ".homard/.env"]
    );
    assert_eq!(
        goes(&home, EraseScope::ConfigCredsSessions),
        [
            ".homard/homard.json",
            ".homard/homard.json.bak",
            ".homard/.env",
            ".homard/agents",
            ".homard/doctor",
            ".homard/homard.sqlite"
        ]
    );
    let state = goes(&home, EraseScope::State);
    assert!(
        state.contains(&".homard/logs".to_owned()) && !state.contains(&".homard/workspace".to_owned()),
        "{state:?}"
    );
    assert_eq!(goes(&home, EraseScope::Full), [".homard", "work"]);
}

#[test]
fn workspaces_go_alone_wherever_they_are() {
    let home = Home::new();
    let plan = Erase::workspaces(&home.source, &home.snapshot());
    assert_eq!(plan.paths, [home.state().join("workspace"), home.folder().join("work")]);
    plan.run(&home.source, "1").unwrap();
    assert!(plan.paths.iter().all(|path| !path.exists()));
    assert!(home.state().join("homard.json").exists() && !home.folder().join("work").exists());
}

#[test]
fn a_home_that_is_called_a_workspace_stays() {
    let home = Home::new();
    let settings =
        format!("{{ agents: {{ list: [{{ id: \"main\", workspace: \"{}\" }}] }} }}", home.folder().display());
    home.write("homard.json", &settings);
    assert_eq!(goes(&home, EraseScope::Full), [".homard"]);
}

fn put_aside(home: &Home, scope: EraseScope) -> Vec<PathBuf> {
    Erase::of(&home.source, &home.snapshot(), scope).put_aside(&home.source, "1").unwrap()
}

#[test]
fn what_is_put_aside_lies_beside_its_place_whole() {
    let home = Home::new();
    let aside = put_aside(&home, EraseScope::ConfigCredsSessions);
    assert_eq!(aside, [home.folder().join(".homard.reset-1")]);
    assert!(aside[0].join("homard.json").is_file() && aside[0].join("agents/main/sessions").is_dir());
    assert!(
        home.state().join("workspace/MEMORY.md").is_file() && !home.state().join("homard.sqlite").exists()
    );
    let home = Home::new();
    assert_eq!(
        put_aside(&home, EraseScope::Full),
        [home.folder().join(".homard.reset-1"), home.folder().join("work.reset-1")]
    );
    assert!(!home.state().exists() && home.folder().join("work.reset-1/plan.md").is_file());
}

#[test]
fn what_cannot_be_moved_leaves_everything_in_its_place() {
    let home = Home::new();
    std::fs::create_dir(home.folder().join("work.reset-1")).unwrap();
    let plan = Erase::of(&home.source, &home.snapshot(), EraseScope::Full);
    plan.run(&home.source, "1").unwrap_err();
    assert!(home.state().join("homard.json").is_file() && home.folder().join("work/plan.md").is_file());
    assert!(!home.folder().join(".homard.reset-1").exists());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "moves what the test made")]
fn a_state_folder_behind_a_link_is_emptied_where_it_is() {
    let home = Home::new();
    let disk = home.folder().join("disk");
    std::fs::rename(home.state(), &disk).unwrap();
    std::os::unix::fs::symlink(&disk, home.state()).unwrap();
    let plan = Erase::of(&home.source, &home.snapshot(), EraseScope::Full);
    plan.run(&home.source, "1").unwrap();
    assert!(home.state().is_symlink() && std::fs::read_dir(&disk).unwrap().next().is_none());
    assert!(!home.folder().join("disk.reset-1").exists());
}

#[test]
fn a_home_stays_however_the_settings_write_it() {
    let home = Home::new();
    let settings = format!(
        "{{ agents: {{ list: [{{ id: \"main\", workspace: \"{}/work/..\" }}] }} }}",
        home.folder().display()
    );
    home.write("homard.json", &settings);
    assert_eq!(goes(&home, EraseScope::Full), [".homard"]);
}
