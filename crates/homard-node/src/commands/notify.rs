//! `system.notify`: a note on the person's screen.

use std::time::Duration;

use homard_exec::{Command, Exit, Limits};
use homard_runtime::Clip;
use serde::Deserialize;
use serde_json::json;

use super::{CommandCall, Failure, Reply, read};
use crate::machine::Machine;

/// The desktop's own program for it.
const PROGRAM: &str = "notify-send";
/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How much of what it says is kept for the error.
const MAX_OUTPUT: usize = 4_096;
/// Longest note, in characters.
const MAX_CHARS: usize = 4_000;

#[derive(Deserialize)]
struct Params {
    #[serde(default)]
    title: String,
    #[serde(default)]
    body: String,
    #[serde(default)]
    priority: Option<String>,
}

/// Whether there is somebody to show notes to.
pub(super) fn can_notify(machine: &Machine) -> bool {
    machine.screen_env != machine.env && machine.which(PROGRAM).is_some()
}

/// Shows a note.
pub(super) async fn notify(call: CommandCall) -> Reply {
    let Params { title, body, priority } = read(call.params)?;
    let cut = |text: &str| text.clip_chars(MAX_CHARS).to_owned();
    let (title, body) = (cut(title.trim()), cut(body.trim()));
    if title.is_empty() && body.is_empty() {
        return Err(Failure::invalid("a note needs a title or a body"));
    }
    let urgency = match priority.as_deref() {
        Some("timeSensitive") => "critical",
        Some("passive") => "low",
        _ => "normal",
    };
    let machine = &call.machine;
    // Everything after `--` is words, whatever it begins with.
    let args = ["--app-name=Homard", "--urgency", urgency, "--", title.as_str(), body.as_str()];
    let command = Command::direct(PROGRAM, &args, &machine.home, machine.screen_env.clone());
    let limits = Limits { timeout: TIMEOUT, max_output_bytes: MAX_OUTPUT };
    match homard_exec::run(command, limits, |_output| {}, &call.cancel).await {
        Ok(outcome) if outcome.exit == Exit::Exited(0) => Ok(json!({"ok": true})),
        Ok(outcome) => {
            let said = outcome.output.trim();
            Err(Failure::unavailable(format!("the note could not be shown: {said}")))
        }
        Err(error) => Err(Failure::unavailable(error.to_string())),
    }
}
