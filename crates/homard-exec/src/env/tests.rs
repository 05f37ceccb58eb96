//! Which names reach a child.

use std::collections::BTreeMap;

use super::{BuiltEnv, EnvError};

fn base(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn only_base_names_are_taken_over() {
    let env = BuiltEnv::from_base(&base(&[
        ("PATH", "/bin"),
        ("OPENAI_API_KEY", "sk"),
        ("EDITOR", "vi"),
        ("USER", "u"),
    ]));
    assert_eq!(env.iter().collect::<Vec<_>>(), [("PATH", "/bin"), ("TERM", "dumb"), ("USER", "u")]);
}

#[test]
fn requested_names_are_judged() {
    #[derive(Debug, PartialEq)]
    enum Verdict {
        Taken,
        Secret,
        Steering,
        BadName,
    }
    let rows = [
        ("FOO", Verdict::Taken),
        ("TOKENIZERS_PARALLELISM", Verdict::Taken),
        ("KEYBOARD", Verdict::Taken),
        ("_x1", Verdict::Taken),
        ("OPENAI_API_KEY", Verdict::Secret),
        ("github_token", Verdict::Secret),
        ("MYSECRETVALUE", Verdict::Secret),
        ("AWS_SECRET_ACCESS_KEY", Verdict::Secret),
        ("PATH", Verdict::Steering),
        ("LD_PRELOAD", Verdict::Steering),
        ("ld_library_path", Verdict::Steering),
        ("DYLD_INSERT_LIBRARIES", Verdict::Steering),
        ("BASH_ENV", Verdict::Steering),
        ("", Verdict::BadName),
        ("1A", Verdict::BadName),
        ("A=B", Verdict::BadName),
        ("A B", Verdict::BadName),
        ("A\0", Verdict::BadName),
    ];
    for (name, expected) in rows {
        let verdict = match BuiltEnv::from_base(&BTreeMap::new()).with_requested(name, "v") {
            Ok(_) => Verdict::Taken,
            Err(EnvError::LooksSecret { .. }) => Verdict::Secret,
            Err(EnvError::Steering { .. }) => Verdict::Steering,
            Err(EnvError::BadName { .. } | EnvError::BadValue { .. }) => Verdict::BadName,
        };
        assert_eq!(verdict, expected, "{name:?}");
    }
}

#[test]
fn the_owner_may_name_a_secret_and_debug_does_not_show_it() {
    let env = BuiltEnv::from_base(&BTreeMap::new()).with_explicit("API_TOKEN", "hunter2").unwrap();
    assert!(env.iter().any(|pair| pair == ("API_TOKEN", "hunter2")));
    assert_eq!(format!("{env:?}"), r#"{"API_TOKEN", "PATH", "TERM"}"#);
}

#[test]
fn a_value_with_a_nul_is_refused() {
    let refused = BuiltEnv::from_base(&BTreeMap::new()).with_explicit("A", "x\0y");
    assert!(matches!(refused, Err(EnvError::BadValue { .. })));
}

#[test]
fn settings_may_hand_over_secrets_and_nothing_that_steers() {
    let rows = [
        ("API_TOKEN", true),
        ("GH_HOST", true),
        ("PATH", false),
        ("HOME", false),
        ("LD_PRELOAD", false),
        ("NODE_OPTIONS", false),
        ("1A", false),
        ("A B", false),
    ];
    for (name, may) in rows {
        assert_eq!(super::check_injected(name, "v").is_ok(), may, "{name}");
    }
    assert!(super::check_injected("A", "x\0y").is_err());
}
