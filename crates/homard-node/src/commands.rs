//! What a node can be asked to do: one row per command, one file per family.

mod approvals;
mod capture;
mod list_dir;
mod notify;
mod run;
mod which;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use homard_runtime::off_thread;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::machine::Machine;

/// What a command is given.
pub(crate) struct CommandCall {
    pub(crate) machine: Arc<Machine>,
    /// What the caller said, not looked at yet.
    pub(crate) params: Value,
    /// The conversation it is for.
    pub(crate) session_key: Option<String>,
    /// How long the caller waits, in milliseconds.
    pub(crate) timeout_ms: Option<u64>,
    /// Fires when nobody waits any more.
    pub(crate) cancel: CancellationToken,
    /// Where pieces of output and events go while it runs.
    pub(crate) said: mpsc::Sender<CommandAnswer>,
}

/// What a command says before it is done.
pub(crate) enum CommandAnswer {
    /// A piece of output.
    Output(String),
    /// Something worth telling: the event's name and particulars.
    Event(&'static str, Value),
}

/// What came of a command that did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Failure {
    /// The parameters make no sense.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { code: "INVALID_REQUEST", message: message.into() }
    }

    /// It cannot be done here or now.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self { code: "UNAVAILABLE", message: message.into() }
    }
}

/// What a command answers.
pub(crate) type Reply = Result<Value, Failure>;

type Run = fn(CommandCall) -> BoxFuture<'static, Reply>;

/// One command.
struct Row {
    name: &'static str,
    /// The kind it belongs to, for the owner who is asked about it.
    cap: &'static str,
    /// Whether this machine can do it.
    is_here: fn(&Machine) -> bool,
    run: Run,
}

const ROWS: &[Row] = &[
    Row {
        name: "camera.clip",
        cap: "camera",
        is_here: capture::has_camera,
        run: |c| Box::pin(capture::clip(c)),
    },
    Row {
        name: "camera.list",
        cap: "camera",
        is_here: capture::has_camera,
        run: |c| Box::pin(capture::list(c)),
    },
    Row {
        name: "camera.snap",
        cap: "camera",
        is_here: capture::has_camera,
        run: |c| Box::pin(capture::snap(c)),
    },
    Row { name: "fs.listDir", cap: "fs", is_here: always, run: |c| Box::pin(list_dir::list(c)) },
    Row {
        name: "screen.record",
        cap: "screen",
        is_here: capture::has_screen,
        run: |c| Box::pin(capture::record(c)),
    },
    Row {
        name: "system.execApprovals.get",
        cap: "system",
        is_here: always,
        run: |c| Box::pin(approvals::get(c)),
    },
    Row {
        name: "system.execApprovals.set",
        cap: "system",
        is_here: always,
        run: |c| Box::pin(approvals::set(c)),
    },
    Row {
        name: "system.notify",
        cap: "system",
        is_here: notify::can_notify,
        run: |c| Box::pin(notify::notify(c)),
    },
    Row { name: "system.run", cap: "system", is_here: always, run: |c| Box::pin(run::run(c)) },
    Row { name: "system.run.prepare", cap: "system", is_here: always, run: |c| Box::pin(run::prepare(c)) },
    Row { name: "system.which", cap: "system", is_here: always, run: |c| Box::pin(which::which(c)) },
];

fn always(_machine: &Machine) -> bool {
    true
}

/// What this machine offers: kinds of commands and their names. Only what it can really do.
#[must_use]
pub fn offered(machine: &Machine) -> (Vec<String>, Vec<String>) {
    let here: Vec<&Row> = ROWS.iter().filter(|row| (row.is_here)(machine)).collect();
    let mut caps: Vec<String> = here.iter().map(|row| row.cap.to_owned()).collect();
    caps.dedup();
    (caps, here.iter().map(|row| row.name.to_owned()).collect())
}

/// Does what it is asked to.
pub(crate) async fn call(name: &str, call: CommandCall) -> Reply {
    match ROWS.iter().find(|row| row.name == name && (row.is_here)(&call.machine)) {
        Some(row) => (row.run)(call).await,
        None => Err(Failure::unavailable(format!("this node does not offer `{name}`"))),
    }
}

/// Reads parameters; what is not known in them is ignored, as callers are older and newer than this.
fn read<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    homard_runtime::json::from_value(params)
        .map_err(|error| Failure::invalid(format!("invalid parameters: {error}")))
}

/// Does something that waits for the disk.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    off_thread(work).await.map_err(|_gone| Failure::unavailable("the node is stopping"))
}

#[cfg(test)]
mod tests;
