//! Doing what the [`App`](crate::app::App) asks for, beside it.

use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_client::Client;
use homard_exec::{BuiltEnv, Command, Exit, Limits};
use homard_protocol::methods::chat::Attachment;
use homard_runtime::{Arrange as _, Mutex, OrCancel, Tasks};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Machine, calls};
use crate::app::{AttachedFile, CallFailure, Effect, Msg, Reply, Request};
use crate::input::complete::CompletionLine;
use crate::input::paths::{halves, mime, resolved};
use crate::text::amounts::{duration, size};
use crate::text::clean::clean_line;

/// How long a command on this machine may run, and how much of what it prints is kept.
const SHELL_LIMITS: Limits = Limits { timeout: Duration::from_secs(600), max_output_bytes: 256 * 1024 };
/// The largest file, until the gateway has said.
const USUAL_MAX_BYTES: u64 = 5 * 1024 * 1024;
/// Files in the list that completes a path.
const LISTED: usize = 50;
/// How long what is under way may take to end when the program does.
const END_GRACE: Duration = Duration::from_millis(200);

/// What an effect means for the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopStep {
    Go,
    /// What came of it is told later, once.
    Later,
    Suspend,
    Quit,
}

/// Does what is asked for.
pub(crate) struct EffectRunner {
    tasks: Tasks,
    inbox: mpsc::Sender<Msg>,
    machine: Arc<Machine>,
    /// Ends the commands that run on this machine.
    shells: Mutex<CancellationToken>,
}

impl EffectRunner {
    pub(crate) fn new(inbox: mpsc::Sender<Msg>, machine: Machine) -> Self {
        let tasks = Tasks::new();
        let shells = Mutex::new(tasks.token().child_token());
        Self { tasks, inbox, machine: Arc::new(machine), shells }
    }

    /// Ends everything that is under way.
    pub(crate) async fn stop(&self) {
        self.tasks.token().cancel();
        self.tasks.finish(END_GRACE).await;
    }

    pub(crate) fn perform(&self, effect: Effect, client: Option<&Arc<Client>>) -> LoopStep {
        match effect {
            Effect::Suspend => return LoopStep::Suspend,
            Effect::Quit => return LoopStep::Quit,
            Effect::Ask(request) => return self.ask(request, client),
            Effect::Shell { id, command } => {
                let (machine, cancel) = (Arc::clone(&self.machine), self.shells.lock().clone());
                self.spawn(async move {
                    let (output, end) = run_shell(&machine, &command, &cancel).await;
                    Msg::ShellEnded { id, output, end }
                });
            }
            Effect::StopShell => {
                let mut shells = self.shells.lock();
                shells.cancel();
                *shells = self.tasks.token().child_token();
                return LoopStep::Go;
            }
            Effect::Read { path, instead } => {
                let machine = Arc::clone(&self.machine);
                let most =
                    client.map_or(USUAL_MAX_BYTES, |client| client.hello().policy.attachments.max_bytes);
                self.spawn(
                    async move { Msg::File { file: read_file(&machine, &path, most).await, instead } },
                );
            }
            Effect::List(word) => {
                let machine = Arc::clone(&self.machine);
                self.spawn(async move {
                    let lines = list_files(&machine, &word).await;
                    Msg::Files { word, lines }
                });
            }
        }
        LoopStep::Later
    }

    fn ask(&self, request: Request, client: Option<&Arc<Client>>) -> LoopStep {
        match (client.cloned(), request) {
            (Some(client), request) => {
                self.spawn(async move { Msg::Reply(calls::ask(&client, request).await) });
            }
            // Whoever is not there cannot take a message; it is sent again later.
            (None, Request::Send(params)) => {
                let lost = CallFailure { words: String::new(), is_lost: true };
                let run = params.idempotency_key.to_string();
                self.spawn(async move { Msg::Reply(Reply::Sent { run, answer: Err(lost) }) });
            }
            (None, _) => return LoopStep::Go,
        }
        LoopStep::Later
    }

    fn spawn(&self, work: impl Future<Output = Msg> + Send + 'static) {
        let (inbox, cancel) = (self.inbox.clone(), self.tasks.token().clone());
        self.tasks.spawn(async move {
            if let Ok(msg) = work.or_cancel(&cancel).await {
                // Nobody takes it when the program ends.
                drop(inbox.send(msg).or_cancel(&cancel).await);
            }
        });
    }
}

async fn run_shell(machine: &Machine, command: &str, cancel: &CancellationToken) -> (String, String) {
    let mut env = BuiltEnv::from_base(&machine.environment);
    let told = [("TERM", "dumb"), ("HOMARD_SHELL", "tui-local")];
    let theirs = machine.environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in theirs.chain(told) {
        // What cannot be a variable is none of the command's business.
        env = env.clone().with_explicit(name, value).unwrap_or(env);
    }
    let command = Command::shell(command, &machine.cwd, env);
    match homard_exec::run(command, SHELL_LIMITS, |_| {}, cancel).await {
        Err(error) => (String::new(), error.to_string()),
        Ok(outcome) => {
            let took = duration(homard_runtime::millis(outcome.duration));
            let end = match outcome.exit {
                Exit::Exited(0) => format!("done in {took}"),
                Exit::Exited(code) => format!("ended with code {code} after {took}"),
                Exit::Signalled(signal) => format!("ended by signal {signal} after {took}"),
                Exit::TimedOut => format!("ended after {took}: that is the longest it may run here"),
                Exit::Cancelled => format!("stopped after {took}"),
                Exit::TooManyProcesses => "ended: it became too many processes".to_owned(),
            };
            (outcome.output, end)
        }
    }
}

async fn read_file(machine: &Machine, path: &Path, most: u64) -> Result<AttachedFile, String> {
    let path = resolved(path, machine.home.as_deref(), &machine.cwd);
    let shown = clean_line(&path.display().to_string());
    let unreadable = |error: std::io::Error| format!("{shown} could not be read: {error}");
    let facts = tokio::fs::metadata(&path).await.map_err(unreadable)?;
    check(&facts, &shown, most)?;
    let bytes = tokio::fs::read(&path).await.map_err(unreadable)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (kind, mime_type) = mime(&name);
    let wire = Attachment {
        kind: Some(kind.to_owned()),
        mime_type: Some(mime_type.to_owned()),
        file_name: Some(clean_line(&name)),
        content: Some(STANDARD.encode(&bytes)),
    };
    Ok(AttachedFile { bytes: bytes.len() as u64, wire })
}

fn check(facts: &Metadata, shown: &str, most: u64) -> Result<(), String> {
    if !facts.is_file() {
        return Err(format!("{shown} is no file"));
    }
    if facts.len() == 0 {
        return Err(format!("{shown} is empty, so it was not attached"));
    }
    if facts.len() > most {
        return Err(format!("{shown} is larger than {}, so it was not attached", size(most)));
    }
    Ok(())
}

/// Files whose path begins so, folders first.
async fn list_files(machine: &Machine, word: &str) -> Vec<CompletionLine> {
    let (folder, begin) = halves(word);
    let place = resolved(Path::new(folder), machine.home.as_deref(), &machine.cwd);
    let Ok(mut entries) = tokio::fs::read_dir(place).await else { return Vec::new() };
    let wanted = begin.to_lowercase();
    let mut found = Vec::new();
    while let Ok(Some(entry)) = entries.next_entry().await {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_hidden = name.starts_with('.') && !begin.starts_with('.');
        // A name that would look other than it is cannot be chosen here.
        if is_hidden || !name.to_lowercase().starts_with(&wanted) || clean_line(&name) != name {
            continue;
        }
        let Ok(facts) = entry.metadata().await else { continue };
        found.push((!facts.is_dir(), name, facts.len()));
    }
    found.arrange();
    found.truncate(LISTED);
    let line = |(is_file, name, bytes): (bool, String, u64)| {
        let slash = if is_file { "" } else { "/" };
        let about = if is_file { size(bytes) } else { "folder".to_owned() };
        CompletionLine { text: format!("{folder}{name}{slash}"), about }
    };
    found.into_iter().map(line).collect()
}
