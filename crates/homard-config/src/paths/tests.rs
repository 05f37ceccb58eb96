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
