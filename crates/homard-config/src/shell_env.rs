//! Importing missing keys from the owner's login shell.
//!
//! Off unless `env.shellEnv.enabled` or `HOMARD_LOAD_SHELL_ENV` says so: it starts a program and may take
//! seconds. Only names that look like credentials we may need are taken, and only when they are missing.

use std::io::Read;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::env::Environment;

/// How long the shell may take unless the configuration says otherwise.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);
/// Most output read from the shell, in bytes.
const MAX_OUTPUT: u64 = 2 * 1024 * 1024;
/// Shell used when the environment names none.
const FALLBACK_SHELL: &str = "/bin/sh";
/// Endings of names worth importing.
const WANTED_ENDINGS: [&str; 5] = ["_API_KEY", "_BOT_TOKEN", "_APP_TOKEN", "_OAUTH_TOKEN", "_GATEWAY_TOKEN"];
/// Whole names worth importing.
const WANTED_NAMES: [&str; 2] = ["HOMARD_GATEWAY_PASSWORD", "OPENCLAW_GATEWAY_PASSWORD"];

/// Why the shell's variables could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShellEnvError {
    /// The shell could not be started.
    #[error("could not start the login shell `{shell}`")]
    Start {
        shell: String,
        #[source]
        source: std::io::Error,
    },
    /// It did not answer in time.
    #[error("the login shell did not answer within {} ms", homard_runtime::millis(*.0))]
    TimedOut(Duration),
}

/// Variables of the login shell that are worth importing.
pub(crate) fn import(env: &Environment, timeout: Duration) -> Result<Vec<(String, String)>, ShellEnvError> {
    let shell = env.get("SHELL").unwrap_or(FALLBACK_SHELL);
    let mut child = start(shell, env)?;
    let (tx, rx) = mpsc::sync_channel(1);
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = out.take(MAX_OUTPUT).read_to_end(&mut bytes);
            // Nobody listens any more once the time is up; then there is nothing left to tell.
            drop(tx.send(read.map(|_| bytes)));
        });
    }
    let answer = rx.recv_timeout(timeout);
    if answer.is_err() {
        drop(child.kill());
    }
    drop(child.wait());
    match answer {
        Ok(Ok(bytes)) => Ok(wanted(&bytes)),
        Ok(Err(source)) => Err(ShellEnvError::Start { shell: shell.to_owned(), source }),
        Err(_) => Err(ShellEnvError::TimedOut(timeout)),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "runs before any room exists; a fixed command of the owner's own shell"
)]
fn start(shell: &str, env: &Environment) -> Result<Child, ShellEnvError> {
    std::process::Command::new(shell)
        .args(["-l", "-c", "env -0"])
        .env_clear()
        .envs(env.iter())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| ShellEnvError::Start { shell: shell.to_owned(), source })
}

fn wanted(output: &[u8]) -> Vec<(String, String)> {
    let entries =
        output.split(|b| *b == 0).filter_map(|entry| std::str::from_utf8(entry).ok()?.split_once('='));
    entries
        // A greeting printed by the shell's profile sticks to the first name.
        .map(|(name, value)| (name.rsplit('\n').next().unwrap_or(name), value))
        .filter(|(name, _)| {
            WANTED_NAMES.contains(name) || WANTED_ENDINGS.iter().any(|end| name.ends_with(end))
        })
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests;
