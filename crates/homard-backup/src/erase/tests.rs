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
    let erased = plan.run().unwrap();
    assert_eq!(erased.gone, plan.paths);
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
