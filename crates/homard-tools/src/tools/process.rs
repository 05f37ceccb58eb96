//! `process`: looking after the commands `exec` left running in the background.
//!
//! A conversation sees its own commands and no others. What a process is, and how its output is bounded, is
//! `homard-exec`'s; this file reads the model's wishes and words the answers.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homard_exec::{Exit, InputError, Process, Processes};
use homard_runtime::{Cancelled, Clip, OrCancel};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cx::ToolCx;
use crate::gate::{CommandRun, Effect, Subject, labels_of_command};
use crate::outcome::ToolOutcome;
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::exec::plain_text::plain_text;

mod keys;

use keys::{KeyError, Press};

/// The longest one poll waits.
const MAX_POLL: Duration = Duration::from_secs(120);
/// Lines of the log that are shown when none are named.
const LOG_LINES: usize = 200;
/// Most of a log that reaches the model at once.
const MAX_ANSWER_BYTES: usize = 30_000;
/// Most input of one call.
const MAX_INPUT_BYTES: usize = 100_000;
/// Most of a command line that is shown in the list.
const MAX_LINE_CHARS: usize = 120;

/// The name the model calls it by.
pub(crate) const NAME: &str = "process";

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| {
        let (processes, home) = (options.processes.clone(), options.home.clone());
        Some(Arc::new(ProcessTool { processes, home }))
    },
};

pub(crate) struct ProcessTool {
    processes: Processes,
    home: PathBuf,
}

/// Look after background commands by action (list, poll, log, write, submit, paste, send-keys, kill, clear, remove)
/// and sessionId. poll tells new output and state; write, submit (a line), paste and send-keys go to its input;
/// clear forgets a finished one; remove kills and forgets.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProcessInput {
    action: Action,
    /// Which command; not for list.
    #[serde(default, alias = "session_id", alias = "id")]
    session_id: Option<String>,
    /// write, submit: the input.
    #[serde(default)]
    data: Option<String>,
    /// send-keys: Enter, Up, C-c, ...
    #[serde(default)]
    keys: Option<Vec<String>>,
    // Rarely used; understood, and not worth describing in every request.
    #[serde(default)]
    #[schemars(skip)]
    hex: Option<Vec<String>>,
    #[serde(default)]
    #[schemars(skip)]
    literal: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    bracketed: Option<bool>,
    /// paste: the text.
    #[serde(default)]
    text: Option<String>,
    /// write: close the input afterwards.
    #[serde(default)]
    eof: Option<bool>,
    /// log: first line, from 0; the last 200 if absent.
    #[serde(default)]
    offset: Option<usize>,
    /// log: most lines.
    #[serde(default)]
    limit: Option<usize>,
    /// poll: milliseconds to wait for the end, up to 120000.
    #[serde(default)]
    timeout: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Action {
    List,
    Poll,
    Log,
    Write,
    SendKeys,
    Submit,
    Paste,
    Kill,
    Clear,
    Remove,
}

impl Tool for ProcessTool {
    type Input = ProcessInput;
    const NAME: &'static str = NAME;
    const BRIEF: bool = true;
    const EFFECT: Effect = Effect::Outward;

    fn subject(input: &ProcessInput) -> Subject {
        match input.action {
            // Ending a command does nothing to anybody else.
            Action::List | Action::Poll | Action::Log | Action::Kill | Action::Clear | Action::Remove => {
                Subject::looking()
            }
            Action::Write | Action::SendKeys | Action::Submit | Action::Paste => Subject::default(),
        }
    }

    async fn run(&self, input: ProcessInput, cx: &ToolCx) -> ToolOutcome {
        self.act(input, cx).await.into()
    }
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
enum ProcessToolError {
    #[error("sessionId is missing: name the command, action list shows them")]
    NoId,
    #[error("there is no background command `{id}` in this conversation; there {are}")]
    Unknown { id: String, are: String },
    #[error("`{id}` is still running: use kill or remove")]
    StillRunning { id: String },
    #[error("nothing to send: give `{field}`")]
    Nothing { field: &'static str },
    #[error("the input is longer than {MAX_INPUT_BYTES} bytes; write it to a file first")]
    TooLong,
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(
        "`{id}` got no input: it has none, because it was not started with background or pty; start it again so"
    )]
    NoInput { id: String },
    #[error("`{id}` got no input")]
    Input {
        id: String,
        #[source]
        source: InputError,
    },
    #[error("stopped waiting; the command goes on")]
    Stopped,
    #[error("stopped waiting; the command is being ended")]
    Ending,
}

impl ProcessTool {
    async fn act(&self, input: ProcessInput, cx: &ToolCx) -> Result<ToolOutcome, ProcessToolError> {
        let scope = cx.session_key.to_string();
        if input.action == Action::List {
            return Ok(self.list(&scope, cx));
        }
        let process = self.find(&scope, input.session_id.as_deref())?;
        match input.action {
            Action::List => Ok(self.list(&scope, cx)),
            Action::Poll => Ok(self.by(&process, poll(&process, input.timeout, cx).await?, cx).await),
            Action::Log => Ok(self.by(&process, log(&process, input.offset, input.limit), cx).await),
            Action::Write | Action::SendKeys | Action::Submit | Action::Paste => {
                // What is typed may be a command, to a shell; what comes of it is read later.
                let typed = [&input.data, &input.text, &input.literal].into_iter().flatten();
                let mut labels = Vec::new();
                for typed in typed {
                    labels.extend(labels_of_command(CommandRun::of(typed), &self.home, cx).await);
                }
                let sent = send(&process, input).await?;
                Ok(labels.into_iter().fold(sent, ToolOutcome::from_others))
            }
            Action::Kill => kill(&process, cx).await,
            Action::Clear if process.end().is_none() => {
                Err(ProcessToolError::StillRunning { id: process.id().to_owned() })
            }
            Action::Clear | Action::Remove => {
                self.processes.remove(&scope, process.id());
                Ok(ToolOutcome::text(format!("removed {}", process.id())))
            }
        }
    }

    /// An answer with the words of whom the command brings in: the conversation it was started in may be over.
    async fn by(&self, process: &Process, outcome: ToolOutcome, cx: &ToolCx) -> ToolOutcome {
        let about = process.summary();
        let run = CommandRun { workdir: Some(about.cwd.display().to_string()), ..CommandRun::of(about.line) };
        let labels = labels_of_command(run, &self.home, cx).await;
        labels.into_iter().fold(outcome, ToolOutcome::from_others)
    }

    fn find(&self, scope: &str, id: Option<&str>) -> Result<Process, ProcessToolError> {
        let id = id.map(str::trim).filter(|id| !id.is_empty()).ok_or(ProcessToolError::NoId)?;
        self.processes.find(scope, id).ok_or_else(|| {
            let there = self.processes.list(scope);
            let names: Vec<&str> = there.iter().map(Process::id).collect();
            let are =
                if names.is_empty() { "are none".to_owned() } else { format!("are: {}", names.join(", ")) };
            ProcessToolError::Unknown { id: id.clip_chars(64).to_owned(), are }
        })
    }

    fn list(&self, scope: &str, cx: &ToolCx) -> ToolOutcome {
        let there = self.processes.list(scope);
        let now = cx.clock.now_ms();
        let lines: Vec<String> = there
            .iter()
            .map(|process| {
                let about = process.summary();
                let seconds = (about.end.map_or(now, |end| end.at) - about.started_at) / 1000;
                let line = about.line.clip_chars(MAX_LINE_CHARS).to_owned();
                format!("{} {} {seconds}s: {}", about.id, state(process), line.replace('\n', " "))
            })
            .collect();
        let text = if lines.is_empty() { "no background commands".to_owned() } else { lines.join("\n") };
        let sessions: Vec<Value> = there.iter().map(details).collect();
        ToolOutcome::text(text).with_details(json!({ "status": "completed", "sessions": sessions }))
    }
}

async fn poll(process: &Process, timeout: Option<u64>, cx: &ToolCx) -> Result<ToolOutcome, ProcessToolError> {
    let patience = Duration::from_millis(timeout.unwrap_or(0)).min(MAX_POLL);
    if !patience.is_zero() {
        let waiting = tokio::time::timeout(patience, process.ended());
        drop(waiting.or_cancel(&cx.cancel).await.map_err(|Cancelled| ProcessToolError::Stopped)?);
    }
    // Asked first: what is written before the end must not be missed.
    let state = state(process);
    let (output, lost) = process.take_pending();
    let output = plain_text(&output);
    let mut text =
        if lost > 0 { format!("[{lost} bytes before this are in the log or lost]\n") } else { String::new() };
    text.push_str(if output.trim().is_empty() { "(no new output)" } else { &output });
    write!(text, "\n\n(command {state})").ok();
    Ok(ToolOutcome::text(text).with_details(details(process)))
}

fn log(process: &Process, offset: Option<usize>, limit: Option<usize>) -> ToolOutcome {
    let (log, lost) = process.log();
    let log = plain_text(&log);
    let lines: Vec<&str> = log.lines().collect();
    let limit = limit.unwrap_or(LOG_LINES).max(1);
    let first = offset.unwrap_or(lines.len().saturating_sub(limit)).min(lines.len());
    let page: Vec<&str> = lines.iter().skip(first).take(limit).copied().collect();
    let mut text = page.join("\n");
    if text.len() > MAX_ANSWER_BYTES {
        text.truncate(text.clip_bytes(MAX_ANSWER_BYTES).len());
        text.push_str("\n[cut here: ask for fewer lines]");
    }
    if page.is_empty() {
        text.push_str("(no lines here)");
    }
    let earlier = if lost > 0 { format!("; {lost} bytes before line 0 are lost") } else { String::new() };
    let range =
        format!("lines {first}-{} of {}", (first + page.len()).saturating_sub(1).max(first), lines.len());
    write!(text, "\n\n[{range}{earlier}] (command {})", state(process)).ok();
    ToolOutcome::text(text).with_details(details(process))
}

async fn send(process: &Process, input: ProcessInput) -> Result<ToolOutcome, ProcessToolError> {
    let presses = presses(&input)?;
    let bytes: usize = presses.iter().map(Press::len).sum();
    if bytes > MAX_INPUT_BYTES {
        return Err(ProcessToolError::TooLong);
    }
    let failed = |source: InputError| match source {
        InputError::Closed if !process.summary().takes_input => {
            ProcessToolError::NoInput { id: process.id().to_owned() }
        }
        source => ProcessToolError::Input { id: process.id().to_owned(), source },
    };
    let is_terminal = process.summary().is_terminal;
    for press in &presses {
        match press {
            press if is_terminal => process.write(press.at_terminal()).await.map_err(failed)?,
            Press::Bytes(bytes) => process.write(bytes).await.map_err(failed)?,
            Press::Interrupt => process.interrupt().map_err(failed)?,
            Press::EndOfInput => process.close_input().await,
        }
    }
    let text = format!("sent {bytes} bytes to {}; poll it for the answer", process.id());
    Ok(ToolOutcome::text(text).with_details(details(process)))
}

/// What an input action sends, in order.
fn presses(input: &ProcessInput) -> Result<Vec<Press>, ProcessToolError> {
    let bytes = |text: &str| Press::Bytes(text.as_bytes().to_vec());
    let mut presses = Vec::new();
    match input.action {
        Action::Submit => {
            presses.push(bytes(input.data.as_deref().unwrap_or_default()));
            presses.push(bytes("\n"));
        }
        Action::Paste => {
            let text = input.text.as_deref().or(input.data.as_deref());
            let text = text.ok_or(ProcessToolError::Nothing { field: "text" })?;
            // Without a terminal the marks of a paste would be read as text, so only on request.
            let marked = input.bracketed == Some(true);
            presses.push(if marked { bytes(&format!("\u{1b}[200~{text}\u{1b}[201~")) } else { bytes(text) });
        }
        Action::SendKeys => {
            presses.extend(input.literal.as_deref().map(bytes));
            for code in input.hex.iter().flatten() {
                presses.push(keys::hex(code)?);
            }
            for key in input.keys.iter().flatten() {
                presses.push(keys::press(key)?);
            }
            if presses.is_empty() {
                return Err(ProcessToolError::Nothing { field: "keys" });
            }
        }
        _ => {
            presses.extend(input.data.as_deref().map(bytes));
            if input.eof == Some(true) {
                presses.push(Press::EndOfInput);
            }
            if presses.is_empty() {
                return Err(ProcessToolError::Nothing { field: "data" });
            }
        }
    }
    Ok(presses)
}

async fn kill(process: &Process, cx: &ToolCx) -> Result<ToolOutcome, ProcessToolError> {
    let was_running = process.end().is_none();
    process.kill();
    process.ended().or_cancel(&cx.cancel).await.map_err(|Cancelled| ProcessToolError::Ending)?;
    let done = if was_running { "killed" } else { "had ended already:" };
    let text = format!("{done} {} ({})", process.id(), state(process));
    Ok(ToolOutcome::text(text).with_details(details(process)))
}

/// `is running`, `exited with code 0`, ...
fn state(process: &Process) -> String {
    let Some(end) = process.end() else { return "is running".to_owned() };
    match end.exit {
        Some(Exit::Exited(code)) => format!("exited with code {code}"),
        Some(Exit::Signalled(signal)) => format!("killed by signal {signal}"),
        Some(Exit::TimedOut) => "timed out and was stopped".to_owned(),
        Some(Exit::Cancelled) => "was stopped".to_owned(),
        Some(Exit::TooManyProcesses) => "had become too many processes and was stopped".to_owned(),
        None => "ended, nobody knows how".to_owned(),
    }
}

fn details(process: &Process) -> Value {
    let about = process.summary();
    let exit = about.end.and_then(|end| end.exit);
    let (status, code) = match (about.end, exit) {
        (None, _) => ("running", None),
        (Some(_), Some(Exit::Exited(code))) => (if code == 0 { "completed" } else { "failed" }, Some(code)),
        (Some(_), _) => ("failed", None),
    };
    json!({
        "sessionId": about.id,
        "status": status,
        "exitCode": code,
        "pid": about.pid,
        "startedAt": about.started_at,
        "endedAt": about.end.map(|end| end.at),
        "cwd": about.cwd.display().to_string(),
        "command": about.line,
        "outputBytes": about.output_bytes,
        "pty": about.is_terminal,
    })
}
