//! Whether a command may run: the rules are held against it, and a person is asked where they say so.

use std::path::{Path, PathBuf};

use homard_config::config::tools::{ExecAsk, ExecSecurity};
use homard_exec::BuiltEnv;
use homard_exec::approvals::{Decision, ExecRules, Grant, Question, Request};
use homard_protocol::Word;
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_protocol::session_words::ExecHost;
use homard_runtime::off_thread;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ExecInput;
use crate::approvals::{ANSWER_WITHIN, ApprovalRequest, CommandTerms, Outcome};
use crate::cx::ToolCx;
use crate::words_of_others::taint::GateAnswer;

/// Why a command was not allowed to run. Worded for the model: what it can do now.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotAllowed {
    #[error("not run: {reason}. Do it another way, or tell the owner what you need and why")]
    Refused { reason: String },
    #[error(
        "not run: the owner said no to this command. Do not try it in another form; go on without it, or ask what to do instead"
    )]
    Denied,
    #[error(
        "not run: it needs approval and nobody answered within {} s. Go on without it, or tell the owner what waits for approval",
        ANSWER_WITHIN.as_secs()
    )]
    Expired,
    #[error(
        "not run: it needs approval and nobody can be asked right now. Go on without it, or tell the owner what needs approval"
    )]
    NobodyToAsk,
    #[error("stopped before the command was started")]
    Stopped,
    #[error("`{field}` must be one of {words}")]
    BadWish { field: &'static str, words: &'static str },
    #[error("commands of this conversation run on a node, and no node is connected: nothing can be run now")]
    NoNode,
    #[error("commands of this conversation run in a sandbox, and none is set up: nothing can be run here")]
    NoSandbox,
    #[error("`host` must be auto, gateway or node")]
    BadHost,
    #[error("commands of this conversation run on {0}, as the owner chose: leave `host` and `node` out")]
    ElsewhereChosen(&'static str),
    #[error("commands of this conversation run on the node `{0}`: leave `node` out")]
    OtherNode(String),
    #[error("the disk thread ended early")]
    Thread(#[from] homard_runtime::Unfinished),
}

/// What a command needs permission for.
pub(super) struct ExecRequest<'w> {
    pub(super) input: &'w ExecInput,
    pub(super) cwd: &'w Path,
    pub(super) env: &'w BuiltEnv,
}

/// Where a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExecPlace {
    Here,
    Node,
}

/// Where a command runs. What the owner chose cannot be undone by the model.
pub(super) fn check_place(input: &ExecInput, rules: &ExecRules) -> Result<ExecPlace, NotAllowed> {
    let read = |host: Option<Word<ExecHost>>| match host {
        None | Some(Word::Known(ExecHost::Auto)) => Ok(None),
        Some(Word::Known(ExecHost::Gateway)) => Ok(Some(ExecPlace::Here)),
        Some(Word::Known(ExecHost::Node)) => Ok(Some(ExecPlace::Node)),
        Some(Word::Known(ExecHost::Sandbox)) => Err(NotAllowed::NoSandbox),
        Some(Word::Other(_)) => Err(NotAllowed::BadHost),
    };
    let chosen = read(rules.host.clone())?;
    let names_node = input.node.as_deref().is_some_and(|node| !node.trim().is_empty());
    let wish = input.host.as_deref().map(str::trim).filter(|host| !host.is_empty());
    let asked = read(wish.map(Word::of))?;
    let asked = asked.or_else(|| names_node.then_some(ExecPlace::Node));
    match (chosen, asked) {
        (Some(ExecPlace::Here), Some(ExecPlace::Node)) => Err(NotAllowed::ElsewhereChosen("the gateway")),
        (Some(ExecPlace::Node), Some(ExecPlace::Here)) => Err(NotAllowed::ElsewhereChosen("a node")),
        (chosen, asked) => Ok(asked.or(chosen).unwrap_or(ExecPlace::Here)),
    }
}

/// Waits for permission. Answers once the command may run.
pub(super) async fn obtain(wanted: ExecRequest<'_>, cx: &ToolCx) -> Result<(), NotAllowed> {
    let (input, now) = (wanted.input, cx.clock.now_ms());
    let security: Option<ExecSecurity> =
        wish(input.security.as_deref(), "security", "deny, allowlist, full")?;
    let ask: Option<ExecAsk> = wish(input.ask.as_deref(), "ask", "off, on-miss, always")?;
    let subject = Subject {
        line: input.command.clone(),
        cwd: wanted.cwd.to_owned(),
        env: wanted.env.clone(),
        variables: input.env.iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect(),
    };
    let (rules, granted) = (cx.scope.exec.clone(), cx.scope.taint.allowed(super::NAME));
    let looking = off_thread(move || {
        let request = subject.request(security, ask);
        let grant = if Grant::covers(&granted, &request) {
            Granted::Before
        } else {
            Granted::Not(Grant::of(&request))
        };
        (rules.decide(&request, now), grant)
    });
    let (decided, granted) = looking.await?;
    // The gate leaves its question to us, so that a person is asked once.
    let gate = match cx.scope.taint.passed(&cx.call_id) {
        Some(GateAnswer::MustAsk(reasons)) => Some(reasons),
        Some(GateAnswer::Allowed) => None,
        None if cx.scope.taint.is_clean() || cx.scope.gate.lets_through(super::NAME) => None,
        // The gate has not seen it, or has forgotten: words of others came in beside it.
        None => Some(vec!["text of others came into this conversation".to_owned()]),
    };
    match (decided, gate) {
        (Decision::Refuse(reason), _) => Err(NotAllowed::Refused { reason }),
        (Decision::Run, None) => Ok(()),
        (Decision::Run, Some(reasons)) => match granted {
            Granted::Before => Ok(()),
            Granted::Not(grant) => put_for_gate(reasons, grant, &wanted, cx).await,
        },
        (Decision::Ask(question), gate) => put(question, gate, &wanted, cx).await,
    }
}

/// Whether a person has allowed such a command in this conversation before.
enum Granted {
    Before,
    /// They have not; this is what "always" would allow.
    Not(Option<Grant>),
}

/// Asks a person about a command the rules allow, because words of others are in play.
async fn put_for_gate(
    reasons: Vec<String>,
    grant: Option<Grant>,
    wanted: &ExecRequest<'_>,
    cx: &ToolCx,
) -> Result<(), NotAllowed> {
    let mut request = ApprovalRequest { reasons: told(reasons, wanted.input, cx), ..asked(wanted, cx) };
    request.allow_always(grant.as_ref().map(|grant| grant.words.as_str()));
    match cx.ask(request).await {
        Outcome::Said(ApprovalDecision::AllowOnce) => Ok(()),
        Outcome::Said(ApprovalDecision::AllowAlways) => {
            for entry in grant.iter().flat_map(|grant| &grant.entries) {
                cx.scope.taint.allow(super::NAME, entry);
            }
            Ok(())
        }
        other => Err(not_allowed(other)),
    }
}

pub(super) fn not_allowed(outcome: Outcome) -> NotAllowed {
    match outcome {
        Outcome::Said(_) => NotAllowed::Denied,
        Outcome::Expired => NotAllowed::Expired,
        Outcome::NoRoute => NotAllowed::NobodyToAsk,
        Outcome::Withdrawn => NotAllowed::Stopped,
    }
}

/// The question without its reasons.
fn asked(wanted: &ExecRequest<'_>, cx: &ToolCx) -> ApprovalRequest {
    ApprovalRequest {
        tool: super::NAME.to_owned(),
        action: cx.scope.guards.secrets.hide(&wanted.input.command).into_owned(),
        cwd: Some(wanted.cwd.display().to_string()),
        resolved_path: None,
        reasons: Vec::new(),
        can_always: false,
        terms: CommandTerms::default(),
        session_key: Some(cx.session_key.clone()),
        run_id: Some(cx.run_id.clone()),
        call_id: Some(cx.call_id.clone()),
        for_guest: cx.is_for_guest(),
    }
}

/// A command, owned so that another thread can look at it.
struct Subject {
    line: String,
    cwd: PathBuf,
    env: BuiltEnv,
    variables: Vec<(String, String)>,
}

impl Subject {
    fn request(&self, security: Option<ExecSecurity>, ask: Option<ExecAsk>) -> Request<'_> {
        Request {
            line: &self.line,
            cwd: &self.cwd,
            env: &self.env,
            variables: &self.variables,
            security,
            ask,
        }
    }
}

/// Asks a person; `gate` has the gate's reasons where it has some.
async fn put(
    question: Question,
    gate: Option<Vec<String>>,
    wanted: &ExecRequest<'_>,
    cx: &ToolCx,
) -> Result<(), NotAllowed> {
    // A rule for silence is no rule for words of others.
    let unanswered = question.runs_unanswered && gate.is_none();
    let labels =
        || cx.scope.taint.labels().iter().map(|label| format!("{label} is in this conversation")).collect();
    let mut reasons = question.reasons.clone();
    reasons.extend(question.always().map(|what| format!("“always” puts on the list: {what}")));
    reasons.extend(gate.unwrap_or_else(labels));
    let request = ApprovalRequest {
        resolved_path: question.resolved_path.clone(),
        reasons: told(reasons, wanted.input, cx),
        can_always: question.can_always(),
        terms: CommandTerms {
            security: Some(word(&question.rules.security)),
            ask: Some(word(&question.rules.ask)),
            on_node: false,
        },
        ..asked(wanted, cx)
    };
    match cx.ask(request).await {
        Outcome::Said(ApprovalDecision::AllowOnce) => Ok(()),
        Outcome::Said(ApprovalDecision::AllowAlways) => {
            let (rules, now) = (cx.scope.exec.clone(), cx.clock.now_ms());
            let kept = off_thread(move || rules.remember(&question, now)).await?;
            if let Err(error) = kept {
                // The person said yes; that it cannot be remembered is no reason not to run it.
                tracing::warn!(%error, "a command that was allowed always will be asked about again");
            }
            Ok(())
        }
        Outcome::Expired | Outcome::NoRoute if unanswered => Ok(()),
        other => Err(not_allowed(other)),
    }
}

/// What the person reads: the reasons, and variables the model sets. Each is one line, so that none passes for
/// another; no secret is in them.
fn told(mut reasons: Vec<String>, input: &ExecInput, cx: &ToolCx) -> Vec<String> {
    reasons.extend(input.env.iter().flatten().map(|(name, value)| format!("it sets {name}={value}")));
    let secrets = &cx.scope.guards.secrets;
    reasons.iter().map(|reason| secrets.hide(&reason.replace('\n', " ")).into_owned()).collect()
}

/// The word the files use.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}

pub(super) fn wish<T: DeserializeOwned>(
    word: Option<&str>,
    field: &'static str,
    words: &'static str,
) -> Result<Option<T>, NotAllowed> {
    match word.map(str::trim) {
        None | Some("") => Ok(None),
        Some(word) => serde_json::from_value(Value::String(word.to_owned()))
            .map(Some)
            .map_err(|_unknown| NotAllowed::BadWish { field, words }),
    }
}
