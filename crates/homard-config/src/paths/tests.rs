//! Where things are, for many environments.

use std::path::Path;

use super::{Paths, PathsError, Profile};
use crate::env::{Environment, ProcessFacts};

fn resolve(pairs: &[(&str, &str)], profile: Option<Profile>) -> Result<Paths, PathsError> {
    let facts = ProcessFacts { working_dir: Some("/cwd".into()), home: None, argv: vec![] };
    Paths::resolve(&Environment::from_pairs(pairs.iter().copied()), &facts, profile)
}

/// Variables, profile, and where state and file are expected.
type Row<'a> = (&'a [(&'a str, &'a str)], Option<Profile>, &'a str, &'a str);

#[test]
fn the_environment_and_the_profile_decide_the_places() {
    let rows: &[Row<'_>] = &[
        (&[("HOME", "/h")], None, "/h/.homard", "/h/.homard/homard.json"),
        (&[("HOME", "/h"), ("OPENCLAW_HOME", "/o")], None, "/o/.homard", "/o/.homard/homard.json"),
        (&[("HOME", "undefined"), ("USERPROFILE", "/u")], None, "/u/.homard", "/u/.homard/homard.json"),
        (&[("HOME", "/h")], Some(Profile::Dev), "/h/.homard-dev", "/h/.homard-dev/homard.json"),
        (
            &[("HOME", "/h"), ("HOMARD_PROFILE", "work")],
            None,
            "/h/.homard-work",
            "/h/.homard-work/homard.json",
        ),
        (&[("HOME", "/h"), ("HOMARD_STATE_DIR", "~/s")], None, "/h/s", "/h/s/homard.json"),
        (&[("HOME", "/h"), ("CLAWDBOT_STATE_DIR", "rel/../s")], None, "/cwd/s", "/cwd/s/homard.json"),
        (&[("HOME", "/h"), ("OPENCLAW_CONFIG_PATH", "/c/x.json")], None, "/h/.homard", "/c/x.json"),
    ];
    for (pairs, profile, state, config) in rows {
        let paths = resolve(pairs, profile.clone()).unwrap();
        assert_eq!(
            (paths.state_dir.as_path(), paths.config_path.as_path()),
            (Path::new(state), Path::new(config))
        );
    }
    assert_eq!(resolve(&[], None), Err(PathsError::NoHome));
    assert_eq!(Profile::parse("../x"), Err(PathsError::BadProfile("../x".to_owned())));
}

#[test]
fn an_older_programs_file_is_read_until_there_is_one_of_our_own() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    let paths = resolve(&[("HOME", home.path().to_str().unwrap())], None).unwrap();
    assert_eq!(paths.config_source(), paths.config_path);
    for name in
        [".moltbot/moltbot.json", ".clawdbot/openclaw.json", ".openclaw/openclaw.json", ".homard/homard.json"]
    {
        std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        std::fs::write(at(name), "{}").unwrap();
        assert_eq!(paths.config_source(), at(name));
        assert_eq!(paths.config_path, at(".homard/homard.json"));
    }
}

#[test]
fn settings_expand_home_and_stay_under_the_state_directory() {
    let paths = Paths::under(Path::new("/h"));
    let rows =
        [("~", "/h"), ("~/w", "/h/w"), ("/abs", "/abs"), ("rel", "/h/.homard/rel"), ("~x", "/h/.homard/~x")];
    for (text, expected) in rows {
        assert_eq!(paths.expand(text), Path::new(expected));
    }
}

#[test]
fn records_are_the_state_directory_less_what_is_shared_and_what_older_programs_kept() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    let at = home.to_str().unwrap();
    let records = resolve(&[("HOME", at)], None).unwrap().records();
    let workspace = home.join(".homard/workspace");
    let rows = [
        (".homard/homard.json", true),
        (".homard/agents/main/sessions/a.jsonl", true),
        (".homard/workspace/notes.md", false),
        (".homard/media/inbound/a.pdf", false),
        (".openclaw/openclaw.json", true),
        (".openclaw/credentials/oauth.json", true),
        (".openclaw/workspace/notes.md", false),
        ("notes.md", false),
    ];
    for (path, is_record) in rows {
        assert_eq!(records.contain(&workspace, &home.join(path)), is_record, "{path}");
    }
    // Settings that lie elsewhere are a record, what lies beside them is none.
    let config = home.join("settings.json");
    std::fs::write(&config, "{}").unwrap();
    let written = [("HOME", at), ("HOMARD_CONFIG_PATH", config.to_str().unwrap())];
    let records = resolve(&written, None).unwrap().records();
    assert!(records.contain(&workspace, &config));
    assert!(!records.contain(&workspace, &home.join("other.json")));
    // A workspace that is the state directory opens none of it.
    assert!(records.contain(&home.join(".homard"), &home.join(".homard/homard.json")));
}
