//! `agent`, `agent.wait`, `agents.list` and `models.list`.

use std::borrow::Cow;
use std::time::Duration;

use homard_llm::Attempt;
use homard_protocol::method::NoParams;
use homard_protocol::methods::chat::agent::{
    AgentAccepted, AgentFinished, AgentMeta, AgentModel, AgentParams, AgentPayload, AgentResult,
    AgentResultMeta, AgentSummary, AgentUsage, AgentWaitParams, AgentWaitResult, AgentsListResult,
    AttemptResult, ExecutionAttempt, ExecutionTrace,
};
use homard_protocol::prompt_report::PromptMode;
use homard_protocol::{RunAnswer, RunId, Scope, SessionId, SessionKey, SessionRef, TurnSource, Usage, Word};
use homard_relay::{Accepted, InlineSettings, Queue, RunEnd, TurnOptions};
use homard_runtime::millis;
use homard_store::{RunRecord, RunStatus};
use serde_json::{Value, json};

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::channels::delivery;
use crate::methods::chat::{operator_message, read_images};
use crate::methods::session_key;
use crate::table::Cx;

/// How long `agent.wait` waits unless told otherwise.
const DEFAULT_WAIT: Duration = Duration::from_secs(30);
/// How long it waits at most.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Parameters beside the message: where the answer is delivered, and rooms that are not furnished yet.
const KNOWN_REST: [&str; 26] = [
    "accountId",
    "bestEffortDeliver",
    "bootstrapContextMode",
    "bootstrapContextRunKind",
    "channel",
    "cwd",
    "deliver",
    "disableMessageTool",
    "expectedExistingSessionId",
    "groupChannel",
    "groupId",
    "groupSpace",
    "inputProvenance",
    "label",
    "lane",
    "modelRun",
    "promptMode",
    "replyAccountId",
    "replyChannel",
    "replyTo",
    "sessionEffects",
    "sourceReplyDeliveryMode",
    "suppressPromptPersistence",
    "threadId",
    "to",
    "voiceWakeTrigger",
];

fn check_rest(rest: &serde_json::Map<String, Value>) -> Result<(), RequestError> {
    let unknown =
        rest.keys().find(|name| !KNOWN_REST.contains(&name.as_str()) && !name.starts_with("internal"));
    unknown.map_or(Ok(()), |name| {
        Err(RequestError::invalid(format!("invalid agent params: at root: unexpected property '{name}'")))
    })
}

/// How much the model is to be told first, where the caller says so.
fn prompt_mode(rest: &serde_json::Map<String, Value>) -> Result<Option<Word<PromptMode>>, RequestError> {
    let said = rest.get("promptMode").filter(|said| !said.is_null());
    let mode = said.map(|said| said.as_str().and_then(|word| word.parse::<PromptMode>().ok()));
    match mode {
        None => Ok(None),
        Some(Some(mode)) => Ok(Some(mode.into())),
        Some(None) => {
            let words = "invalid agent params: at /promptMode: must be full, minimal or none";
            Err(RequestError::invalid(words))
        }
    }
}

/// `agent`: answers `accepted` at once and again when the run is over.
pub(crate) async fn agent(cx: Cx, params: AgentParams) -> Result<Value, RequestError> {
    let gateway = &cx.gateway;
    check_rest(&params.rest)?;
    let key = target(gateway, &params).await?;
    let images = read_images(params.attachments.as_deref().unwrap_or_default())?;
    if params.message.trim().is_empty() && images.is_empty() {
        return Err(RequestError::invalid("message or attachment required"));
    }
    let run_id = RunId::parse(&params.idempotency_key)?;
    cx.caller.client.owns(run_id.clone());
    let model = match (params.provider, params.model) {
        (Some(provider), Some(model)) => Some(format!("{provider}/{model}")),
        (None, model) => model,
        (Some(_), None) => return Err(RequestError::invalid("provider without model")),
    };
    let timeout =
        params.timeout.filter(|seconds| *seconds > 0.0).map(Duration::try_from_secs_f64).transpose();
    let timeout = timeout
        .map_err(|error| RequestError::invalid(format!("invalid agent params: at /timeout: {error}")))?;
    let prompt_mode = prompt_mode(&params.rest)?;
    let to = delivery::destination(gateway, &params.rest, &key).await?;
    let message = operator_message(gateway, key, params.message, images, run_id.to_string());
    let options = TurnOptions {
        settings: InlineSettings { prompt_mode, ..InlineSettings::asking(model, params.thinking) },
        timeout_ms: timeout.map(millis),
        extra_system: params.extra_system_prompt,
        without_admin: cx.caller.check_scope(Scope::Admin).is_err(),
        ..TurnOptions::of(TurnSource::Agent)
    };
    let accepted = gateway.relay().accept(message, options.replying_to(to), Queue::by_word(None)).await;
    let accepted = accepted?;
    let (session_key, status) = match accepted {
        Accepted::Started { session_key, .. } | Accepted::Answered { session_key, .. } => {
            (session_key, RunAnswer::Accepted)
        }
        Accepted::InFlight { session_key, .. } => (session_key, RunAnswer::InFlight),
        Accepted::Finished(record) => return Ok(to_value(&finished(&record.run_id, &*record))),
    };
    cx.respond_early(&AgentAccepted {
        run_id: run_id.clone(),
        agent_id: session_key.agent_id().cloned(),
        session_key,
        status,
        accepted_at: gateway.clock().now_ms(),
    });
    match gateway.relay().turns().wait(&run_id, MAX_WAIT).await {
        Some(end) => Ok(to_value(&finished(&run_id, &*end))),
        None => match gateway.store().runs().get(&run_id).await? {
            Some(record) if record.status.is_finished() => Ok(to_value(&finished(&record.run_id, &record))),
            _ => Err(RequestError::unavailable("the run is no longer under way")),
        },
    }
}

/// The session a request means: by key, by transcript, or the agent's main one.
async fn target(gateway: &Gateway, params: &AgentParams) -> Result<SessionKey, RequestError> {
    if let Some(key) = &params.session_key {
        return session_key(gateway, key, params.agent_id.as_ref());
    }
    if let Some(id) = &params.session_id {
        let found = gateway.store().sessions().by_id(id).await?;
        return found.map(|record| record.key).ok_or_else(|| RequestError::invalid("No session found"));
    }
    session_key(gateway, &SessionRef::default(), params.agent_id.as_ref())
}

fn to_value(finished: &AgentFinished) -> Value {
    serde_json::to_value(finished).unwrap_or_default()
}

fn usage(usage: Usage) -> AgentUsage {
    AgentUsage {
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        total: usage.total_tokens,
    }
}

/// A run that is over, as its end tells it or as it is kept.
struct FinishedRun<'a> {
    status: RunStatus,
    reply: Option<&'a str>,
    error: Option<&'a str>,
    started_at: Option<i64>,
    ended_at: i64,
    session_id: Option<&'a SessionId>,
    provider: &'a str,
    model: &'a str,
    usage: Usage,
    attempts: Cow<'a, [Attempt]>,
}

impl<'a> From<&'a RunEnd> for FinishedRun<'a> {
    fn from(RunEnd { outcome, reply, ended_at, .. }: &'a RunEnd) -> Self {
        Self {
            status: outcome.status(),
            reply: reply.as_deref(),
            error: outcome.error(),
            started_at: outcome.started_at(),
            ended_at: *ended_at,
            session_id: outcome.session_id(),
            provider: outcome.model().map_or("", |used| &used.provider),
            model: outcome.model().map_or("", |used| &used.model),
            usage: outcome.usage(),
            attempts: Cow::Borrowed(outcome.attempts()),
        }
    }
}

impl<'a> From<&'a RunRecord> for FinishedRun<'a> {
    fn from(record: &'a RunRecord) -> Self {
        let attempts =
            record.attempts.iter().filter_map(|a| homard_runtime::json::from_value(a.clone()).ok());
        Self {
            status: record.status,
            reply: record.reply.as_deref(),
            error: record.error.as_deref(),
            started_at: record.started_at,
            ended_at: record.ended_at.unwrap_or_default(),
            session_id: record.session_id.as_ref(),
            provider: record.provider.as_deref().unwrap_or_default(),
            model: record.model.as_deref().unwrap_or_default(),
            usage: record.usage.unwrap_or_default(),
            attempts: attempts.collect(),
        }
    }
}

impl FinishedRun<'_> {
    fn summary(&self) -> String {
        match self.status {
            RunStatus::Ok => "completed".to_owned(),
            RunStatus::Aborted => "aborted".to_owned(),
            other => self.error.map_or_else(|| other.to_string(), str::to_owned),
        }
    }

    /// What was tried, and who answered in the end.
    fn trace(&self) -> ExecutionTrace {
        let failed = self.attempts.iter().map(|attempt| ExecutionAttempt {
            provider: attempt.provider.clone(),
            model: attempt.model.clone(),
            profile: attempt.profile.clone(),
            result: AttemptResult::Error,
            reason: Some(attempt.reason.clone()),
            error: Some(attempt.error.clone()),
        });
        let has_answered = self.status == RunStatus::Ok && !self.model.is_empty();
        let answer = has_answered.then(|| ExecutionAttempt {
            provider: self.provider.to_owned(),
            model: self.model.to_owned(),
            result: AttemptResult::Success,
            ..ExecutionAttempt::default()
        });
        let is_other = |a: &Attempt| (a.provider.as_str(), a.model.as_str()) != (self.provider, self.model);
        ExecutionTrace {
            winner_provider: self.provider.to_owned(),
            winner_model: self.model.to_owned(),
            fallback_used: self.attempts.iter().any(is_other),
            attempts: failed.chain(answer).collect(),
        }
    }
}

fn finished<'a>(run_id: &RunId, over: impl Into<FinishedRun<'a>>) -> AgentFinished {
    let over = over.into();
    let began = over.started_at.unwrap_or(over.ended_at);
    AgentFinished {
        run_id: run_id.to_string(),
        status: over.status.into(),
        summary: over.summary(),
        result: AgentResult {
            payloads: payloads(over.reply),
            meta: AgentResultMeta {
                duration_ms: over.ended_at.abs_diff(began),
                agent_meta: AgentMeta {
                    session_id: over.session_id.map(ToString::to_string).unwrap_or_default(),
                    provider: over.provider.to_owned(),
                    model: over.model.to_owned(),
                    usage: usage(over.usage),
                },
                aborted: over.status == RunStatus::Aborted,
                execution_trace: over.trace(),
            },
        },
    }
}

fn payloads(reply: Option<&str>) -> Vec<AgentPayload> {
    reply.map(|text| AgentPayload { text: Some(text.to_owned()), media_url: None }).into_iter().collect()
}

/// `agent.wait`.
pub(crate) async fn wait(cx: Cx, params: AgentWaitParams) -> Result<AgentWaitResult, RequestError> {
    let gateway = &cx.gateway;
    let run_id = params.run_id;
    let limit = params.timeout_ms.map_or(DEFAULT_WAIT, Duration::from_millis).min(MAX_WAIT);
    if let Some(end) = gateway.relay().turns().wait(&run_id, limit).await {
        return Ok(waited(&run_id, &end));
    }
    match gateway.store().runs().get(&run_id).await? {
        Some(record) if record.status.is_finished() => Ok(AgentWaitResult {
            run_id: run_id.to_string(),
            status: record.status.into(),
            started_at: record.started_at,
            ended_at: record.ended_at,
            terminal_reply: terminal_reply(record.reply.as_ref()),
            error: record.error,
            stop_reason: record.stop_reason,
        }),
        // Still under way, or nobody has asked for it yet: the waiting is over, not the run.
        _ => Ok(AgentWaitResult {
            run_id: run_id.to_string(),
            status: RunAnswer::Timeout,
            started_at: None,
            ended_at: None,
            error: None,
            stop_reason: None,
            terminal_reply: None,
        }),
    }
}

fn waited(run_id: &RunId, end: &RunEnd) -> AgentWaitResult {
    AgentWaitResult {
        run_id: run_id.to_string(),
        status: end.outcome.status().into(),
        started_at: end.outcome.started_at(),
        ended_at: Some(end.ended_at),
        error: end.outcome.error().map(str::to_owned),
        stop_reason: end.outcome.stop_word(),
        terminal_reply: terminal_reply(end.reply.as_ref()),
    }
}

fn terminal_reply(reply: Option<&String>) -> Option<Value> {
    Some(match reply {
        Some(text) => json!({"disposition": "visible", "text": text}),
        None => json!({"disposition": "empty"}),
    })
}

/// `agents.list`.
pub(crate) async fn list(cx: Cx, _params: NoParams) -> Result<AgentsListResult, RequestError> {
    let gateway = &cx.gateway;
    let config = gateway.config().current();
    let agents: Vec<AgentSummary> = config
        .agents
        .list
        .iter()
        .map(|agent| {
            let model = gateway.relay().sessions().model_for(&SessionKey::main(agent.id.clone()), None);
            AgentSummary {
                id: agent.id.clone(),
                name: agent.name.clone().or_else(|| agent.identity.name.clone()),
                identity: identity(agent),
                workspace: agent.workspace.display().to_string(),
                model: AgentModel {
                    primary: model.to_string(),
                    fallbacks: agent.model.fallbacks.iter().map(ToString::to_string).collect(),
                },
            }
        })
        .collect();
    Ok(AgentsListResult {
        default_id: config.agents.default_agent().id.clone(),
        ownership: if agents.len() == 1 { "sole" } else { "legacy" }.to_owned(),
        selection_required: false,
        main_key: "main".to_owned(),
        scope: "per-sender".to_owned(),
        agents,
    })
}

fn identity(agent: &homard_config::config::agents::Agent) -> Option<Value> {
    let identity = &agent.identity;
    let set = identity.name.is_some() || identity.emoji.is_some() || identity.avatar.is_some();
    set.then(|| json!({"name": identity.name, "theme": identity.theme, "emoji": identity.emoji, "avatar": identity.avatar}))
}
