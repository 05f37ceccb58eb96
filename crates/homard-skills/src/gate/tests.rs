//! Who has which skill, and exactly what is missing.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use homard_config::config::skills::{SkillEntry, Skills as Settings};
use homard_config::{Environment, Secret};
use homard_protocol::methods::tools::skills::SkillNeeds;
use serde_json::{Value, json};

use super::{GateFacts, Programs, Verdict};
use crate::front_matter::parse;
use crate::load::{Skill, SkillOrigin};

fn skill(metadata: &str, place: SkillOrigin) -> Skill {
    let head = format!("---\nname: s\ndescription: d\nmetadata: {{\"homard\": {metadata}}}\n---\n");
    Skill {
        name: "s".into(),
        front: parse(&head).unwrap(),
        place,
        dir: "/s".into(),
        file: "/s/SKILL.md".into(),
    }
}

fn settings(entry: SkillEntry) -> Settings {
    Settings { entries: [("s".to_owned(), entry)].into(), ..Settings::default() }
}

fn judged(skill: &Skill, settings: &Settings, for_agent: Option<&[String]>) -> Verdict {
    let bin = tempfile::tempdir().unwrap();
    for (name, mode) in [("there", 0o755), ("not-executable", 0o644)] {
        let file = bin.path().join(name);
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let written =
        json!({"browser": {"enabled": true}, "a": {"off": false, "zero": 0, "blank": " ", "list": []}});
    let env = Environment::from_pairs([("SET", "1"), ("BLANK", "")]);
    let mut judge = GateFacts {
        settings,
        for_agent,
        env: &env,
        written: &written,
        os: "linux",
        programs: Programs::on_path(&[bin.path().to_owned()], Some("/no/such/folder")),
    };
    judge.judge(skill)
}

fn needs(value: Value) -> SkillNeeds {
    serde_json::from_value(value).unwrap()
}

#[test]
fn what_is_missing_is_named_exactly() {
    let rows = [
        ("{}", json!({})),
        (r#"{"os": ["linux"]}"#, json!({})),
        (r#"{"os": ["darwin", "win32"]}"#, json!({"os": ["darwin", "win32"]})),
        (r#"{"os": ["macos"], "always": true}"#, json!({"os": ["macos"]})),
        (r#"{"requires": {"bins": ["there"]}}"#, json!({})),
        (
            r#"{"requires": {"bins": ["there", "gone", "not-executable"]}}"#,
            json!({"bins": ["gone", "not-executable"]}),
        ),
        (r#"{"requires": {"anyBins": ["gone", "there"]}}"#, json!({})),
        (r#"{"requires": {"anyBins": ["gone", "away"]}}"#, json!({"anyBins": ["gone", "away"]})),
        (r#"{"requires": {"env": ["SET"]}}"#, json!({})),
        (r#"{"requires": {"env": ["SET", "BLANK", "UNSET"]}}"#, json!({"env": ["BLANK", "UNSET"]})),
        (r#"{"requires": {"config": ["browser.enabled", "a.list"]}}"#, json!({})),
        (
            r#"{"requires": {"config": ["a.off", "a.zero", "a.blank", "a.none.deep", "browser.enabled"]}}"#,
            json!({"config": ["a.off", "a.zero", "a.blank", "a.none.deep"]}),
        ),
        (r#"{"always": true, "requires": {"bins": ["gone"], "env": ["UNSET"]}}"#, json!({})),
    ];
    for (metadata, missing) in rows {
        let verdict = judged(&skill(metadata, SkillOrigin::Workspace), &Settings::default(), None);
        let missing = needs(missing);
        assert_eq!(verdict.is_eligible(), missing.is_empty(), "{metadata}");
        assert_eq!(verdict.missing, missing, "{metadata}");
    }
}

#[test]
fn what_the_owner_wrote_fills_what_is_missing() {
    let wants =
        skill(r#"{"primaryEnv": "KEY", "requires": {"env": ["KEY", "OTHER"]}}"#, SkillOrigin::Managed);
    let key = || Some(Secret::new("k"));
    let with_key = settings(SkillEntry { api_key: key(), ..SkillEntry::default() });
    assert_eq!(judged(&wants, &with_key, None).missing.env, ["OTHER"]);
    let env = [("OTHER".to_owned(), Secret::new("o"))].into();
    let with_both = settings(SkillEntry { api_key: key(), env, ..SkillEntry::default() });
    assert!(judged(&wants, &with_both, None).is_eligible());
}

#[test]
fn owners_lists_and_switches_decide() {
    let off = settings(SkillEntry { enabled: Some(false), ..SkillEntry::default() });
    let plain = skill("{}", SkillOrigin::Bundled);
    assert!(judged(&plain, &off, None).disabled);
    let listed = |names: &[&str]| Settings {
        allow_bundled: Some(names.iter().map(|&name| name.to_owned()).collect()),
        ..Settings::default()
    };
    assert!(judged(&plain, &listed(&["s"]), None).is_eligible());
    assert!(judged(&plain, &listed(&["other"]), None).not_allowed);
    assert!(
        judged(&skill("{}", SkillOrigin::Managed), &listed(&[]), None).is_eligible(),
        "only bundled ones are limited"
    );
    let names = |name: &str| vec![name.to_owned()];
    assert!(judged(&plain, &Settings::default(), Some(&names("s"))).is_eligible());
    assert!(judged(&plain, &Settings::default(), Some(&[])).not_for_agent);
    let keyed = skill(r#"{"skillKey": "key"}"#, SkillOrigin::Managed);
    assert!(judged(&keyed, &Settings::default(), Some(&names("key"))).is_eligible());
}

#[test]
fn a_program_may_be_named_by_its_path() {
    let mut programs = Programs::on_path(&[], Some(""));
    assert!(!programs.has("sh"));
    assert!(programs.has("/bin/sh") && !programs.has("/bin/no-such-program"));
    assert!(Programs::on_path(&[Path::new("/bin").to_owned()], None).has("sh"));
}
