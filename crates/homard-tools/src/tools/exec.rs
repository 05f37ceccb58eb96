//! `exec`: a shell command, with its output told while it runs. One that takes long goes on in the background,
//! where `process` looks after it.
//!
//! How processes are started, limited and ended is `homard-exec`'s; this file reads the model's wishes and
//! words the result.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use homard_exec::approvals::may_call_us;
use homard_exec::{
    BuiltEnv, Command, EnvError, ExecError, Exit, Launcher, Limits, MAX_TIMEOUT, Outcome, Process,
    ProcessError, Processes, Start, run,
};
use homard_runtime::{millis, off_thread};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cx::ToolCx;
use crate::files::paths::{PathError, Paths};
use crate::gate::{CommandRun, Effect, Subject};
use crate::outcome::ToolOutcome;
use crate::ports::PortError;
use crate::registry::{ToolEntry, ToolOptions};
use crate::tool::{DynTool, Tool, ToolSpec};

mod on_node;
mod permission;
pub(crate) mod plain_text;

use permission::{ExecPlace, ExecRequest, NotAllowed};
use plain_text::plain_text;

/// Most output that reaches the model.
const MAX_OUTPUT_BYTES: usize = 30_000;
/// Longest command line; the system refuses a single argument above 128 KiB.
const MAX_COMMAND_BYTES: usize = 100_000;
/// What shells answer when a program cannot be run or found.
const CANNOT_RUN: [i32; 2] = [126, 127];

/// The shortest and the longest a command may hold the turn.
const YIELD_RANGE: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(120));

/// The name the model calls it by.
pub(crate) const NAME: &str = "exec";

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| {
        let background =
            Background { processes: options.processes.clone(), after: options.exec_background_after };
        Some(Arc::new(ExecTool { background: Some(background), ..ExecTool::new(options) }))
    },
};

/// The form of the tool for conversations that cannot look after what goes on in the background.
pub(crate) fn without_background(options: &ToolOptions) -> Arc<dyn DynTool> {
    Arc::new(ExecTool::new(options))
}

/// What a model is told of the tool where there are nodes.
pub(crate) fn reaching_nodes(spec: &ToolSpec) -> ToolSpec {
    let mut spec = spec.clone();
    if let Some(fields) = spec.parameters.get_mut("properties").and_then(Value::as_object_mut) {
        let host = json!({"description": "Where to run it; here if absent.", "type": "string", "enum": ["gateway", "node"]});
        fields.insert("host".to_owned(), host);
        let node =
            json!({"description": "Id or name; needed where several could be meant.", "type": "string"});
        fields.insert("node".to_owned(), node);
    }
    spec
}

pub(crate) struct ExecTool {
    paths: Paths,
    env: BuiltEnv,
    timeout: Duration,
    launcher: Option<Arc<Launcher>>,
    background: Option<Background>,
}

/// Where commands go on that take too long to wait for.
struct Background {
    processes: Processes,
    after: Duration,
}

/// Run a shell command. Returns stdout and stderr as they came; long output keeps its beginning and end. What
/// runs longer than yieldMs goes on in the background, see process. Only background and pty commands take input.
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
    /// Do not wait at all.
    #[serde(default)]
    background: Option<bool>,
    /// Milliseconds to wait before it goes to the background; 10000 if absent.
    #[serde(default, rename = "yieldMs", alias = "yield_ms")]
    yield_ms: Option<u64>,
    /// Give it a terminal, for programs that need one.
    #[serde(default)]
    pty: Option<bool>,
    // Wishes known from existing prompts, read so that they are not silently ignored, and not offered. Running
    // outside the sandbox means nothing where there is none.
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "known, and without meaning as long as there is no sandbox")]
    elevated: Option<bool>,
    // Offered where there are nodes.
    #[serde(default)]
    #[schemars(skip)]
    host: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    node: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    security: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    ask: Option<String>,
}

impl Tool for ExecTool {
    type Input = ExecInput;
    const NAME: &'static str = NAME;
    const EFFECT: Effect = Effect::Outward;
    const ASKS_ITSELF: bool = true;

    fn subject(input: &ExecInput) -> Subject {
        Subject::running(input.run())
    }

    async fn run(&self, input: ExecInput, cx: &ToolCx) -> ToolOutcome {
        self.execute(input, cx).await.into()
    }
}

impl ExecInput {
    /// What is run, for whoever tells whose words come out of it.
    fn run(&self) -> CommandRun {
        CommandRun {
            line: self.command.clone(),
            workdir: self.workdir.clone(),
            values: self.env.iter().flatten().map(|(_, value)| value.clone()).collect(),
        }
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
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("the command is empty")]
    Empty,
    #[error("the command is longer than {MAX_COMMAND_BYTES} bytes; write it to a file first and run that")]
    TooLong,
    #[error("timeout must be a number of seconds above 0, up to {}", MAX_TIMEOUT.as_secs())]
    BadTimeout,
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    #[error(transparent)]
    Node(#[from] PortError),
    #[error("commands cannot go on in the background in this conversation: run it without `background`")]
    NoBackground,
    #[error("stopped before the command was started")]
    Stopped,
    #[error("the disk thread ended early")]
    Thread(#[from] homard_runtime::Unfinished),
}

impl ExecTool {
    fn new(options: &ToolOptions) -> Self {
        Self {
            paths: Paths::new(&options.home, options.workspace_only),
            env: options.env.clone(),
            timeout: options.exec_timeout,
            launcher: options.launcher.clone(),
            background: None,
        }
    }

    async fn execute(&self, input: ExecInput, cx: &ToolCx) -> Result<ToolOutcome, ExecToolError> {
        check(&input)?;
        let place = permission::check_place(&input, &cx.scope.exec)?;
        if cx.cancel.is_cancelled() {
            return Err(ExecToolError::Stopped);
        }
        let timeout = timeout(input.timeout, self.timeout)?;
        if place == ExecPlace::Node {
            return on_node::execute(&input, timeout, cx).await;
        }
        let env = self.environment(&input, cx)?;
        let cwd = self.workdir(input.workdir.clone(), cx).await?;
        permission::obtain(ExecRequest { input: &input, cwd: &cwd, env: &env }, cx).await?;
        let command = Command::shell(&input.command, &cwd, env).launched_by(self.launcher.clone());
        // This very program works on the records; whether it may was asked.
        let command = if may_call_us(&input.command) { command.seeing_records() } else { command };
        let limits = Limits { timeout, max_output_bytes: MAX_OUTPUT_BYTES };
        match &self.background {
            Some(background) => background.execute(&input, command, limits, cx).await,
            None if input.background == Some(true) => Err(ExecToolError::NoBackground),
            None => {
                let outcome = run(command, limits, |text| cx.report(text), &cx.cancel).await?;
                Ok(tell(&outcome, &cwd, timeout, input.pty == Some(true)))
            }
        }
    }

    /// The owner's variables, those that came with the run, and what the model asks for.
    fn environment(&self, input: &ExecInput, cx: &ToolCx) -> Result<BuiltEnv, EnvError> {
        let mut env = self.env.clone();
        for (name, value) in &cx.scope.env {
            match env.clone().with_provided(name, value) {
                Ok(more) => env = more,
                Err(error) => tracing::warn!(%error, "a variable that came with the run is not set"),
            }
        }
        for (name, value) in input.env.iter().flatten() {
            env = env.with_requested(name, value)?;
        }
        Ok(env)
    }

    async fn workdir(&self, asked: Option<String>, cx: &ToolCx) -> Result<PathBuf, ExecToolError> {
        let workspace = &cx.workspace;
        let Some(asked) = asked.filter(|asked| !asked.trim().is_empty()) else {
            return Ok(workspace.to_owned());
        };
        let (paths, workspace) = (self.paths.for_call(cx), workspace.clone());
        Ok(off_thread(move || paths.resolve(&workspace, &asked)).await??)
    }
}

/// What a wait for a command came to.
enum WaitOutcome {
    Ended(Result<Outcome, ProcessError>),
    Cancelled,
    TooLong,
}

impl Background {
    /// Waits for the command for a while; then it goes on without us.
    async fn execute(
        &self,
        input: &ExecInput,
        command: Command,
        limits: Limits,
        cx: &ToolCx,
    ) -> Result<ToolOutcome, ExecToolError> {
        let at_once = input.background == Some(true);
        let (cwd, watched) = (command.cwd.clone(), cx.clone());
        let start = Start {
            command,
            line: input.command.clone(),
            limits,
            // A command somebody waits for must not wait for input that nobody can give.
            takes_input: at_once,
            in_terminal: input.pty == Some(true),
            watcher: Some(Box::new(move |text| watched.report(text))),
        };
        let mut attached = self.processes.start(&cx.session_key.to_string(), start).await?;
        if at_once {
            return Ok(still_running(&attached.detach()));
        }
        let (least, most) = YIELD_RANGE;
        let patience = input.yield_ms.map_or(self.after, Duration::from_millis).clamp(least, most);
        let waited = tokio::select! {
            biased;
            outcome = attached.outcome() => WaitOutcome::Ended(outcome),
            () = cx.cancel.cancelled() => WaitOutcome::Cancelled,
            () = tokio::time::sleep(patience) => WaitOutcome::TooLong,
        };
        let lacks_terminal = input.pty == Some(true) && !attached.process().summary().is_terminal;
        let outcome = match waited {
            WaitOutcome::Ended(outcome) => outcome?,
            WaitOutcome::Cancelled => {
                attached.process().kill();
                attached.outcome().await?
            }
            WaitOutcome::TooLong => return Ok(still_running(&attached.detach())),
        };
        Ok(tell(&outcome, &cwd, limits.timeout, lacks_terminal))
    }
}

fn still_running(process: &Process) -> ToolOutcome {
    let (output, _) = process.take_pending();
    let output = plain_text(&output);
    let about = process.summary();
    let so_far = if output.trim().is_empty() { String::new() } else { format!("{output}\n\n") };
    let text = format!(
        "{so_far}(still running in the background; use process with sessionId \"{}\" to poll it, read its log, give it input or kill it)",
        about.id
    );
    ToolOutcome::text(text).with_details(json!({
        "status": "running",
        "sessionId": about.id,
        "pid": about.pid,
        "startedAt": about.started_at,
        "cwd": about.cwd.display().to_string(),
        "tail": output,
    }))
}

fn check(input: &ExecInput) -> Result<(), ExecToolError> {
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
fn tell(outcome: &Outcome, cwd: &Path, timeout: Duration, lacks_terminal: bool) -> ToolOutcome {
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
        Exit::TooManyProcesses => {
            (None, Some("was stopped, with all it had started: it had become too many processes".to_owned()))
        }
    };
    if let Some(remark) = remark {
        write!(text, "\n\n(command {remark})").ok();
    }
    if outcome.ended_leftovers {
        text.push_str(
            "\n\n(background children were ended with the command; redirect their output to keep them)",
        );
    }
    if lacks_terminal {
        text.push_str("\n\n(there was no terminal for it; it ran without one)");
    }
    let completed = exit_code.is_some_and(|code| !CANNOT_RUN.contains(&code));
    let details = json!({
        "status": if completed { "completed" } else { "failed" },
        "exitCode": exit_code,
        "durationMs": millis(outcome.duration),
        "cwd": cwd.display().to_string(),
        "aggregated": output,
    });
    ToolOutcome { is_error: !completed, ..ToolOutcome::text(text).with_details(details) }
}

#[cfg(test)]
mod tests;
