//! What a turn finds, and when it changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use homard_config::{ConfigHandle, ConfigSource, Environment, Paths};
use homard_runtime::Clock;
use serde_json::{Value, json};

use super::Skills;
use crate::snapshot::Snapshot;

struct World {
    home: tempfile::TempDir,
    config: ConfigHandle,
    skills: Skills,
}

impl World {
    fn with(config: &Value) -> Self {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::under(home.path());
        std::fs::create_dir_all(&paths.state_dir).unwrap();
        std::fs::write(&paths.config_path, config.to_string()).unwrap();
        let env = Environment::from_pairs([("PATH", home.path().join("bin").display().to_string())]);
        let config = ConfigHandle::open(ConfigSource::isolated(paths, env, Clock::fixed(0))).unwrap();
        Self { home, skills: Skills::new(config.clone(), |name| name == "status"), config }
    }

    fn write(&self, name: &str, head: &str) {
        let dir = self.workspace().join("skills").join(name);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("SKILL.md"), format!("---\n{head}\n---\n")).unwrap();
    }

    fn workspace(&self) -> PathBuf {
        self.home.path().join(".homard/workspace")
    }

    fn look(&self) -> Arc<Snapshot> {
        let config = self.config.current();
        self.skills.look(&config, config.agents.default_agent())
    }
}

fn names(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.skills.iter().map(|skill| skill.name.as_str()).collect()
}

#[test]
fn a_snapshot_is_kept_while_nothing_changes_and_counted_up_when_something_does() {
    let world = World::with(&json!({"skills": {"allowBundled": []}}));
    let nothing = world.look();
    assert_eq!((nothing.version, names(&nothing).len(), &nothing.prompt), (1, 0, &None));
    world.write("notes", "name: notes\ndescription: first");
    let first = world.look();
    assert_eq!((first.version, names(&first)), (2, vec!["notes"]));
    assert!(Arc::ptr_eq(&first, &world.look()), "nothing changed, nothing is read");
    world.write("notes", "name: notes\ndescription: second time");
    let second = world.look();
    assert!(second.version == 3 && second.prompt.as_ref().unwrap().contains("second time"));
    world.write("torn", "name: torn");
    assert!(Arc::ptr_eq(&second, &world.look()), "a broken skill changes nothing for a turn");
    std::fs::remove_dir_all(world.workspace().join("skills/notes")).unwrap();
    assert_eq!(world.look().version, 4);
}

#[test]
fn a_program_that_is_installed_brings_its_skill() {
    let world = World::with(&json!({"skills": {"allowBundled": []}}));
    let bin = world.home.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    world.write("gh", "name: gh\ndescription: d\nmetadata: {homard: {requires: {bins: [gh]}}}");
    assert_eq!(names(&world.look()), [""; 0]);
    std::fs::copy("/bin/sh", bin.join("gh")).unwrap();
    assert_eq!(names(&world.look()), ["gh"]);
    let config = world.config.current();
    assert!(world.skills.bins(&config).contains(&"gh".to_owned()));
}

#[test]
fn settings_count_from_the_next_look() {
    let world = World::with(&json!({"skills": {"allowBundled": []}}));
    world.write(
        "mail",
        "name: mail\ndescription: d\nmetadata: {homard: {primaryEnv: MAIL_KEY, requires: {env: [MAIL_KEY]}}}",
    );
    assert_eq!(names(&world.look()), [""; 0]);
    world.config.set_path("skills.entries.mail.apiKey", json!("hunter2hunter2")).unwrap();
    let with_key = world.look();
    assert_eq!(with_key.env().get("MAIL_KEY").map(String::as_str), Some("hunter2hunter2"));
    assert!(!format!("{with_key:?}").contains("hunter2"), "values do not print");
    assert!(!with_key.prompt.as_ref().unwrap().contains("hunter2"));
    world.config.set_path("skills.entries.mail.enabled", json!(false)).unwrap();
    assert!(world.look().env().is_empty());
}

#[test]
fn unwatched_skills_stay_as_they_were() {
    let world = World::with(&json!({"skills": {"allowBundled": [], "load": {"watch": false}}}));
    let before = world.look();
    world.write("notes", "name: notes\ndescription: d");
    assert!(Arc::ptr_eq(&before, &world.look()));
}

#[test]
fn each_agent_has_the_skills_its_list_names() {
    let world = World::with(&json!({
        "agents": {"list": [{"id": "main", "default": true}, {"id": "narrow", "skills": ["b"]}, {"id": "none", "skills": []}]},
        "skills": {"allowBundled": [], "load": {"extraDirs": ["~/shared"]}},
    }));
    for name in ["a", "b"] {
        let dir = world.home.path().join("shared").join(name);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("SKILL.md"), "---\ndescription: d\n---\n").unwrap();
    }
    let config = world.config.current();
    let found: Vec<Vec<String>> = config
        .agents
        .list
        .iter()
        .map(|agent| names(&world.skills.look(&config, agent)).into_iter().map(str::to_owned).collect())
        .collect();
    assert_eq!(found, [vec!["a".to_owned(), "b".to_owned()], vec!["b".to_owned()], Vec::new()]);
}

#[test]
fn the_report_names_every_skill_and_why_it_is_not_there() {
    let world = World::with(&json!({"skills": {"allowBundled": ["skill-writer"]}}));
    world.write("torn", "name: torn");
    world.write("gh", "name: gh\ndescription: d\nmetadata: {homard: {requires: {bins: [gh]}, install: [{kind: node, package: gh, bins: [gh]}, {kind: brew, formula: gh}]}}");
    let config = world.config.current();
    let report = world.skills.report(&config, config.agents.default_agent());
    let rows: Vec<(&str, bool)> =
        report.skills.iter().map(|skill| (skill.name.as_str(), skill.eligible)).collect();
    assert_eq!(
        rows,
        [("gh", false), ("homard", false), ("skill-writer", true), ("torn", false), ("weather", false)]
    );
    let gh = &report.skills[0];
    assert_eq!(
        (gh.missing.bins.as_slice(), gh.source.as_str()),
        (&["gh".to_owned()][..], "openclaw-workspace")
    );
    let kinds: Vec<&str> = gh.install.iter().map(|way| way.kind.as_str()).collect();
    assert_eq!(kinds, ["brew", "node"], "the owner's favourite first");
    assert!(report.skills[1].blocked_by_allowlist && report.skills[1].bundled);
    assert_eq!(report.skills[2].command.as_deref(), Some("skill_writer"));
    assert!(report.skills[3].problem.as_ref().unwrap().contains("no `description`"));
    assert!(Path::new(&report.skills[2].file_path).is_file(), "the model can read it");
}

#[test]
fn an_agent_that_stays_in_its_workspace_is_told_only_of_skills_there() {
    let world = World::with(&json!({"tools": {"fs": {"workspaceOnly": true}}}));
    world.write("notes", "name: notes\ndescription: d");
    let found = world.look();
    let told = found.prompt.as_ref().unwrap();
    assert!(names(&found).contains(&"skill-writer") && told.matches("<skill>").count() == 1, "{told}");
}

#[test]
fn many_skills_that_did_not_change_are_not_read_again() {
    let world = World::with(&json!({}));
    for n in 0..50 {
        world.write(&format!("s{n}"), &format!("name: s{n}\ndescription: d\nmetadata: {{homard: {{requires: {{bins: [sh{n}]}}, always: true}}}}"));
    }
    let first = world.look();
    for _ in 0..100 {
        assert!(Arc::ptr_eq(&first, &world.look()));
    }
}
