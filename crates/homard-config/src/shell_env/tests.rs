//! What is taken from a login shell.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use super::{ShellEnvError, import, wanted};
use crate::env::Environment;

#[test]
fn only_credentials_are_taken() {
    let output =
        b"Welcome!\nSOME_API_KEY=k\0PATH=/bin\0X_BOT_TOKEN=a=b\0OPENCLAW_GATEWAY_PASSWORD=p\0BROKEN\0";
    let found = wanted(output);
    let names: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(names, [("SOME_API_KEY", "k"), ("X_BOT_TOKEN", "a=b"), ("OPENCLAW_GATEWAY_PASSWORD", "p")]);
}

fn shell(dir: &std::path::Path, script: &str) -> Environment {
    let file = dir.join("shell");
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    Environment::from_pairs([("SHELL", file.to_str().unwrap()), ("PATH", "/usr/bin:/bin")])
}

#[test]
fn the_login_shell_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let env = shell(dir.path(), "printf 'MY_API_KEY=secret\\0HOME=/x\\0'");
    assert_eq!(
        import(&env, Duration::from_secs(10)).unwrap(),
        [("MY_API_KEY".to_owned(), "secret".to_owned())]
    );
}

#[test]
fn a_shell_that_hangs_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let env = shell(dir.path(), "exec tail -f /dev/null");
    assert!(matches!(import(&env, Duration::from_millis(50)), Err(ShellEnvError::TimedOut(_))));
}

#[test]
fn a_shell_that_is_not_there_is_named() {
    let env = Environment::from_pairs([("SHELL", "/nowhere/shell")]);
    let error = import(&env, Duration::from_secs(1)).unwrap_err();
    assert_eq!(error.to_string(), "could not start the login shell `/nowhere/shell`");
}
