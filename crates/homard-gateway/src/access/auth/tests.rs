//! Secrets and the limit on guessing them.

use std::time::{Duration, Instant};

use homard_protocol::connect::ConnectAuth;

use super::{AuthMethod, AuthRefusal, GuessCounter, GuessLimit, SharedAuth};

fn sent(token: Option<&str>, password: Option<&str>) -> ConnectAuth {
    ConnectAuth {
        token: token.map(str::to_owned),
        password: password.map(str::to_owned),
        ..ConnectAuth::default()
    }
}

#[test]
fn the_mode_decides_which_secret_counts() {
    let token = SharedAuth::Token(Some("s3cret".into()));
    let password = SharedAuth::Password(Some("pa55".into()));
    let cases = [
        (&SharedAuth::None, sent(None, None), Ok(AuthMethod::None)),
        (&token, sent(Some("s3cret"), None), Ok(AuthMethod::Token)),
        (&token, sent(None, Some("s3cret")), Ok(AuthMethod::Token)),
        (&token, sent(Some("s3cre"), None), Err(AuthRefusal::TokenMismatch)),
        (&token, sent(Some(""), None), Err(AuthRefusal::TokenMissing)),
        (&token, sent(None, None), Err(AuthRefusal::TokenMissing)),
        (&password, sent(None, Some("pa55")), Ok(AuthMethod::Password)),
        (&password, sent(Some("s3cret"), None), Err(AuthRefusal::PasswordMismatch)),
        (&SharedAuth::Token(None), sent(Some(""), None), Err(AuthRefusal::TokenNotConfigured)),
        (
            &SharedAuth::Token(Some(String::new())),
            sent(Some("x"), None),
            Err(AuthRefusal::TokenNotConfigured),
        ),
    ];
    for (auth, sent, expected) in cases {
        assert_eq!(auth.check(Some(&sent)), expected, "{auth:?} {sent:?}");
    }
}

#[test]
fn the_door_shuts_after_enough_wrong_guesses_and_opens_again() {
    let limit =
        GuessLimit { max_attempts: 3, window: Duration::from_secs(60), lockout: Duration::from_secs(300) };
    let counter = GuessCounter::default();
    let start = Instant::now();
    let at = |s: u64| start + Duration::from_secs(s);
    counter.wrong("a", limit, at(0));
    counter.wrong("a", limit, at(1));
    assert_eq!(counter.shut_for("a", at(1)), None);
    counter.wrong("a", limit, at(2));
    assert_eq!(counter.shut_for("a", at(2)), Some(Duration::from_secs(300)));
    assert_eq!(counter.shut_for("b", at(2)), None);
    assert_eq!(counter.shut_for("a", at(302)), None);
    counter.wrong("a", limit, at(303));
    assert_eq!(counter.shut_for("a", at(303)), None, "counting began anew");
    counter.wrong("b", limit, at(0));
    counter.wrong("b", limit, at(1));
    counter.wrong("b", limit, at(90));
    assert_eq!(counter.shut_for("b", at(90)), None, "the window had passed");
    counter.wrong("c", limit, at(0));
    counter.wrong("c", limit, at(0));
    counter.right("c");
    counter.wrong("c", limit, at(0));
    assert_eq!(counter.shut_for("c", at(0)), None);
}

#[test]
fn secrets_are_not_printed() {
    let shown = format!("{:?}{:?}", SharedAuth::Token(Some("s3cret".into())), sent(Some("s3cret"), None));
    assert!(!shown.contains("s3cret"), "{shown}");
}

#[test]
fn a_generation_names_a_secret_without_telling_it() {
    let token = |text: &str| SharedAuth::Token(Some(text.to_owned())).generation();
    assert_eq!(token("s3cret"), token("s3cret"));
    assert_eq!(token("s3cret").len(), 32);
    let all = [
        token("s3cret"),
        token("s3cret2"),
        SharedAuth::Password(Some("s3cret".to_owned())).generation(),
        SharedAuth::Token(None).generation(),
        SharedAuth::None.generation(),
    ];
    let different: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!(different.len(), all.len());
    assert!(all.iter().all(|name| !name.contains("s3cret")));
}
