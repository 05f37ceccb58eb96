//! `system.run`: a command on this machine, if its owner's list or a person says yes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use homard_config::config::tools::ExecSecurity;
use homard_exec::approvals::{Decision, ExecRules, Question, Request};
use homard_exec::{BuiltEnv, Command, Exit, Limits, Outcome};
use homard_runtime::{Clip, millis};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CommandAnswer, CommandCall, Failure, Reply, blocking, read};
use crate::machine::Machine;

/// How much output is kept, half from its beginning and half from its end.
const MAX_OUTPUT_BYTES: usize = 200_000;
/// How long a command may run when nobody says.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// Longest piece of output told while it runs, in characters.
const MAX_PIECE: usize = 8_192;
/// Whose commands they are when the caller does not say.
const DEFAULT_AGENT: &str = "main";
/// Shells whose `-c` is read as the line they would run.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "/bin/sh", "/bin/bash", "/usr/bin/bash"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    command: Vec<String>,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    timeout_ms: Option<u64>,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    session_key: Option<String>,
    #[serde(default)]
    run_id: Option<String>,
    /// A person was asked by the gateway and said yes.
    #[serde(default)]
    approved: bool,
    #[serde(default)]
    approval_decision: Option<String>,
}

/// A command that may be looked at, and perhaps run.
struct RunRequest {
    argv: Vec<String>,
    line: String,
    cwd: PathBuf,
    env: BuiltEnv,
    variables: Vec<(String, String)>,
    agent: String,
}

impl RunRequest {
    fn of(params: &Params, machine: &Machine) -> Result<Self, Failure> {
        if params.command.first().is_none_or(String::is_empty) {
            return Err(Failure::invalid("`command` must name a program"));
        }
        if params.command.iter().any(|word| word.contains('\0')) {
            return Err(Failure::invalid("`command` holds a zero byte"));
        }
        let cwd = match params.cwd.as_deref().map(str::trim).filter(|cwd| !cwd.is_empty()) {
            Some(cwd) => PathBuf::from(cwd),
            None => machine.home.clone(),
        };
        let mut env = machine.env.clone();
        for (name, value) in &params.env {
            env = env.with_requested(name, value).map_err(|error| denied(error.to_string()))?;
        }
        Ok(Self {
            argv: params.command.clone(),
            line: line_of(&params.command),
            cwd,
            env,
            variables: params.env.clone().into_iter().collect(),
            agent: params.agent_id.clone().unwrap_or_else(|| DEFAULT_AGENT.to_owned()),
        })
    }

    /// Decides by the machine's own list. Where it says nothing, only what is listed or approved runs.
    fn decide(&self, machine: &Machine) -> (ExecRules, Decision) {
        let says = machine.policy.load().map(|loaded| loaded.file.rules(&self.agent).security);
        let security = match says {
            Ok(Some(_)) => None,
            Ok(None) | Err(_) => Some(ExecSecurity::Allowlist),
        };
        let rules = ExecRules {
            agent: self.agent.clone(),
            security,
            store: Some(machine.policy.clone()),
            ..ExecRules::default()
        };
        let request = Request {
            line: &self.line,
            cwd: &self.cwd,
            env: &self.env,
            variables: &self.variables,
            security: None,
            ask: None,
        };
        let decision = rules.decide(&request, machine.clock.now_ms());
        (rules, decision)
    }
}

/// Runs a command.
pub(super) async fn run(call: CommandCall) -> Reply {
    let params: Params = read(call.params.clone())?;
    let wanted = RunRequest::of(&params, &call.machine)?;
    let told = RunFacts::of(&params, &call, &wanted.line);
    let (machine, answer) = (call.machine.clone(), Answer::of(&params));
    let (wanted, allowed) = blocking(move || {
        let allowed = allow(&wanted, &machine, answer);
        (wanted, allowed)
    })
    .await?;
    if let Err(failure) = allowed {
        told.say("exec.denied", json!({"reason": failure.message})).await;
        return Err(failure);
    }
    told.say("exec.started", json!({})).await;
    let outcome = start(&call, &params, wanted).await;
    let answer = match outcome {
        Ok(outcome) => result(&outcome),
        Err(error) => json!({
            "exitCode": null, "timedOut": false, "success": false, "stdout": "", "stderr": "",
            "error": error.to_string(),
        }),
    };
    let keep = |name: &str| answer.get(name).cloned().unwrap_or(Value::Null);
    let finished =
        json!({"exitCode": keep("exitCode"), "timedOut": keep("timedOut"), "success": keep("success")});
    told.say("exec.finished", finished).await;
    Ok(answer)
}

/// Says how a command would be run, without running it.
pub(super) async fn prepare(call: CommandCall) -> Reply {
    let params: Params = read(call.params)?;
    let wanted = RunRequest::of(&params, &call.machine)?;
    let session = params.session_key.or(call.session_key);
    Ok(json!({
        "cmdText": wanted.line,
        "plan": {
            "argv": wanted.argv,
            "cwd": wanted.cwd.display().to_string(),
            "rawCommand": wanted.line,
            "commandText": wanted.line,
            "agentId": params.agent_id,
            "sessionKey": session,
        },
    }))
}

async fn start(
    call: &CommandCall,
    params: &Params,
    wanted: RunRequest,
) -> Result<Outcome, homard_exec::ExecError> {
    let asked = params.timeout_ms.or(call.timeout_ms).map_or(DEFAULT_TIMEOUT, Duration::from_millis);
    let limits = Limits { timeout: asked, max_output_bytes: MAX_OUTPUT_BYTES };
    let mut argv = wanted.argv.iter().map(String::as_str);
    let program = argv.next().unwrap_or_default();
    let args: Vec<&str> = argv.collect();
    let command = Command::direct(program, &args, &wanted.cwd, wanted.env);
    let said = call.said.clone();
    let on_output = move |output: &str| {
        let mut rest = output;
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(rest.clip_chars(MAX_PIECE).len());
            // Whoever is slow misses pieces; the result has everything.
            if said.try_send(CommandAnswer::Output(piece.to_owned())).is_err() {
                return;
            }
            rest = later;
        }
    };
    homard_exec::run(command, limits, on_output, &call.cancel).await
}

fn result(outcome: &Outcome) -> Value {
    let code = match outcome.exit {
        Exit::Exited(code) => Some(code),
        _ => None,
    };
    let error = match outcome.exit {
        Exit::Exited(_) => None,
        Exit::Signalled(signal) => Some(format!("ended by signal {signal}")),
        Exit::TimedOut => Some("it took too long and was ended".to_owned()),
        Exit::Cancelled => Some("it was cancelled".to_owned()),
        Exit::TooManyProcesses => Some("it became too many processes and was ended".to_owned()),
    };
    json!({
        "exitCode": code,
        "timedOut": outcome.exit == Exit::TimedOut,
        "success": code == Some(0),
        // Both streams, in the order they came.
        "stdout": outcome.output,
        "stderr": "",
        "error": error,
        "truncated": outcome.dropped_bytes > 0,
        "durationMs": millis(outcome.duration),
    })
}

/// What a person said, as the gateway passes it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    None,
    Once,
    Always,
}

impl Answer {
    fn of(params: &Params) -> Self {
        match (params.approved, params.approval_decision.as_deref()) {
            (_, Some("allow-always")) => Self::Always,
            (true, _) | (_, Some("allow-once")) => Self::Once,
            (false, _) => Self::None,
        }
    }
}

fn allow(wanted: &RunRequest, machine: &Machine, answer: Answer) -> Result<(), Failure> {
    let (rules, decision) = wanted.decide(machine);
    match decision {
        Decision::Run => Ok(()),
        Decision::Refuse(reason) => Err(denied(reason)),
        Decision::Ask(question) => asked(&rules, &question, answer, machine),
    }
}

fn asked(rules: &ExecRules, question: &Question, answer: Answer, machine: &Machine) -> Result<(), Failure> {
    if answer == Answer::Always
        && question.can_always()
        && let Err(error) = rules.remember(question, machine.clock.now_ms())
    {
        tracing::warn!(%error, "an approval could not be remembered");
    }
    if answer != Answer::None || question.runs_unanswered {
        return Ok(());
    }
    Err(denied(format!("approval required: {}", question.reasons.join("; "))))
}

fn denied(reason: impl Into<String>) -> Failure {
    Failure { code: "SYSTEM_RUN_DENIED", message: format!("SYSTEM_RUN_DENIED: {}", reason.into()) }
}

/// The particulars every event of a run carries.
struct RunFacts<'a> {
    call: &'a CommandCall,
    facts: Value,
}

impl<'a> RunFacts<'a> {
    fn of(params: &Params, call: &'a CommandCall, line: &str) -> Self {
        let session = params.session_key.clone().or_else(|| call.session_key.clone());
        let facts = json!({"runId": params.run_id, "sessionKey": session, "host": "node", "command": line});
        Self { call, facts }
    }

    async fn say(&self, event: &'static str, more: Value) {
        let mut facts = self.facts.clone();
        if let (Some(facts), Value::Object(more)) = (facts.as_object_mut(), more) {
            facts.extend(more);
        }
        if self.call.said.send(CommandAnswer::Event(event, facts)).await.is_err() {
            tracing::debug!(event, "nobody hears about a command any more");
        }
    }
}

/// The line a shell would be given for these words; a shell's own line is taken out of it.
fn line_of(argv: &[String]) -> String {
    if let [shell, flag, script] = argv
        && SHELLS.contains(&shell.as_str())
        && matches!(flag.as_str(), "-c" | "-lc")
    {
        return script.clone();
    }
    argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// A word so that a shell reads exactly it.
fn quote(word: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:@%+,".contains(&b);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
