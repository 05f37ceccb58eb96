//! Running a hook's program: the event on its standard input, an answer on the last line of what it prints.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use homard_config::Environment;
use homard_config::config::hooks::internal::HookEntry;
use homard_exec::{BuiltEnv, Command, EnvError, ExecError, Exit, Launcher, Limits};
use homard_runtime::{Clip, CollectOrdered as _};
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// How much of what a hook prints is kept, in bytes.
const MAX_OUTPUT: usize = 256 * 1024;
/// How many processes a hook may be at once.
const MAX_PROCESSES: usize = 32;
/// How much of what a failed hook printed is told, in characters.
const TOLD_CHARS: usize = 300;
/// Longest text of an answer, in characters.
const MAX_TEXT: usize = 20_000;

/// What a hook says; what it leaves out it does not want.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    /// Told to whoever reads the conversation.
    pub(super) messages: Vec<String>,
    /// Why it must not go on.
    pub(super) refuse: Option<String>,
    /// Arguments in place of a tool's.
    pub(super) arguments: Option<Value>,
    /// Words in place of a message's.
    pub(super) text: Option<String>,
    /// What the model is told with the prompt.
    pub(super) append: Option<String>,
}

/// Why a hook has nothing to say.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandlerError {
    #[error(transparent)]
    Environment(#[from] EnvError),
    #[error("could not be run: {0}")]
    Exec(#[from] ExecError),
    #[error("did not end within {0} s and was ended")]
    Late(u64),
    #[error("had more than {MAX_PROCESSES} processes and was ended")]
    Forked,
    #[error("was stopped")]
    Stopped,
    #[error("ended with {code}: {said}")]
    Failed { code: String, said: String },
    #[error("printed an answer that is none: {0}")]
    Garbage(String),
}

/// A program to run for an event.
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) program: &'a Path,
    pub(super) argument: Option<&'a str>,
    pub(super) entry: Option<&'a HookEntry>,
    pub(super) env: &'a Environment,
    pub(super) limit: Duration,
    /// With one, the program does not outlive the gateway.
    pub(super) launcher: Option<Arc<Launcher>>,
}

impl Call<'_> {
    /// Runs it to its end; what it printed.
    pub(super) async fn run(
        &self,
        event: &Value,
        cancel: &CancellationToken,
    ) -> Result<String, HandlerError> {
        let dir = self.program.parent().unwrap_or(Path::new("/"));
        let program = self.program.display().to_string();
        let arguments: Vec<&str> = self.argument.into_iter().collect();
        let command = Command::direct(&program, &arguments, dir, self.environment()?);
        let command = command.launched_by(self.launcher.clone()).ending_with_us();
        let limits = Limits { timeout: self.limit, max_output_bytes: MAX_OUTPUT };
        let input = event.to_string().into_bytes();
        let command = command.with_max_processes(MAX_PROCESSES);
        let outcome = homard_exec::run_with_input(command, limits, input, cancel).await?;
        match outcome.exit {
            Exit::Exited(0) => Ok(outcome.output),
            Exit::TimedOut => Err(HandlerError::Late(self.limit.as_secs())),
            Exit::TooManyProcesses => Err(HandlerError::Forked),
            Exit::Cancelled => Err(HandlerError::Stopped),
            Exit::Exited(code) => Err(failed(format!("code {code}"), &outcome.output)),
            Exit::Signalled(signal) => Err(failed(format!("signal {signal}"), &outcome.output)),
        }
    }

    /// What every command has, and what the owner gives this hook; nothing the gateway knows besides.
    fn environment(&self) -> Result<BuiltEnv, EnvError> {
        let base: BTreeMap<String, String> =
            self.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect_map();
        let mut env = BuiltEnv::from_base(&base).with_explicit("HOMARD_HOOK", self.name)?;
        for (name, value) in self.entry.iter().flat_map(|entry| &entry.env) {
            env = env.with_explicit(name, value.expose())?;
        }
        Ok(env)
    }
}

fn failed(code: String, output: &str) -> HandlerError {
    let line = output.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing");
    HandlerError::Failed { code, said: line.trim().clip_chars(TOLD_CHARS).to_owned() }
}

/// The JSON in what a program printed: all of it, or its last line that is not blank. Everything else is for people.
pub(super) fn said_json(output: &str) -> Option<Result<Value, HandlerError>> {
    let is_json = |text: &&str| text.starts_with(['{', '[']) || *text == "null";
    let whole = Some(output.trim()).filter(is_json).and_then(|whole| serde_json::from_str(whole).ok());
    if let Some(whole) = whole {
        return Some(Ok(whole));
    }
    let last = output.lines().rev().map(str::trim).find(|line| !line.is_empty()).filter(is_json)?;
    Some(serde_json::from_str(last).map_err(|error| HandlerError::Garbage(error.to_string())))
}

impl Answer {
    /// What a hook that printed this says.
    pub(super) fn read(output: &str) -> Result<Self, HandlerError> {
        let Some(said) = said_json(output).transpose()?.filter(Value::is_object) else {
            return Ok(Self::default());
        };
        let answer: Result<Self, _> = serde_json::from_value(said);
        let mut answer = answer.map_err(|error| HandlerError::Garbage(error.to_string()))?;
        let short = |text: &mut String| *text = text.clip_chars(MAX_TEXT).to_owned();
        answer.messages.iter_mut().for_each(short);
        answer.messages.truncate(8);
        for text in [&mut answer.refuse, &mut answer.text, &mut answer.append].into_iter().flatten() {
            short(text);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests;
