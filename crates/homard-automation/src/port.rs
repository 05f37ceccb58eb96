//! Jobs as the assistant sees them: the same as clients, with what a model leaves out filled in.

use std::sync::{Arc, Weak};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_protocol::methods::cron::{
    CronAddParams, CronDeliveryMode, CronListParams, CronRunMode, CronRunParams, CronRunsParams,
    CronUpdateParams,
};
use homard_protocol::{JobId, SessionKey, TurnSource, WakeMode};
use homard_relay::{Wake, WakeOutcome};
use homard_runtime::Clip;
use homard_tools::{CronAsk, CronPort, PortError, ToolCx};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::automation::{Automation, CronError, Inner};
use crate::schedule::read_duration;

/// How much of a message becomes the name of a job without one, in characters.
const NAME_CHARS: usize = 60;

/// Where results are posted to, with the owner's token, is for the owner to say.
const OWNERS_WEBHOOKS: &str =
    "webhooks are set by the owner (`homard cron edit ID --webhook URL`), not by this tool";

/// Holds the room weakly: the room holds the relay, and that the tools.
struct Room {
    inner: Weak<Inner>,
}

impl Automation {
    /// By which tools ask about jobs.
    #[must_use]
    pub fn port(&self) -> Arc<dyn CronPort> {
        Arc::new(Room { inner: Arc::downgrade(&self.inner) })
    }

    async fn asked(&self, cx: &ToolCx, ask: CronAsk) -> Result<Value, PortError> {
        let labels = cx.scope.taint.labels();
        match ask {
            CronAsk::Status => told(self.jobs().status().await),
            CronAsk::List { include_disabled, query } => {
                let params = CronListParams {
                    include_disabled: Some(include_disabled),
                    query,
                    include_delivery_previews: Some(false),
                    limit: Some(homard_protocol::methods::cron::MAX_CRON_LIMIT),
                    ..CronListParams::default()
                };
                told(self.jobs().list(params).await)
            }
            CronAsk::Add { job } => {
                no_webhook(&job)?;
                let job = completed(job, cx, self.inner.clock.now_ms())?;
                let spec = homard_runtime::json::from_value(Value::Object(job))
                    .map_err(|error| PortError::Invalid(format!("the job does not fit: {error}")))?;
                told(self.jobs().add(spec, labels).await)
            }
            CronAsk::Update { id, patch } => {
                no_webhook(&patch)?;
                let params = CronUpdateParams { id: Some(named(&id)?), patch, ..CronUpdateParams::default() };
                told(self.jobs().update_if(params, labels, same_webhooks).await)
            }
            CronAsk::Remove { id } => told(self.jobs().remove(Some(named(&id)?), None).await),
            CronAsk::Run { id, only_if_due } => {
                let mode = if only_if_due { CronRunMode::Due } else { CronRunMode::Force };
                told(
                    self.jobs()
                        .run(CronRunParams {
                            id: Some(named(&id)?),
                            mode: Some(mode),
                            ..CronRunParams::default()
                        })
                        .await,
                )
            }
            CronAsk::Runs { id, limit } => {
                let id = id.as_deref().map(named).transpose()?;
                let params = CronRunsParams { id, limit: Some(limit), ..CronRunsParams::default() };
                told(self.jobs().runs(params).await)
            }
            CronAsk::Wake { text, now } => {
                let agent = cx.session_key.agent_id().cloned();
                let agent = agent.unwrap_or_else(|| self.config().agents.default_agent().id.clone());
                let mode = if now { WakeMode::Now } else { WakeMode::NextHeartbeat };
                let wake = Wake {
                    session: SessionKey::main(agent),
                    text,
                    mode,
                    source: TurnSource::Wake,
                    run_id: None,
                    labels,
                };
                let woken = self.inner.relay.turns().wake(wake).await;
                match woken.map_err(|error| PortError::Failed(error.to_string()))? {
                    WakeOutcome::Turn(run_id) => Ok(json!({"ok": true, "runId": run_id})),
                    WakeOutcome::Waits => {
                        Ok(json!({"ok": true, "waits": "for the next turn of the main session"}))
                    }
                }
            }
        }
    }
}

impl CronPort for Room {
    fn ask<'a>(&'a self, cx: &'a ToolCx, ask: CronAsk) -> BoxFuture<'a, Result<Value, PortError>> {
        async move {
            let inner = self.inner.upgrade().ok_or(PortError::Closed)?;
            Automation { inner }.asked(cx, ask).await
        }
        .boxed()
    }
}

/// The job a model names.
fn named(id: &str) -> Result<JobId, PortError> {
    JobId::parse(id.trim()).map_err(|error| PortError::Invalid(error.to_string()))
}

fn told<T: Serialize>(answer: Result<T, CronError>) -> Result<Value, PortError> {
    match answer {
        Ok(answer) => serde_json::to_value(answer).map_err(|error| PortError::Failed(error.to_string())),
        Err(error @ (CronError::Store(_) | CronError::Unreadable(_))) => {
            tracing::error!(%error, "a tool's question about jobs failed");
            Err(PortError::Failed(error.to_string()))
        }
        Err(error) => Err(PortError::Invalid(error.to_string())),
    }
}

/// Refuses a job, or a change of one, that says where results are posted to.
fn no_webhook(job: &Map<String, Value>) -> Result<(), PortError> {
    let delivery = job.get("delivery");
    let posts = delivery.is_some_and(|delivery| {
        delivery.get("mode").and_then(Value::as_str) == Some("webhook")
            || delivery.get("completionDestination").is_some_and(|also| !also.is_null())
    });
    if posts {
        return Err(PortError::NotAllowed(OWNERS_WEBHOOKS.to_owned()));
    }
    Ok(())
}

/// A change of the job's delivery that leaves its mode out must not send the owner's webhook, and token, elsewhere.
fn same_webhooks(old: &CronAddParams, new: &CronAddParams) -> Result<(), CronError> {
    let posts = |spec: &CronAddParams| -> Vec<String> {
        let delivery = spec.delivery.as_ref();
        let own = delivery.filter(|delivery| delivery.mode == CronDeliveryMode::Webhook);
        let also = delivery.and_then(|delivery| delivery.completion_destination.as_ref());
        let own = own.and_then(|delivery| delivery.to.clone());
        own.into_iter().chain(also.map(|also| also.to.clone())).collect()
    };
    let before = posts(old);
    match posts(new).iter().all(|to| before.contains(to)) {
        true => Ok(()),
        false => Err(CronError::invalid(OWNERS_WEBHOOKS)),
    }
}

/// Fills in what a model leaves out.
fn completed(mut job: Map<String, Value>, cx: &ToolCx, now: i64) -> Result<Map<String, Value>, PortError> {
    let payload = job.get("payload").cloned().unwrap_or_default();
    let kind = payload.get("kind").and_then(Value::as_str).unwrap_or_default();
    let said = payload.get("text").or(payload.get("message")).and_then(Value::as_str).unwrap_or_default();
    let name = said.clip_chars(NAME_CHARS).to_owned();
    let target = if kind == "systemEvent" { "main" } else { "isolated" };
    job.entry("name").or_insert_with(|| json!(name));
    job.entry("sessionTarget").or_insert_with(|| json!(target));
    job.entry("wakeMode").or_insert_with(|| json!(WakeMode::Now));
    job.entry("sessionKey").or_insert_with(|| json!(cx.session_key.to_string()));
    if let Some(agent) = cx.session_key.agent_id() {
        job.entry("agentId").or_insert_with(|| json!(agent));
    }
    if let Some(schedule) = job.get_mut("schedule").and_then(Value::as_object_mut) {
        relative(schedule, now)?;
    }
    Ok(job)
}

/// `{"kind": "at", "in": "20m"}` is what a model means more often than a moment it would have to work out.
fn relative(schedule: &mut Map<String, Value>, now: i64) -> Result<(), PortError> {
    let Some(wait) = schedule.remove("in") else { return Ok(()) };
    let millis = wait.as_str().and_then(read_duration).and_then(|wait| i64::try_from(wait).ok());
    let at = millis.and_then(|wait| jiff::Timestamp::from_millisecond(now.saturating_add(wait)).ok());
    let at = at.ok_or_else(|| PortError::Invalid("`in` must be a time such as 20m or 2h".to_owned()))?;
    schedule.insert("at".to_owned(), json!(at.to_string()));
    Ok(())
}
