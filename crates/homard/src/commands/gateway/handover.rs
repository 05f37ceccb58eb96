//! `homard gateway handover` and `restart`: a gateway that runs is replaced, or starts afresh.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::super::Cx;
use super::super::service::daemon;
use crate::compose::handover::{HandoverOutcome, HandoverRequest, outcome_file, wish_file};
use crate::compose::lock::{self, Holder};
use crate::report::Advice;

const EXAMPLES: &str = "\
Examples:
  ./homard gateway handover              let the running gateway become this program
  homard gateway handover --binary /opt/homard-next

Connections made meanwhile wait and are not refused; runs under way finish; messages sent in between are answered
by the new program. If it does not start, the old one goes on. A bare SIGUSR2 to the gateway does the same with
the program at the place it was started from.";

/// How long a hand-over may take: getting ready, letting runs finish, opening the store.
const PATIENCE: Duration = Duration::from_secs(90);
/// How often to look for its outcome.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Let another program take over from the running gateway, without refusing anybody
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HandoverArgs {
    /// The program that takes over; this one when left out
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How it is told that a gateway starts afresh.
#[derive(Args)]
pub(crate) struct RestartArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The gateway on our state.
fn running(cx: &Cx) -> anyhow::Result<Pid> {
    match lock::holder(&cx.source.paths.lock_file()) {
        Holder::Process(Some(pid)) => Ok(pid),
        Holder::Process(None) | Holder::Nobody | Holder::Crashed => Err(Advice::error(
            "no gateway runs on this state folder",
            "start one with `homard gateway`; --profile and HOMARD_STATE_DIR choose another folder",
        )),
    }
}

/// `homard gateway handover`.
pub(crate) async fn handover(cx: &Cx, args: &HandoverArgs) -> anyhow::Result<()> {
    let pid = running(cx)?;
    let binary = match &args.binary {
        Some(path) => fs::canonicalize(path).with_context(|| format!("there is no `{}`", path.display()))?,
        None => std::env::current_exe().context("this program does not know where it lies")?,
    };
    let outcome = ask_for(cx, pid, binary, PATIENCE).await?;
    if args.json {
        cx.console.json(&json!(outcome))?;
    }
    match outcome {
        HandoverOutcome { successor: Some(heir), gap_ms, .. } => {
            if !args.json {
                let (pid, version, gap) = (heir.pid, heir.version, gap_ms.unwrap_or_default());
                cx.console.line(&format!(
                    "Process {pid} (version {version}) took over; new connections waited {gap} ms."
                ))?;
            }
            Ok(())
        }
        HandoverOutcome { error, .. } => {
            let why = error.unwrap_or_else(|| "no reason given".to_owned());
            Err(Advice::error(format!("the gateway that runs goes on: {why}"), "`homard logs` says more"))
        }
    }
}

/// Asks the gateway that runs to let this program take over, and waits for what comes of it.
pub(crate) async fn ask_for(
    cx: &Cx,
    pid: Pid,
    binary: PathBuf,
    patience: Duration,
) -> anyhow::Result<HandoverOutcome> {
    let wish = HandoverRequest { id: uuid::Uuid::new_v4().to_string(), binary };
    let file = wish_file(&cx.source);
    fs::write(&file, serde_json::to_vec(&wish)?)
        .with_context(|| format!("could not write `{}`", file.display()))?;
    kill_process(pid, Signal::USR2).context("the gateway that runs could not be asked")?;
    let outcome = tokio::time::timeout(patience, outcome_of(cx, &wish)).await;
    outcome.context("the gateway that runs did not answer; its log says why")
}

async fn outcome_of(cx: &Cx, wish: &HandoverRequest) -> HandoverOutcome {
    let file = outcome_file(&cx.source);
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        looks.tick().await;
        let text = fs::read(&file).unwrap_or_default();
        match serde_json::from_slice::<HandoverOutcome>(&text) {
            Ok(outcome) if outcome.id.as_deref() == Some(wish.id.as_str()) => return outcome,
            Ok(_) | Err(_) => {}
        }
    }
}

/// `homard gateway restart`: a fresh start inside the process, after runs under way. Where none runs but a service is
/// installed, that one is started.
pub(crate) async fn restart(cx: &Cx, json: bool) -> anyhow::Result<()> {
    let pid = match running(cx) {
        Ok(pid) => pid,
        Err(nobody) => return if daemon::start_if_installed(cx, json).await? { Ok(()) } else { Err(nobody) },
    };
    kill_process(pid, Signal::USR1).context("the gateway that runs could not be asked")?;
    let pid = pid.as_raw_nonzero().get();
    if json {
        return Ok(cx.console.json(&json!({"ok": true, "pid": pid}))?);
    }
    cx.console
        .line(&format!("The gateway (process {pid}) starts afresh as soon as runs under way are over."))?;
    Ok(())
}
