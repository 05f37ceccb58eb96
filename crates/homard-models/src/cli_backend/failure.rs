//! How a program fails, in words the caller can act on.

use std::time::Duration;

use homard_exec::{ExecError, Exit};
use homard_llm::{FailReason, LlmError};
use homard_protocol::ProviderId;

use super::row::Row;

/// Shortest value treated as a secret when scrubbing.
const MIN_SECRET: usize = 8;
/// How many of the last lines of an error output are read: the reason stands at the end.
const LAST_LINES: usize = 8;

/// What programs say when they do not remember a session, in lower case.
const LOST: &[&str] = &[
    "no conversation found",
    "no rollout found",
    "missing rollout path",
    "session not found",
    "session has expired",
    "session expired",
    "unknown session",
    "invalid session",
    "no such session",
    "conversation not found",
    "thread not found",
    "already in use",
];

/// What programs say that no provider says, in lower case; read when nothing else matched.
const SENTENCES: &[(&str, FailReason)] = &[
    ("not logged in", FailReason::Auth),
    ("/login", FailReason::Auth),
    ("log in", FailReason::Auth),
    ("login", FailReason::Auth),
    ("token has expired", FailReason::Auth),
    ("401", FailReason::Auth),
    ("403", FailReason::Auth),
    ("402", FailReason::Billing),
    ("429", FailReason::RateLimit),
    ("hit your limit", FailReason::RateLimit),
    ("limit reached", FailReason::RateLimit),
    ("529", FailReason::Overloaded),
    ("503", FailReason::Overloaded),
    ("econnrefused", FailReason::Timeout),
    ("enotfound", FailReason::Timeout),
    ("network error", FailReason::Timeout),
];

/// Whether the program does not remember the session it was asked to go on with.
pub(super) fn is_lost_session(said: &str) -> bool {
    let said = said.to_lowercase();
    LOST.iter().any(|sentence| said.contains(sentence))
}

/// A question that is not the owner's alone.
pub(super) fn not_for_others(backend: &ProviderId) -> LlmError {
    let words = format!(
        "{backend} is a program with tools of its own, which nobody is asked about; it is not started while text of \
         others is in the conversation, nor for anybody but the owner, nor where commands belong into a sandbox. Choose another model here, for example with /model"
    );
    LlmError::new(FailReason::ModelNotFound, words)
}

/// A program that ran and did not answer.
pub(super) fn failed(backend: &ProviderId, exit: Exit, said: &str, row: &Row) -> LlmError {
    let said = scrub(&last_lines(said), row);
    let how = match exit {
        Exit::Exited(0) => "reported an error".to_owned(),
        Exit::Exited(code) => format!("ended with code {code}"),
        Exit::Signalled(signal) => format!("was ended by signal {signal}"),
        Exit::TimedOut => "took too long".to_owned(),
        Exit::Cancelled => "was stopped".to_owned(),
        Exit::TooManyProcesses => "became too many processes and was stopped".to_owned(),
    };
    if said.is_empty() {
        return LlmError::new(FailReason::Unknown, format!("{backend} {how} and did not say why"));
    }
    let read = LlmError::from_text(&said, None);
    let reason = if read.reason == FailReason::Unknown { by_sentence(&said) } else { read.reason };
    LlmError { retry_after: read.retry_after, ..LlmError::new(reason, format!("{backend} {how}: {said}")) }
}

fn by_sentence(said: &str) -> FailReason {
    let said = said.to_lowercase();
    let found = SENTENCES.iter().find(|(sentence, _)| said.contains(sentence));
    found.map_or(FailReason::Unknown, |&(_, reason)| reason)
}

/// The program is not on this machine, or not where we look.
pub(super) fn not_found(backend: &ProviderId, row: &Row) -> LlmError {
    let command = &row.command;
    let install = row.install.map_or_else(|| "install it".to_owned(), str::to_owned);
    LlmError::new(
        FailReason::Auth,
        format!(
            "{backend} needs the program `{command}`, which was not found: {install}, or set \
             agents.defaults.cliBackends.{backend}.command to its full path"
        ),
    )
}

/// The program could not be started.
pub(super) fn not_started(backend: &ProviderId, error: &ExecError) -> LlmError {
    LlmError::new(FailReason::Format, format!("{backend} could not be run: {error}"))
}

/// The program's papers could not be laid out.
pub(super) fn no_files(backend: &ProviderId, error: &std::io::Error) -> LlmError {
    LlmError::new(FailReason::Unknown, format!("{backend} could not be given its files: {error}"))
}

/// The program took longer than a run may.
pub(super) fn too_long(backend: &ProviderId, limit: Duration) -> LlmError {
    let seconds = limit.as_secs();
    LlmError::new(
        FailReason::Timeout,
        format!(
            "{backend} was ended after {seconds} s, the longest a run may take (agents.defaults.timeoutSeconds)"
        ),
    )
}

/// The program printed nothing for too long.
pub(super) fn silent(backend: &ProviderId, silence: Duration) -> LlmError {
    let seconds = silence.as_secs();
    LlmError::new(
        FailReason::Timeout,
        format!(
            "{backend} printed nothing for {seconds} s and was ended \
             (agents.defaults.cliBackends.{backend}.reliability.watchdog)"
        ),
    )
}

/// The program printed more than any answer.
pub(super) fn too_much(backend: &ProviderId) -> LlmError {
    LlmError::new(FailReason::Format, format!("{backend} printed more than any answer is long"))
}

/// The program printed something that cannot be read.
pub(super) fn unreadable(backend: &ProviderId) -> LlmError {
    LlmError::new(
        FailReason::Format,
        format!(
            "{backend} printed JSON that cannot be read; check agents.defaults.cliBackends.{backend}.output"
        ),
    )
}

/// The program ended well and said nothing.
pub(super) fn no_answer(backend: &ProviderId) -> LlmError {
    LlmError::new(FailReason::Unknown, format!("{backend} ended without an answer"))
}

fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default().join("\n")
}

/// Takes out what the owner gave the program to keep.
fn scrub(said: &str, row: &Row) -> String {
    let values =
        row.env.values().map(homard_config::Secret::expose).filter(|value| value.len() >= MIN_SECRET);
    values.fold(said.to_owned(), |said, value| said.replace(value, "••••"))
}
