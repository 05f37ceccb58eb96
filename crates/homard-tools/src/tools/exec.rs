//! `exec`: a shell command in the foreground, with its output told while it runs.
//!
//! How processes are started, limited and ended is `homard-exec`'s; this file reads the model's wishes and
//! words the result.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use homard_exec::{BuiltEnv, Command, EnvError, ExecError, Exit, Limits, MAX_TIMEOUT, Outcome, run};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::cx::ToolCx;
use crate::outcome::ToolOutcome;
use crate::paths::{PathError, Paths};
use crate::registry::ToolEntry;
use crate::tool::Tool;

mod plain_text;

use plain_text::plain_text;

/// Most output that reaches the model.
const MAX_OUTPUT_BYTES: usize = 30_000;
/// Longest command line; the system refuses a single argument above 128 KiB.
const MAX_COMMAND_BYTES: usize = 100_000;
/// What shells answer when a program cannot be run or found.
const CANNOT_RUN: [i32; 2] = [126, 127];

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| {
        Arc::new(ExecTool {
            paths: Paths { home: options.home.clone(), workspace_only: options.workspace_only },
            env: options.env.clone(),
            timeout: options.exec_timeout,
        })
    },
};

pub(crate) struct ExecTool {
    paths: Paths,
    env: BuiltEnv,
    timeout: Duration,
}

/// Run a shell command and wait for it. Returns stdout and stderr as they came; long output keeps its
/// beginning and end. There is no terminal and no input.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ExecInput {
    /// Command line.
    command: String,
    /// Directory to run in; the workspace if absent.
    #[serde(default, alias = "cwd")]
    workdir: Option<String>,
    /// Extra environment variables.
    #[serde(default)]
    env: Option<BTreeMap<String, String>>,
    /// Seconds until it is stopped.
    #[serde(default)]
    timeout: Option<f64>,
    // Wishes known from existing prompts, read so that they are not silently ignored, and not offered.
    #[serde(default)]
    #[schemars(skip)]
    background: Option<bool>,
    #[serde(default)]
    #[schemars(skip)]
    pty: Option<bool>,
    #[serde(default)]
    #[schemars(skip)]
    elevated: Option<bool>,
    #[serde(default)]
    #[schemars(skip)]
    host: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    node: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    ask: Option<String>,
}

impl Tool for ExecTool {
    type Input = ExecInput;
    const NAME: &'static str = "exec";

    async fn run(&self, input: ExecInput, cx: &ToolCx) -> ToolOutcome {
        self.execute(input, cx).await.into()
    }
}

/// Why a command was not run.
#[derive(Debug, thiserror::Error)]
enum ExecToolError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Env(#[from] EnvError),
    #[error(transparent)]
    Exec(#[from] ExecError),
    #[error("the command is empty")]
    Empty,
    #[error("the command is longer than {MAX_COMMAND_BYTES} bytes; write it to a file first and run that")]
    TooLong,
    #[error("timeout must be a number of seconds above 0, up to {}", MAX_TIMEOUT.as_secs())]
    BadTimeout,
    #[error("`{wish}` is not supported yet: run the command in the foreground on this host without it")]
    NotYet { wish: &'static str },
    #[error("the disk thread ended early")]
    Thread(#[from] tokio::task::JoinError),
}

impl ExecTool {
    async fn execute(&self, input: ExecInput, cx: &ToolCx) -> Result<ToolOutcome, ExecToolError> {
        check(&input)?;
        let timeout = timeout(input.timeout, self.timeout)?;
        let mut env = self.env.clone();
        for (name, value) in input.env.iter().flatten() {
            env = env.with_requested(name, value)?;
        }
        let cwd = self.workdir(input.workdir, &cx.workspace).await?;
        let command = Command::shell(input.command, &cwd, env);
        let limits = Limits { timeout, max_output_bytes: MAX_OUTPUT_BYTES };
        let outcome = run(command, limits, |text| cx.report(text), &cx.cancel).await?;
        Ok(tell(&outcome, &cwd, timeout))
    }

    async fn workdir(&self, asked: Option<String>, workspace: &Path) -> Result<PathBuf, ExecToolError> {
        let Some(asked) = asked.filter(|asked| !asked.trim().is_empty()) else {
            return Ok(workspace.to_owned());
        };
        let (paths, workspace) = (self.paths.clone(), workspace.to_owned());
        Ok(tokio::task::spawn_blocking(move || paths.resolve(&workspace, &asked)).await??)
    }
}

fn check(input: &ExecInput) -> Result<(), ExecToolError> {
    let elsewhere = |host: &str| !matches!(host, "" | "auto" | "gateway");
    let wishes = [
        ("background", input.background == Some(true)),
        ("pty", input.pty == Some(true)),
        ("elevated", input.elevated == Some(true)),
        ("host", input.host.as_deref().is_some_and(elsewhere)),
        ("node", input.node.as_deref().is_some_and(|node| !node.is_empty())),
        ("ask", input.ask.as_deref().is_some_and(|ask| !matches!(ask, "" | "off"))),
    ];
    if let Some((wish, _)) = wishes.into_iter().find(|(_, asked)| *asked) {
        return Err(ExecToolError::NotYet { wish });
    }
    if input.command.trim().is_empty() {
        return Err(ExecToolError::Empty);
    }
    if input.command.len() > MAX_COMMAND_BYTES {
        return Err(ExecToolError::TooLong);
    }
    Ok(())
}

fn timeout(seconds: Option<f64>, default: Duration) -> Result<Duration, ExecToolError> {
    let Some(seconds) = seconds else { return Ok(default) };
    match Duration::try_from_secs_f64(seconds) {
        Ok(timeout) if !timeout.is_zero() && timeout <= MAX_TIMEOUT => Ok(timeout),
        Ok(_) | Err(_) => Err(ExecToolError::BadTimeout),
    }
}

/// A non-zero exit is not an error: `grep` and `test` speak with it. Not being found, being killed and being
/// stopped are.
fn tell(outcome: &Outcome, cwd: &Path, timeout: Duration) -> ToolOutcome {
    let output = plain_text(&outcome.output);
    let mut text = if output.trim().is_empty() { "(no output)".to_owned() } else { output.clone() };
    let (exit_code, remark) = match outcome.exit {
        Exit::Exited(0) => (Some(0), None),
        Exit::Exited(code) => (Some(code), Some(format!("exited with code {code}"))),
        Exit::Signalled(signal) => (None, Some(format!("killed by signal {signal}"))),
        Exit::TimedOut => {
            (None, Some(format!("timed out after {} s and was stopped", timeout.as_secs_f64())))
        }
        Exit::Cancelled => (None, Some("was stopped".to_owned())),
    };
    if let Some(remark) = remark {
        write!(text, "\n\n(command {remark})").ok();
    }
    if outcome.ended_leftovers {
        text.push_str(
            "\n\n(background children were ended with the command; redirect their output to keep them)",
        );
    }
    let completed = exit_code.is_some_and(|code| !CANNOT_RUN.contains(&code));
    let details = json!({
        "status": if completed { "completed" } else { "failed" },
        "exitCode": exit_code,
        "durationMs": u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        "cwd": cwd.display().to_string(),
        "aggregated": output,
    });
    ToolOutcome { is_error: !completed, ..ToolOutcome::text(text).with_details(details) }
}

#[cfg(test)]
mod tests;
