//! `exec` on a node: the rules for commands decide here, the node keeps rules of its own, and the command runs
//! there.
//!
//! The lists of programs name paths of this machine, which mean nothing on another. So a command runs without a
//! question only where everything may; otherwise a person is asked each time.

use std::time::Duration;

use homard_config::config::tools::{ExecAsk, ExecSecurity};
use homard_exec::approvals::{PolicyStore, Rules};
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_runtime::{Clip, millis, off_thread};
use serde::Deserialize;
use serde_json::{Value, json};

use super::permission::{NotAllowed, not_allowed, wish};
use super::plain_text::plain_text;
use super::{ExecInput, ExecToolError, MAX_OUTPUT_BYTES};
use crate::approvals::{ApprovalRequest, CommandTerms, Outcome};
use crate::cx::ToolCx;
use crate::gate::on_node::reads_files;
use crate::outcome::ToolOutcome;
use crate::ports::NodeCall;
use crate::words_of_others::taint::{GateAnswer, Label, Source};

/// The command of nodes that runs commands.
const RUN: &str = "system.run";
/// How a node says that its own list wants a person's yes.
const YES_WANTED: &str = "SYSTEM_RUN_DENIED: approval required";
/// What the node is given beyond the command's own time.
const GRACE: Duration = Duration::from_secs(10);

/// What a node says about a command that ran.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct NodeRun {
    exit_code: Option<i64>,
    timed_out: bool,
    success: Option<bool>,
    stdout: Option<String>,
    stderr: Option<String>,
    error: Option<String>,
}

/// Runs a command on a node.
pub(super) async fn execute(
    input: &ExecInput,
    timeout: Duration,
    cx: &ToolCx,
) -> Result<ToolOutcome, ExecToolError> {
    if let (Some(chosen), Some(named)) = (&cx.scope.exec.node, named(input))
        && !chosen.eq_ignore_ascii_case(named)
    {
        return Err(NotAllowed::OtherNode(chosen.clone()).into());
    }
    let room = cx.scope.ports.nodes().map_err(|_closed| NotAllowed::NoNode)?;
    if !room.has_any() {
        return Err(NotAllowed::NoNode.into());
    }
    let mut has_yes = match reasons_to_ask(input, cx).await? {
        Some(reasons) => ask(input, reasons, cx).await.map(|()| true)?,
        None => false,
    };
    loop {
        match room.invoke(cx, call(input, timeout, has_yes, cx)).await {
            Ok(answer) => {
                let outcome = tell(&answer.name, &answer.payload);
                let from = Label::new(Source::Tool, format!("{RUN} on {}", answer.name));
                return Ok(if reads_files(&input.run()) { outcome.from_others(from) } else { outcome });
            }
            // The node has a list of its own, and this command is not on it.
            Err(error) if !has_yes && error.to_string().contains(YES_WANTED) => {
                ask(input, vec!["it is not on the node's own list".to_owned()], cx).await?;
                has_yes = true;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The node the model names.
fn named(input: &ExecInput) -> Option<&str> {
    input.node.as_deref().map(str::trim).filter(|node| !node.is_empty())
}

/// The same, or else the one the conversation's commands run on.
fn chosen<'a>(input: &'a ExecInput, cx: &'a ToolCx) -> Option<&'a str> {
    named(input).or(cx.scope.exec.node.as_deref())
}

/// What the node is asked; whether a person said yes goes along, for its own list.
fn call(input: &ExecInput, timeout: Duration, has_yes: bool, cx: &ToolCx) -> NodeCall {
    let timeout_ms = millis(timeout);
    let params = json!({
        "command": ["/bin/sh", "-c", input.command],
        "rawCommand": input.command,
        "cwd": input.workdir,
        "env": input.env,
        "timeoutMs": timeout_ms,
        "agentId": cx.session_key.agent_id().map(ToString::to_string),
        "sessionKey": cx.session_key.to_string(),
        "runId": cx.call_id.to_string(),
        "approved": has_yes.then_some(true),
        "approvalDecision": has_yes.then_some("allow-once"),
    });
    NodeCall {
        node: chosen(input, cx).map(str::to_owned),
        command: RUN.to_owned(),
        params: without_nulls(params),
        timeout: Some(timeout.saturating_add(GRACE)),
    }
}

/// Why a person must be asked; `None` when nobody needs to be.
async fn reasons_to_ask(input: &ExecInput, cx: &ToolCx) -> Result<Option<Vec<String>>, NotAllowed> {
    let security: Option<ExecSecurity> =
        wish(input.security.as_deref(), "security", "deny, allowlist, full")?;
    let ask: Option<ExecAsk> = wish(input.ask.as_deref(), "ask", "off, on-miss, always")?;
    let scope = cx.scope.exec.clone();
    let rules = off_thread(move || -> Result<Rules, NotAllowed> {
        let loaded = scope.store.as_ref().map(PolicyStore::load).transpose();
        let loaded = loaded.map_err(|error| NotAllowed::Refused { reason: error.to_string() })?;
        let file = loaded.map(|loaded| loaded.file).unwrap_or_default();
        Ok(scope.in_force(&file, security, ask))
    })
    .await??;
    if rules.security == ExecSecurity::Deny {
        let reason = "commands are switched off here (security is `deny`)".to_owned();
        return Err(NotAllowed::Refused { reason });
    }
    let gate = match cx.scope.taint.passed(&cx.call_id) {
        Some(GateAnswer::MustAsk(reasons)) => Some(reasons),
        Some(GateAnswer::Allowed) | None => None,
    };
    let runs_unasked = rules.security == ExecSecurity::Full && rules.ask != ExecAsk::Always;
    Ok(if gate.is_none() && runs_unasked { None } else { Some(gate.unwrap_or_default()) })
}

/// Waits for a person's yes.
async fn ask(input: &ExecInput, more: Vec<String>, cx: &ToolCx) -> Result<(), NotAllowed> {
    let secrets = &cx.scope.guards.secrets;
    let node = chosen(input, cx).unwrap_or("the only one that can");
    let mut reasons = vec![format!("it runs on a node: {node}")];
    reasons.extend(more);
    reasons.extend(input.env.iter().flatten().map(|(name, value)| format!("it sets {name}={value}")));
    let request = ApprovalRequest {
        tool: super::NAME.to_owned(),
        action: secrets.hide(&input.command).into_owned(),
        cwd: input.workdir.clone(),
        resolved_path: None,
        reasons: reasons.iter().map(|reason| secrets.hide(&reason.replace('\n', " ")).into_owned()).collect(),
        can_always: false,
        terms: CommandTerms { on_node: true, ..CommandTerms::default() },
        session_key: Some(cx.session_key.clone()),
        run_id: Some(cx.run_id.clone()),
        call_id: Some(cx.call_id.clone()),
        for_guest: cx.is_for_guest(),
    };
    match cx.ask(request).await {
        Outcome::Said(ApprovalDecision::AllowOnce | ApprovalDecision::AllowAlways) => Ok(()),
        other => Err(not_allowed(other)),
    }
}

fn without_nulls(mut params: Value) -> Value {
    if let Some(fields) = params.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    params
}

/// What the model reads.
fn tell(node: &str, payload: &Value) -> ToolOutcome {
    let ran: NodeRun = homard_runtime::json::from_value(payload.clone()).unwrap_or_default();
    let both: String = [ran.stdout.as_deref(), ran.stderr.as_deref(), ran.error.as_deref()]
        .into_iter()
        .flatten()
        .filter(|text| !text.trim().is_empty())
        .collect::<Vec<_>>()
        .join("\n");
    let output = shortened(&plain_text(&both));
    let how = match (ran.timed_out, ran.exit_code) {
        (true, _) => "\n\n(command timed out and was stopped)".to_owned(),
        (false, Some(0)) => String::new(),
        (false, Some(code)) => format!("\n\n(command exited with code {code})"),
        (false, None) if ran.success == Some(true) => String::new(),
        (false, None) => "\n\n(command did not run to its end)".to_owned(),
    };
    let shown = if output.trim().is_empty() { "(no output)" } else { output.as_str() };
    let is_error = ran.timed_out || (ran.exit_code.is_none() && ran.success != Some(true));
    let details = json!({
        "status": if is_error { "failed" } else { "completed" },
        "exitCode": ran.exit_code,
        "host": "node",
        "node": node,
        "aggregated": output,
    });
    ToolOutcome { is_error, ..ToolOutcome::text(format!("{shown}{how}")).with_details(details) }
}

/// The beginning and the end of what is too long.
fn shortened(text: &str) -> String {
    if text.len() <= MAX_OUTPUT_BYTES {
        return text.to_owned();
    }
    let half = MAX_OUTPUT_BYTES / 2;
    let head = text.clip_chars(half).to_owned();
    let skipped = text.chars().count().saturating_sub(half);
    let tail: String = text.chars().skip(skipped.max(half)).collect();
    format!("{head}\n… (cut) …\n{tail}")
}

#[cfg(test)]
mod tests;
